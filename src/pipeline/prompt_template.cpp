#include "pipeline/prompt_template.hpp"

#include "pipeline/javascript.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace carillon::pipeline {
namespace {

constexpr std::array<std::string_view, 6> special_names{"ITEMS", "RESULTS",       "RESULTS_FILE",
                                                        "COUNT", "SUCCESS_COUNT", "FAILURE_COUNT"};

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// A placeholder in a text: where it begins, and its name.
struct Placeholder {
  std::size_t begin;
  std::string_view name;
  [[nodiscard]] std::size_t end() const { return begin + name.size() + 4; }
};

/// In `{{{a}}` the placeholder begins at the second brace.
std::optional<Placeholder> next_placeholder(std::string_view text, std::size_t from) {
  for (std::size_t begin = text.find("{{", from); begin != std::string_view::npos; begin = text.find("{{", begin + 1)) {
    std::size_t end = begin + 2;
    while (end < text.size() && is_word_character(text[end])) ++end;
    if (end > begin + 2 && text.substr(end, 2) == "}}")
      return Placeholder{.begin = begin, .name = text.substr(begin + 2, end - begin - 2)};
  }
  return std::nullopt;
}

}  // namespace

std::string fill(std::string_view text, const Lookup& lookup, Unknown unknown) {
  std::string filled;
  std::size_t done = 0;
  while (const auto place = next_placeholder(text, done)) {
    filled += text.substr(done, place->begin - done);
    done = place->end();
    if (const auto value = lookup(place->name)) {
      filled += *value;
    } else if (unknown == Unknown::stays) {
      filled += text.substr(place->begin, done - place->begin);
    }
  }
  filled += text.substr(done);
  return filled;
}

std::vector<std::string> placeholders(std::string_view text) {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  std::size_t done = 0;
  while (const auto place = next_placeholder(text, done)) {
    done = place->end();
    if (seen.insert(place->name).second) names.emplace_back(place->name);
  }
  return names;
}

bool is_special(std::string_view name) { return std::ranges::find(special_names, name) != special_names.end(); }

std::string prompt_text(const boost::json::value& value) {
  if (value.is_null()) return {};
  return value.is_structured() ? compact(value) : string_of(value);
}

}  // namespace carillon::pipeline
