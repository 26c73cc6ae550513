#include "base/ids.hpp"

#include <algorithm>

namespace carillon {
namespace {

constexpr std::size_t id_length_max = 128;

bool is_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
bool is_id_character(char c) { return is_alphanumeric(c) || c == '.' || c == '_' || c == '-'; }

}  // namespace

bool is_id_text(std::string_view text) {
  return !text.empty() && text.size() <= id_length_max && is_alphanumeric(text.front()) &&
         std::ranges::all_of(text, is_id_character);
}

Error detail::bad_id(std::string_view what, std::string_view text) {
  const auto faulty = std::ranges::find_if_not(text, is_id_character);
  const auto position = text.size() > id_length_max ? id_length_max
                        : faulty == text.end()      ? 0
                                                    : static_cast<std::size_t>(faulty - text.begin());
  return {.code = ErrorCode::invalid_argument,
          .message = fmt::format("\"{}\" cannot be a {}", text.substr(0, id_length_max), what),
          .hint = "use 1 to 128 letters, digits, '.', '_' or '-', beginning with a letter or digit",
          .rule = "invalid-id",
          .position = position,
          .context = {}};
}

}  // namespace carillon
