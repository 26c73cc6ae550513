#include "crontab/crontab_variable.hpp"

namespace carillon {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

void skip_space(std::string_view& rest) {
  while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
}

/// The text in quotes at the front, if its end is there.
std::optional<std::string_view> take_quoted(std::string_view& rest) {
  const std::size_t end = rest.find(rest.front(), 1);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view inside = rest.substr(1, end - 1);
  rest.remove_prefix(end + 1);
  return inside;
}

bool is_quote(char c) { return c == '\'' || c == '"'; }

std::optional<std::string_view> take_name(std::string_view& rest) {
  if (rest.empty()) return std::nullopt;
  if (is_quote(rest.front())) {
    const auto name = take_quoted(rest);
    return name && !name->contains('=') ? name : std::nullopt;
  }
  std::size_t length = 0;
  while (length < rest.size() && rest[length] != '=' && !is_space(rest[length])) ++length;
  const std::string_view name = rest.substr(0, length);
  rest.remove_prefix(length);
  return name;
}

std::optional<std::string_view> take_value(std::string_view& rest) {
  if (!rest.empty() && is_quote(rest.front())) {
    const auto value = take_quoted(rest);
    skip_space(rest);
    return rest.empty() ? value : std::nullopt;
  }
  while (!rest.empty() && is_space(rest.back())) rest.remove_suffix(1);
  return rest;
}

}  // namespace

std::optional<CrontabVariable> parse_crontab_variable(std::string_view line) {
  std::string_view rest = line;
  skip_space(rest);
  const auto name = take_name(rest);
  if (!name || name->empty()) return std::nullopt;
  skip_space(rest);
  if (!rest.starts_with('=')) return std::nullopt;
  rest.remove_prefix(1);
  skip_space(rest);
  const auto value = take_value(rest);
  if (!value) return std::nullopt;
  return CrontabVariable{.name = std::string{*name}, .value = std::string{*value}};
}

}  // namespace carillon
