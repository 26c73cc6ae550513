#include "docs_site/html_text.hpp"

#include <cstddef>

namespace carillon::docs_site {
namespace {

bool is_ascii_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

char in_lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// How many bytes of punctuation beyond ASCII stand at the begin of a text: Latin-1 signs (·, ×) and U+2000 to U+23FF
/// (dashes, quotes, arrows).
std::size_t punctuation_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  if (byte(0) == 0xC2 || (byte(0) == 0xC3 && (byte(1) == 0x97 || byte(1) == 0xB7))) return 2;
  return byte(0) == 0xE2 && byte(1) >= 0x80 && byte(1) <= 0x8F ? 3 : 0;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string html;
  html.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': html += "&amp;"; break;
      case '<': html += "&lt;"; break;
      case '>': html += "&gt;"; break;
      case '"': html += "&quot;"; break;
      default: html += c;
    }
  }
  return html;
}

std::string slug_of(std::string_view heading) {
  std::string slug;
  while (!heading.empty()) {
    if (const std::size_t size = punctuation_size(heading); size > 0) {
      heading.remove_prefix(size);
      continue;
    }
    const char c = in_lower_case(heading.front());
    heading.remove_prefix(1);
    if (c == ' ') slug += '-';
    if (c == '-' || c == '_' || is_ascii_letter_or_digit(c) || static_cast<unsigned char>(c) >= 0x80) slug += c;
  }
  return slug;
}

}  // namespace carillon::docs_site
