#include "base/token_text.hpp"

#include <algorithm>
#include <array>

namespace carillon {
namespace {

constexpr std::size_t token_length = token_text::prefix.size() + token_text::id_length + 1 + token_text::secret_length;

/// By byte: asked for every letter of the token that comes with a request.
constexpr auto is_token_letter = [] {
  std::array<bool, 256> table{};
  for (const char letter : token_text::letters) table[static_cast<unsigned char>(letter)] = true;
  return table;
}();

bool is_of_token_letters(std::string_view text) {
  return std::ranges::all_of(text, [](char letter) { return is_token_letter[static_cast<unsigned char>(letter)]; });
}

}  // namespace

std::optional<TokenParts> split_token(std::string_view text) {
  if (text.size() != token_length || !text.starts_with(token_text::prefix)) return std::nullopt;
  text.remove_prefix(token_text::prefix.size());
  const TokenParts parts{.id = text.substr(0, token_text::id_length), .secret = text.substr(token_text::id_length + 1)};
  if (text[token_text::id_length] != '_' || !is_of_token_letters(parts.id) || !is_of_token_letters(parts.secret))
    return std::nullopt;
  return parts;
}

std::string without_token_secrets(std::string_view text) {
  std::string masked;
  for (;;) {
    const std::size_t start = text.find(token_text::prefix);
    if (start == std::string_view::npos) return masked.append(text);
    const std::string_view found = text.substr(start, token_length);
    const bool is_token = split_token(found).has_value();
    masked += text.substr(0, start);
    masked += is_token ? found.substr(0, token_length - token_text::secret_length) : token_text::prefix;
    if (is_token) masked += "…";
    text.remove_prefix(start + (is_token ? token_length : token_text::prefix.size()));
  }
}

}  // namespace carillon
