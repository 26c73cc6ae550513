#include "base/utf8.hpp"
#include "document/document.hpp"
#include "document/yaml_scalar.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

namespace carillon {
namespace {

namespace json = boost::json;

constexpr std::size_t simple_key_size_max = 512;  // YAML looks 1024 characters ahead for the colon

// Booleans of YAML 1.1, which many readers still know.
constexpr std::array<std::string_view, 6> risky_words{"y", "n", "yes", "no", "on", "off"};

bool is_yaml_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_risky_word(std::string_view text) {
  return std::ranges::any_of(
      risky_words, [text](std::string_view word) { return std::ranges::equal(text, word, {}, lower_letter); });
}

/// `90s`, `1h30m`: no reader of any version takes it for a number.
bool is_duration_like(std::string_view text) {
  return is_letter(text.back()) && text.find_first_not_of("0123456789wdhmsu") == std::string_view::npos;
}

bool is_plain_character(char c) {
  return is_letter(c) || is_yaml_digit(c) || std::string_view{" _-./+@()=;$^"}.contains(c);
}

/// Whether every reader takes the text for itself when it stands without quotes.
bool is_plain(std::string_view text) {
  if (text.empty() || text.back() == ' ' || !std::ranges::all_of(text, is_plain_character)) return false;
  if (is_yaml_digit(text.front())) return is_duration_like(text);
  if (!is_letter(text.front()) && text.front() != '/' && text.front() != '_') return false;
  const auto meaning = plain_scalar(text);
  return meaning && meaning->is_string() && !is_risky_word(text);
}

/// Characters that are invisible, or end a line for some readers.
bool needs_escape(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  if (lead < 0x20 || lead == 0x7F) return true;
  return (lead == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0) || character == "\u2028" ||
         character == "\u2029" || character == "\uFEFF" || character == "\uFFFE" || character == "\uFFFF";
}

unsigned code_point(std::string_view character) {
  unsigned point = static_cast<unsigned char>(character[0]);
  if (character.size() > 1) point &= 0xFFU >> (character.size() + 1);
  for (const char c : character.substr(1)) point = point << 6 | (static_cast<unsigned char>(c) & 0x3FU);
  return point;
}

void append_character(std::string& out, std::string_view character) {
  if (character == "\"" || character == "\\") {
    out += '\\';
    out += character;
  } else if (character == "\n") {
    out += "\\n";
  } else if (character == "\t") {
    out += "\\t";
  } else if (needs_escape(character)) {
    fmt::format_to(std::back_inserter(out), "\\u{:04X}", code_point(character));
  } else {
    out += character;
  }
}

void append_text(std::string& out, std::string_view text) {
  if (is_plain(text)) {
    out += text;
    return;
  }
  out += '"';
  while (!text.empty()) {
    const std::size_t length = std::max(utf8_length(text), std::size_t{1});
    append_character(out, text.substr(0, length));
    text.remove_prefix(length);
  }
  out += '"';
}

void append_double(std::string& out, double number) {
  const std::string text = fmt::format("{}", number);
  out += text;
  if (text.find_first_of(".e") == std::string::npos) out += ".0";
}

void append_scalar(std::string& out, const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: out += "null"; break;
    case json::kind::bool_: out += value.get_bool() ? "true" : "false"; break;
    case json::kind::int64: fmt::format_to(std::back_inserter(out), "{}", value.get_int64()); break;
    case json::kind::uint64: fmt::format_to(std::back_inserter(out), "{}", value.get_uint64()); break;
    case json::kind::double_: append_double(out, value.get_double()); break;
    case json::kind::string: append_text(out, value.get_string()); break;
    case json::kind::array: out += "[]"; break;
    case json::kind::object: out += "{}"; break;
  }
}

bool is_filled_array(const json::value& value) { return value.is_array() && !value.get_array().empty(); }
bool is_filled_object(const json::value& value) { return value.is_object() && !value.get_object().empty(); }

void begin_line(std::string& out, std::size_t indent) {
  if (!out.empty()) out += '\n';
  out.append(indent, ' ');
}

void append_block(std::string& out, const json::value& value, std::size_t indent);

void append_key(std::string& out, std::string_view key, std::size_t indent) {
  std::string text;
  append_text(text, key);
  if (text.size() <= simple_key_size_max) {
    out += text;
  } else {
    out += "? ";
    out += text;
    begin_line(out, indent);
  }
  out += ':';
}

void append_member(std::string& out, const json::value& value, std::size_t indent) {
  if (is_filled_array(value) || is_filled_object(value)) {
    begin_line(out, indent + 2);
    append_block(out, value, indent + 2);
  } else {
    out += ' ';
    append_scalar(out, value);
  }
}

/// Writes at the end of a line that already is indented; a list in a list begins on the line of its dash.
void append_block(std::string& out, const json::value& value, std::size_t indent) {
  bool is_first = true;
  const auto begin_entry = [&] {
    if (!is_first) begin_line(out, indent);
    is_first = false;
  };
  if (is_filled_object(value)) {
    for (const auto& [key, member] : value.get_object()) {
      begin_entry();
      append_key(out, key, indent);
      append_member(out, member, indent);
    }
  } else if (is_filled_array(value)) {
    for (const auto& element : value.get_array()) {
      begin_entry();
      out += "- ";
      append_block(out, element, indent + 2);
    }
  } else {
    append_scalar(out, value);
  }
}

}  // namespace

std::string to_yaml(const json::value& value) {
  std::string out;
  append_block(out, value, 0);
  out += '\n';
  return out;
}

}  // namespace carillon
