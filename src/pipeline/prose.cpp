#include "pipeline/prose.hpp"

#include "pipeline/javascript.hpp"
#include "pipeline/pattern.hpp"

#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

/// Where a guessed value ends.
constexpr std::string_view value_end = R"((?:\s+and\s+|\s*[,;]|\s*\n|\s*$))";
constexpr std::string_view sentence_end = R"((?:\s+and\s+|\s*[,;.]|\s*\n|\s*$))";

bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }

/// Digits with at most one point among or after them, perhaps with a minus.
bool is_plain_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || !is_decimal_digit(text.front())) return false;
  return std::ranges::all_of(text, [](char c) { return is_decimal_digit(c) || c == '.'; }) &&
         std::ranges::count(text, '.') <= 1;
}

json::value number_from(std::string_view text) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  if (std::trunc(number) == number && std::abs(number) < 9007199254740992.0)
    return json::value(static_cast<std::int64_t>(number));
  return json::value(number);
}

/// A name that stands for itself in a pattern.
std::string literal(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (std::string_view{"\\^$.|?*+()[]{}-/"}.find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text;
}

/// From the most to the least certain.
std::array<std::string, 5> patterns_for(std::string_view field) {
  const std::string name = literal(field);
  return {fmt::format(R"({}\s*[:=]\s*["']([^"']+)["'])", name),
          fmt::format(R"(\*\*{}\*\*\s*[:=]\s*([^\n,;]+?){})", name, value_end),
          fmt::format(R"({}\s*[:=]\s*([^\n,;]+?){})", name, value_end),
          fmt::format(R"({}\s+is\s+([^\n,;.]+?){})", name, sentence_end),
          fmt::format(R"({}\s*-\s*([^\n,;]+?){})", name, value_end)};
}

std::string without_markup(std::string_view value) {
  std::string clean{trimmed(value)};
  std::erase_if(clean, [](char c) { return c == '*' || c == '_' || c == '`'; });
  const auto is_quote = [](char c) { return c == '"' || c == '\''; };
  if (!clean.empty() && is_quote(clean.front())) clean.erase(0, 1);
  if (!clean.empty() && is_quote(clean.back())) clean.pop_back();
  return clean;
}

std::optional<json::value> guess(std::string_view answer, std::string_view field) {
  for (const std::string& text : patterns_for(field)) {
    const auto pattern = Pattern::compile(text, Pattern::Letters::either_case);
    if (!pattern) return std::nullopt;
    const auto found = pattern->first_group(answer);
    if (found && found->data() != nullptr) return converted(json::value(without_markup(*found)));
  }
  return std::nullopt;
}

}  // namespace

json::value converted(const json::value& value) {
  const auto* given = value.if_string();
  if (given == nullptr) return value;
  const std::string lower = lower_case(*given);
  const std::string_view text = trimmed(lower);
  if (text == "true" || text == "yes") return true;
  if (text == "false" || text == "no") return false;
  if (text.empty() || text == "null" || text == "none" || text == "n/a") return nullptr;
  return is_plain_number(text) ? number_from(text) : value;
}

std::optional<json::object> fields_in_prose(std::string_view answer, std::span<const std::string> fields) {
  json::object output;
  bool has_any = false;
  for (const std::string& field : fields) {
    auto value = guess(answer, field);
    has_any = has_any || value.has_value();
    output[field] = value ? *std::move(value) : json::value(nullptr);
  }
  if (!has_any) return std::nullopt;
  return output;
}

}  // namespace carillon::pipeline
