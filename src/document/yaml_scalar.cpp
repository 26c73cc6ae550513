#include "document/yaml_scalar.hpp"

#include "base/quoted.hpp"

#include <boost/json/string.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <system_error>

namespace carillon {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 5> null_words{"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 3> true_words{"true", "True", "TRUE"};
constexpr std::array<std::string_view, 3> false_words{"false", "False", "FALSE"};
constexpr std::array<std::string_view, 3> infinity_words{".inf", ".Inf", ".INF"};
constexpr std::array<std::string_view, 3> not_a_number_words{".nan", ".NaN", ".NAN"};

bool is_one_of(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view without_sign(std::string_view text) {
  return text.substr(!text.empty() && (text.front() == '+' || text.front() == '-') ? 1 : 0);
}

std::string_view without_plus(std::string_view text) { return text.substr(text.starts_with('+') ? 1 : 0); }

/// Removes the digits at the front and tells how many there were.
std::size_t skip_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  const auto count = static_cast<std::size_t>(end - text.begin());
  text.remove_prefix(count);
  return count;
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`: integers too.
bool is_decimal(std::string_view text) {
  text = without_sign(text);
  std::size_t digit_count = skip_digits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digit_count += skip_digits(text);
  }
  if (digit_count == 0) return false;
  if (text.starts_with('e') || text.starts_with('E')) {
    text = without_sign(text.substr(1));
    if (skip_digits(text) == 0) return false;
  }
  return text.empty();
}

/// All of the text as a number, if it is one and fits.
template <typename Number, typename... Base>
std::optional<Number> number_from(std::string_view text, Base... base) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base...);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::unexpected<Error> beyond_double(std::string_view text) {
  return fail(ErrorCode::invalid_argument, "the number {} does not fit a double", quoted(text));
}

Result<json::value> decimal(std::string_view text) {
  const std::string_view number_text = without_plus(text);
  if (const auto number = number_from<std::int64_t>(number_text, 10)) return json::value(*number);
  if (const auto number = number_from<std::uint64_t>(number_text, 10)) return json::value(*number);
  if (const auto number = number_from<double>(number_text)) return json::value(*number);
  return beyond_double(text);
}

Result<json::value> in_base(std::string_view text, int base) {
  const std::string_view digits = text.substr(2);
  if (const auto number = number_from<std::uint64_t>(digits, base)) {
    return *number <= INT64_MAX ? json::value(static_cast<std::int64_t>(*number)) : json::value(*number);
  }
  const bool is_number = !digits.empty() && std::ranges::all_of(digits, [base](char c) {
    return base == 8 ? (c >= '0' && c <= '7') : std::string_view{"0123456789abcdefABCDEF"}.contains(c);
  });
  if (is_number) return fail(ErrorCode::invalid_argument, "the number {} does not fit 64 bits", quoted(text));
  return json::value(json::string(text));
}

}  // namespace

Result<json::value> plain_scalar(std::string_view text) {
  if (is_one_of(text, null_words)) return json::value(nullptr);
  if (is_one_of(text, true_words)) return json::value(true);
  if (is_one_of(text, false_words)) return json::value(false);
  if (is_decimal(text)) return decimal(text);
  if (text.starts_with("0x")) return in_base(text, 16);
  if (text.starts_with("0o")) return in_base(text, 8);
  if (is_one_of(without_sign(text), infinity_words) || is_one_of(text, not_a_number_words))
    return fail(ErrorCode::invalid_argument, "{} is not a finite number", quoted(text));
  return json::value(json::string(text));
}

}  // namespace carillon
