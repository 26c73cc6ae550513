#include "pipeline/answer.hpp"
#include "pipeline/javascript.hpp"
#include "pipeline/json_text.hpp"

#include <boost/json/object.hpp>

#include <array>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

constexpr std::string_view fence = "```";
constexpr std::array<std::string_view, 4> fence_languages{"json", "javascript", "js", ""};

struct Brackets {
  char open;
  char close;
};
constexpr Brackets braces{'{', '}'};
constexpr Brackets square_brackets{'[', ']'};

/// The text of the first fence of a language, if it looks like JSON.
std::optional<std::string> fenced_json(std::string_view answer, std::string_view language) {
  const std::string opening = std::string{fence} + std::string{language};
  const std::size_t begin = answer.find(opening);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t end = answer.find(fence, begin + opening.size());
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view inside = trimmed(answer.substr(begin + opening.size(), end - begin - opening.size()));
  if (!inside.starts_with('{') && !inside.starts_with('[')) return std::nullopt;
  return std::string{inside};
}

bool is_balanced(std::string_view text, Brackets brackets) {
  std::ptrdiff_t depth = 0;
  for (const char c : text) {
    depth += c == brackets.open ? 1 : c == brackets.close ? -1 : 0;
    if (depth < 0) return false;
  }
  return depth == 0;
}

/// The outermost spans from an opening bracket to the one that closes it. Brackets inside of texts count too.
std::vector<std::string_view> outermost_spans(std::string_view text, Brackets brackets) {
  std::vector<std::string_view> spans;
  std::ptrdiff_t depth = 0;
  std::size_t start = std::string_view::npos;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == brackets.open) {
      if (depth == 0) start = i;
      ++depth;
    } else if (text[i] == brackets.close) {
      --depth;
      if (depth != 0 || start == std::string_view::npos) continue;
      spans.push_back(text.substr(start, i - start + 1));
      start = std::string_view::npos;
    }
  }
  return spans;
}

bool is_json(std::string_view text) { return parse_answer_json(text).has_value(); }

/// From the first opening to the last closing bracket if that is JSON; else the last span that is; else, for a repair,
/// what stands between the brackets if they balance.
std::optional<std::string> bracketed_json(std::string_view answer, Brackets brackets) {
  const std::size_t begin = answer.find(brackets.open);
  const std::size_t end = answer.rfind(brackets.close);
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return std::nullopt;
  const std::string_view whole = answer.substr(begin, end - begin + 1);
  if (is_json(whole)) return std::string{whole};
  const auto spans = outermost_spans(answer, brackets);
  for (auto span = spans.rbegin(); span != spans.rend(); ++span)
    if (is_json(*span)) return std::string{*span};
  const bool looks_like_json = brackets.open == '[' || whole.find(':') != std::string_view::npos;
  if (is_balanced(whole, brackets) && looks_like_json) return std::string{whole};
  return std::nullopt;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_letter_or_digit(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

struct NamedValue {
  std::string_view name;
  std::string_view value;
};

std::string_view without_quotes(std::string_view value) {
  const bool is_quoted =
      (value.starts_with('"') && value.ends_with('"')) || (value.starts_with('\'') && value.ends_with('\''));
  if (!is_quoted) return value;
  return value.size() < 2 ? std::string_view{} : value.substr(1, value.size() - 2);
}

/// A line `name: value`, `name = value` or `name - value`.
std::optional<NamedValue> named_value(std::string_view line) {
  line = trimmed(line);
  if (line.empty() || !is_letter(line.front()) || line.find('\r') != std::string_view::npos) return std::nullopt;
  std::size_t end = 0;
  while (end < line.size() && is_letter_or_digit(line[end])) ++end;
  std::string_view rest = trimmed(line.substr(end));
  if (rest.empty() || std::string_view{":=-"}.find(rest.front()) == std::string_view::npos) return std::nullopt;
  rest = trimmed(rest.substr(1));
  if (rest.empty()) return std::nullopt;
  if (rest.ends_with(',') || rest.ends_with(';')) rest.remove_suffix(1);
  return NamedValue{.name = line.substr(0, end), .value = without_quotes(rest)};
}

std::optional<std::string> json_of_lines(std::string_view answer) {
  json::object values;
  for (std::size_t begin = 0; begin <= answer.size();) {
    const std::size_t end = std::min(answer.find('\n', begin), answer.size());
    if (const auto named = named_value(answer.substr(begin, end - begin))) values[named->name] = named->value;
    begin = end + 1;
  }
  if (values.empty()) return std::nullopt;
  return compact(values);
}

}  // namespace

std::optional<std::string> json_in_answer(std::string_view answer) {
  answer = trimmed(answer);
  for (const std::string_view language : fence_languages)
    if (auto found = fenced_json(answer, language)) return found;

  const std::size_t first_brace = answer.find('{');
  const std::size_t first_bracket = answer.find('[');
  const bool is_list_first = first_bracket < first_brace;
  for (const Brackets brackets : {is_list_first ? square_brackets : braces, is_list_first ? braces : square_brackets})
    if (auto found = bracketed_json(answer, brackets)) return found;
  return json_of_lines(answer);
}

}  // namespace carillon::pipeline
