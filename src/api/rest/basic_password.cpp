#include "api/rest/basic_password.hpp"

#include "api/http/headers.hpp"

#include <cstdint>

namespace carillon::rest {
namespace {

constexpr std::string_view scheme = "Basic ";
constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Empty if it is not base64.
std::string decoded(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t value = letters.find(c);
    if (value == std::string_view::npos) return {};
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
  }
  return bytes;
}

}  // namespace

std::string basic_password(std::string_view header) {
  if (header.size() <= scheme.size() || !http::equal_ignoring_case(header.substr(0, scheme.size()), scheme)) return {};
  const std::string pair = decoded(header.substr(scheme.size()));
  const std::size_t split = pair.find(':');
  return split == std::string::npos ? std::string{} : pair.substr(split + 1);
}

}  // namespace carillon::rest
