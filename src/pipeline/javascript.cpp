#include "pipeline/javascript.hpp"

#include "base/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <locale.h>
#include <wctype.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

constexpr double nan_number = std::numeric_limits<double>::quiet_NaN();

/// What `trim` of JavaScript removes, as UTF-8; those of one byte are tested first.
constexpr std::array<std::string_view, 19> wide_spaces{
    "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007",
    "\u2008", "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\ufeff"};

bool is_narrow_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::size_t space_at_front(std::string_view text) {
  if (text.empty()) return 0;
  if (is_narrow_space(text.front())) return 1;
  for (const std::string_view space : wide_spaces)
    if (text.starts_with(space)) return space.size();
  return 0;
}

std::size_t space_at_back(std::string_view text) {
  if (text.empty()) return 0;
  if (is_narrow_space(text.back())) return 1;
  for (const std::string_view space : wide_spaces)
    if (text.ends_with(space)) return space.size();
  return 0;
}

/// Digits and exponent of the shortest form: 0.001 is "1" and -3.
struct ShortestDigits {
  std::string digits;
  int exponent;
};

ShortestDigits shortest_digits(double positive) {
  std::array<char, 32> buffer;
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), positive, std::chars_format::scientific);
  const std::string_view text{buffer.data(), end};
  const std::size_t e = text.find('e');
  ShortestDigits shortest{.digits = {}, .exponent = 0};
  for (const char c : text.substr(0, e))
    if (c != '.') shortest.digits += c;
  const std::string_view exponent = text.substr(e + (text[e + 1] == '+' ? 2 : 1));
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), shortest.exponent);
  return shortest;
}

std::string exponent_form(const ShortestDigits& shortest) {
  std::string text = shortest.digits.substr(0, 1);
  if (shortest.digits.size() > 1) text += '.' + shortest.digits.substr(1);
  return text + 'e' + (shortest.exponent < 0 ? '-' : '+') + std::to_string(std::abs(shortest.exponent));
}

std::string joined_list(const json::array& list) {
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) text += ',';
    if (!list[i].is_null()) text += string_of(list[i]);
  }
  return text;
}

std::optional<int> radix_of(std::string_view text) {
  if (text.size() < 3 || text[0] != '0') return std::nullopt;
  switch (text[1]) {
    case 'x':
    case 'X': return 16;
    case 'o':
    case 'O': return 8;
    case 'b':
    case 'B': return 2;
    default: return std::nullopt;
  }
}

double digits_in_radix(std::string_view digits, int radix) {
  double number = 0;
  for (const char c : digits) {
    int digit = -1;
    const auto [end, error] = std::from_chars(&c, &c + 1, digit, radix);
    if (error != std::errc{}) return nan_number;
    number = number * radix + digit;
  }
  return number;
}

/// A decimal number without sign. from_chars would take "inf" and "nan" too.
double unsigned_decimal(std::string_view text) {
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  const bool begins_like_one = !text.empty() && ((text[0] >= '0' && text[0] <= '9') || text[0] == '.');
  if (!begins_like_one) return nan_number;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end != text.data() + text.size()) return nan_number;
  if (error == std::errc::result_out_of_range)
    return text.find("e-") == std::string_view::npos ? std::numeric_limits<double>::infinity() : 0;
  return error == std::errc{} ? number : nan_number;
}

double number_in_text(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) return 0;
  if (const auto radix = radix_of(text)) return digits_in_radix(text.substr(2), *radix);
  const bool is_signed = text.front() == '+' || text.front() == '-';
  const double number = unsigned_decimal(text.substr(is_signed ? 1 : 0));
  return text.front() == '-' ? -number : number;
}

std::optional<double> as_number(const json::value& value) {
  if (value.is_int64()) return static_cast<double>(value.get_int64());
  if (value.is_uint64()) return static_cast<double>(value.get_uint64());
  if (value.is_double()) return value.get_double();
  return std::nullopt;
}

char32_t decoded(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0);
  char32_t code = byte(0) & (0x7fU >> character.size());
  for (std::size_t i = 1; i < character.size(); ++i) code = (code << 6) | (byte(i) & 0x3fU);
  return code;
}

void append_utf8(std::string& out, char32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const std::size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  out += static_cast<char>((0xf00U >> size) | (code >> (6 * (size - 1))));
  for (std::size_t i = size - 1; i > 0; --i) out += static_cast<char>(0x80U | ((code >> (6 * (i - 1))) & 0x3fU));
}

/// Knows the letters of all scripts, whatever locale the process has; none if the system lacks it.
locale_t letters() {
  static const locale_t locale = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return locale;
}

}  // namespace

std::string number_text(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
  if (number == 0) return "0";
  if (number < 0) return "-" + number_text(-number);
  ShortestDigits shortest = shortest_digits(number);
  const int point = shortest.exponent + 1;  // digits before the point
  const int count = static_cast<int>(shortest.digits.size());
  if (point > 21 || point < -5) return exponent_form(shortest);
  if (point <= 0) return "0." + std::string(static_cast<std::size_t>(-point), '0') + shortest.digits;
  if (point >= count) return shortest.digits + std::string(static_cast<std::size_t>(point - count), '0');
  return shortest.digits.insert(static_cast<std::size_t>(point), 1, '.');
}

std::string string_of(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return "null";
    case json::kind::bool_: return value.get_bool() ? "true" : "false";
    case json::kind::int64: return std::to_string(value.get_int64());
    case json::kind::uint64: return std::to_string(value.get_uint64());
    case json::kind::double_: return number_text(value.get_double());
    case json::kind::string: return std::string{value.get_string()};
    case json::kind::array: return joined_list(value.get_array());
    case json::kind::object: return "[object Object]";
  }
  return {};
}

double number_of(const json::value& value) {
  if (const auto number = as_number(value)) return *number;
  if (value.is_null()) return 0;
  if (value.is_bool()) return value.get_bool() ? 1 : 0;
  if (value.is_object()) return nan_number;
  return number_in_text(string_of(value));
}

bool are_identical(const json::value& a, const json::value& b) {
  if (const auto number = as_number(a)) return as_number(b) == number;
  if (a.is_structured()) return false;
  return a == b;
}

bool is_truthy(const json::value* value) {
  if (value == nullptr || value->is_null()) return false;
  if (const auto number = as_number(*value)) return *number != 0;
  if (const auto* truth = value->if_bool()) return *truth;
  const auto* text = value->if_string();
  return text == nullptr || !text->empty();
}

std::string_view trimmed(std::string_view text) {
  while (const std::size_t size = space_at_front(text)) text.remove_prefix(size);
  while (const std::size_t size = space_at_back(text)) text.remove_suffix(size);
  return text;
}

std::string lower_case(std::string_view text) {
  std::string lower;
  lower.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = std::max<std::size_t>(utf8_length(text), 1);
    if (size == 1) {
      const char c = text.front();
      lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    } else {
      const char32_t code = decoded(text.substr(0, size));
      append_utf8(lower, letters() == nullptr ? code : ::towlower_l(static_cast<wint_t>(code), letters()));
    }
    text.remove_prefix(size);
  }
  return lower;
}

std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t size = 0;
  for (; count > 0 && size < text.size(); --count) size += std::max<std::size_t>(utf8_length(text.substr(size)), 1);
  return text.substr(0, size);
}

std::string well_formed(std::string_view text) {
  std::string whole;
  while (const auto fault = find_malformed_utf8(text)) {
    whole += text.substr(0, *fault);
    whole += "\ufffd";
    text.remove_prefix(*fault + 1);
  }
  whole += text;
  return whole;
}

}  // namespace carillon::pipeline
