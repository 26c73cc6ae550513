#include "base/ids.hpp"

#include "base/quoted.hpp"

#include <algorithm>

namespace carillon {
namespace {

constexpr std::size_t id_length_max = 128;

bool is_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
bool is_id_character(char c) { return is_alphanumeric(c) || c == '.' || c == '_' || c == '-'; }

std::size_t first_fault(std::string_view text) {
  if (text.empty() || !is_alphanumeric(text.front())) return 0;
  const auto faulty = std::ranges::find_if_not(text, is_id_character);
  return std::min(static_cast<std::size_t>(faulty - text.begin()), id_length_max);
}

}  // namespace

bool is_id_text(std::string_view text) {
  return !text.empty() && text.size() <= id_length_max && is_alphanumeric(text.front()) &&
         std::ranges::all_of(text, is_id_character);
}

Error detail::bad_id(std::string_view what, std::string_view text) {
  return {.code = ErrorCode::invalid_argument,
          .message = fmt::format("{} cannot be a {}", quoted(text), what),
          .hint = "use 1 to 128 letters, digits, '.', '_' or '-', beginning with a letter or digit",
          .rule = "invalid-id",
          .position = first_fault(text),
          .context = {}};
}

}  // namespace carillon
