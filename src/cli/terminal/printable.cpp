#include "cli/terminal/printable.hpp"

#include "base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace carillon::cli {

namespace {

constexpr std::string_view ellipsis = "…";

constexpr bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }

/// The code point of one well-formed UTF-8 character.
std::uint32_t code_point(std::string_view character) {
  const std::uint32_t first = static_cast<unsigned char>(character.front());
  std::uint32_t value = character.size() == 1 ? first : first & (0x7fU >> character.size());
  for (const char byte : character.substr(1)) value = value << 6U | (static_cast<unsigned char>(byte) & 0x3fU);
  return value;
}

/// Characters that move the cursor, change the terminal, or turn the direction of what follows.
bool must_be_escaped(std::uint32_t value) {
  struct Range {
    std::uint32_t first, last;
  };
  static constexpr std::array<Range, 8> ranges{{{0x00, 0x1f},
                                                {0x7f, 0x9f},
                                                {0xad, 0xad},
                                                {0x200b, 0x200f},
                                                {0x2028, 0x202e},
                                                {0x2060, 0x206f},
                                                {0xfeff, 0xfeff},
                                                {0xfff9, 0xfffb}}};
  return std::ranges::any_of(ranges, [value](Range range) { return value >= range.first && value <= range.last; });
}

void append_escaped(std::string& out, std::uint32_t value) {
  switch (value) {
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  if (value < 0x80) {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", value);
  } else {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", value);
  }
}

/// Appends the first character fit to print; how many bytes it took.
std::size_t append_printable(std::string& out, std::string_view text) {
  const std::size_t length = utf8_length(text);
  if (length == 0) {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(text.front()));
    return 1;
  }
  const std::uint32_t value = code_point(text.substr(0, length));
  if (must_be_escaped(value)) {
    append_escaped(out, value);
  } else {
    out += text.substr(0, length);
  }
  return length;
}

/// Characters that are not merely invisible.
bool is_harmful(std::uint32_t value) {
  if (value == '\n' || value == '\t') return false;
  return value < 0x20 || (value >= 0x7f && value <= 0x9f) || (value >= 0x2028 && value <= 0x202e) ||
         (value >= 0x2066 && value <= 0x2069);
}

template <typename Escape>
std::string with_harmful_escaped(std::string_view text, Escape escape) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      text.remove_prefix(append_printable(out, text));
      continue;
    }
    const std::uint32_t value = code_point(text.substr(0, length));
    if (is_harmful(value))
      escape(out, value);
    else
      out += text.substr(0, length);
    text.remove_prefix(length);
  }
  return out;
}

/// The nearest place at or before `offset` where a character begins.
std::size_t character_start(std::string_view text, std::size_t offset) {
  std::size_t start = std::min(offset, text.size());
  for (int i = 0; i < 3 && start > 0 && start < text.size() && continues(text[start]); ++i) --start;
  return start;
}

}  // namespace

std::string printable(std::string_view text, std::size_t length_max) {
  std::string out;
  out.reserve(std::min(text.size(), length_max) + ellipsis.size());
  std::size_t offset = 0;
  while (offset < text.size()) {
    if (offset >= length_max) return out += ellipsis;
    offset += append_printable(out, text.substr(offset));
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  return with_harmful_escaped(text, [](std::string& out, std::uint32_t value) { append_escaped(out, value); });
}

std::string printable_json(std::string_view json) {
  return with_harmful_escaped(
      json, [](std::string& out, std::uint32_t value) { fmt::format_to(std::back_inserter(out), "\\u{:04x}", value); });
}

std::size_t column_count(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return !continues(byte); }));
}

std::string excerpt(std::string_view text, std::size_t position) {
  constexpr std::size_t before_max = 40;
  constexpr std::size_t after_max = 36;
  const std::size_t at = character_start(text, position);
  const std::size_t begin = at > before_max ? character_start(text, at - before_max) : 0;
  const std::string before = std::string{begin > 0 ? ellipsis : ""} + printable(text.substr(begin, at - begin));
  const std::string after = printable(text.substr(at), after_max);
  return fmt::format("{}{}\n{}^", before, after, std::string(column_count(before), ' '));
}

}  // namespace carillon::cli
