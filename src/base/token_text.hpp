#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace carillon {

/// A token is `carillon_<id>_<secret>`, in the letters below.
namespace token_text {
inline constexpr std::string_view prefix = "carillon_";
inline constexpr std::string_view letters = "0123456789abcdefghjkmnpqrstvwxyz";
inline constexpr std::size_t id_length = 8;
inline constexpr std::size_t secret_length = 40;  // of five bits each: 200
}  // namespace token_text

struct TokenParts {
  std::string_view id;
  std::string_view secret;
};

/// None if the text is not exactly a token. Whether the token is valid is not known here.
[[nodiscard]] std::optional<TokenParts> split_token(std::string_view text);

/// The text with the secret of every token in it replaced by `…`, for what people look at: `carillon_0jgykyq4_…`.
[[nodiscard]] std::string without_token_secrets(std::string_view text);

}  // namespace carillon
