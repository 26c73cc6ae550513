#include "document/object_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace carillon {
namespace {

/// By byte: asked for every letter of every text.
constexpr auto escaped_bytes = [] {
  std::array<bool, 256> table{};
  for (std::size_t byte = 0; byte < 0x20; ++byte) table[byte] = true;
  table['"'] = table['\\'] = true;
  return table;
}();

bool needs_escape(char c) { return escaped_bytes[static_cast<unsigned char>(c)]; }

/// How many bytes at the front of the text are written as they are. Most are, so eight are looked at together.
std::size_t plain_count(std::string_view text) {
  constexpr std::uint64_t each = 0x0101'0101'0101'0101;
  const auto has_zero = [](std::uint64_t eight) { return (eight - each) & ~eight; };
  std::size_t count = 0;
  for (; count + 8 <= text.size(); count += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data() + count, 8);
    const std::uint64_t below_blank = (eight - 0x20 * each) & ~eight;
    if (((below_blank | has_zero(eight ^ ('"' * each)) | has_zero(eight ^ ('\\' * each))) & (0x80 * each)) != 0) break;
  }
  while (count < text.size() && !needs_escape(text[count])) ++count;
  return count;
}

void append_escape(std::string& out, char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  const auto code = static_cast<unsigned char>(c);
  out += "\\u00";
  out += digits[code >> 4];
  out += digits[code & 0xF];
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t plain = plain_count(text);
    out += text.substr(0, plain);
    if (plain == text.size()) break;
    append_escape(out, text[plain]);
    text.remove_prefix(plain + 1);
  }
  out += '"';
}

std::string& ObjectText::value_of(std::string_view key) {
  const std::size_t before = out_.size();
  // Written at once: a document has some fifty of these.
  out_.resize_and_overwrite(before + key.size() + 4, [&](char* text, std::size_t) {
    char* end = text + before;
    if (has_members_) *end++ = ',';
    *end++ = '"';
    end = std::copy(key.begin(), key.end(), end);
    *end++ = '"';
    *end++ = ':';
    return static_cast<std::size_t>(end - text);
  });
  has_members_ = true;
  return out_;
}

ObjectText& ObjectText::text(std::string_view key, std::string_view value) {
  append_quoted(value_of(key), value);
  return *this;
}

ObjectText& ObjectText::text_or_null(std::string_view key, std::string_view value) {
  return value.empty() ? null(key) : text(key, value);
}

ObjectText& ObjectText::number(std::string_view key, std::int64_t value) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), value).ptr;
  value_of(key).append(digits.begin(), end);
  return *this;
}

ObjectText& ObjectText::number_or_null(std::string_view key, std::optional<std::int64_t> value) {
  return value ? number(key, *value) : null(key);
}

ObjectText& ObjectText::null(std::string_view key) { return json(key, "null"); }

ObjectText& ObjectText::json(std::string_view key, std::string_view value) {
  value_of(key) += value;
  return *this;
}

}  // namespace carillon
