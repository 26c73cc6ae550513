#include "definitions/schedule_filter.hpp"

#include "document/member_texts.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace carillon {
namespace {

/// Where in an action the programs that carillon replaces put the id of what a job starts.
constexpr std::string_view workflow_pointer = "/job/payload/workflowId";
constexpr std::size_t facts_depth_max = 1'000;

void add_action(const boost::json::value& action, ScheduleFacts& facts) {
  if (!action.is_object() || action.as_object().empty()) return;
  facts.action = action.as_object().begin()->key();
  boost::json::error_code error;
  if (const auto* workflow = action.find_pointer(workflow_pointer, error); workflow != nullptr)
    facts.workflow = boost::json::serialize(*workflow);
}

void add_fact(std::string_view key, const boost::json::value& value, ScheduleFacts& facts) {
  if (key == "name" && value.is_string()) facts.name = value.as_string();
  if (key == "labels" && value.is_object()) facts.labels = boost::json::serialize(value);
  if (key == "action") add_action(value, facts);
}

char lower_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool contains_without_case(std::string_view text, std::string_view part) {
  return part.empty() || !std::ranges::search(text, part, {}, lower_letter, lower_letter).empty();
}

bool equals_without_case(std::string_view text, std::string_view other) {
  return std::ranges::equal(text, other, {}, lower_letter, lower_letter);
}

/// `*` stands for any characters. Goes back only to the last star, so the time is bounded by the product of both sizes.
bool fits_pattern(std::string_view text, std::string_view pattern) {
  std::size_t at = 0;
  std::size_t place = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_at = 0;
  while (at < text.size()) {
    if (place < pattern.size() && pattern[place] == '*') {
      star = place++;
      star_at = at;
    } else if (place < pattern.size() && lower_letter(pattern[place]) == lower_letter(text[at])) {
      ++place;
      ++at;
    } else if (star != std::string_view::npos) {
      place = star + 1;
      at = ++star_at;
    } else {
      return false;
    }
  }
  return pattern.substr(place).find_first_not_of('*') == std::string_view::npos;
}

bool fits_any(std::string_view text, const FilterCondition& condition) {
  return std::ranges::any_of(condition.values, [&](const std::string& value) {
    switch (condition.match) {
      case FilterCondition::Match::equals: return equals_without_case(text, value);
      case FilterCondition::Match::contains: return contains_without_case(text, value);
      case FilterCondition::Match::pattern: return fits_pattern(text, value);
    }
    std::unreachable();
  });
}

/// Calls `visit` with the labels that a text has; not at all if they cannot be read.
template <typename Visit>
void with_labels(std::string_view labels, const Visit& visit) {
  std::array<unsigned char, 2048> buffer;  // enough for usual ones
  boost::json::monotonic_resource memory{buffer.data(), buffer.size()};
  boost::json::error_code error;
  const boost::json::value tree = boost::json::parse(labels, error, &memory);
  if (!error && tree.is_object()) visit(tree.get_object());
}

}  // namespace

bool has_conditions(const ScheduleFilter& filter) {
  return !filter.statuses.empty() || !filter.labels.empty() || !filter.action.empty() || !filter.text.empty() ||
         filter.next_before || !filter.workflow.empty() || !filter.conditions.empty();
}

bool asks_for_timezones(const ScheduleFilter& filter) {
  return std::ranges::any_of(filter.conditions, [](const FilterCondition& condition) {
    return condition.field == FilterCondition::Field::timezone;
  });
}

std::string_view timezone_of(std::string_view document) {
  const auto spec = find_member(document, "spec");
  const auto zone = spec ? find_member(*spec, "timezone") : std::nullopt;
  // No name of a zone has anything that JSON would escape.
  if (!zone || zone->size() < 2 || !zone->starts_with('"')) return {};
  return zone->substr(1, zone->size() - 2);
}

// Only the members that say something are read: spec and policies are most of a document.
ScheduleFacts facts_of(std::string_view document) {
  ScheduleFacts facts;
  const auto members = member_texts(document);
  if (!members) return facts;
  boost::json::parse_options options;
  options.max_depth = facts_depth_max;
  for (const auto& [key, text] : *members) {
    if (key != "name" && key != "labels" && key != "action") continue;
    std::array<unsigned char, 2048> buffer;  // enough for a usual one
    boost::json::monotonic_resource memory{buffer.data(), buffer.size()};
    boost::json::error_code error;
    const boost::json::value value = boost::json::parse(text, error, &memory, options);
    if (!error) add_fact(key, value, facts);
  }
  return facts;
}

ScheduleMatcher::ScheduleMatcher(const ScheduleFilter& filter)
    : filter_{filter}, workflow_text_{boost::json::serialize(boost::json::value(filter.workflow))} {}

bool ScheduleMatcher::matches(const ListedSchedule& one) const {
  if (filter_.name_space && one.name_space != *filter_.name_space) return false;
  if (!filter_.statuses.empty() && std::ranges::find(filter_.statuses, one.status) == filter_.statuses.end())
    return false;
  if (!filter_.action.empty() && one.action != filter_.action) return false;
  if (!filter_.workflow.empty() && one.workflow != filter_.workflow && one.workflow != workflow_text_) return false;
  if (!(has_text(one.id) || has_text(one.name)) || !(filter_.labels.empty() || has_labels(one.labels))) return false;
  return std::ranges::all_of(filter_.conditions, [&](const FilterCondition& condition) {
    return meets(one, condition) != condition.is_negated;
  });
}

bool ScheduleMatcher::meets(const ListedSchedule& one, const FilterCondition& condition) {
  using Field = FilterCondition::Field;
  switch (condition.field) {
    case Field::text: return fits_any(one.id, condition) || fits_any(one.name, condition);
    case Field::id: return fits_any(one.id, condition);
    case Field::name: return fits_any(one.name, condition);
    case Field::state: return fits_any(to_text(one.status), condition);
    case Field::kind: return fits_any(one.action, condition);
    case Field::timezone: return fits_any(one.timezone, condition);
    case Field::name_space: return fits_any(one.name_space, condition);
    case Field::label: break;
  }
  bool is_met = false;
  with_labels(one.labels, [&](const boost::json::object& labels) {
    const boost::json::value* value = labels.if_contains(condition.key);
    is_met = value != nullptr && (condition.values.empty() ||
                                  (value->is_string() && fits_any(std::string_view{value->get_string()}, condition)));
  });
  return is_met;
}

bool ScheduleMatcher::has_labels(std::string_view labels) const {
  bool has_all = false;
  with_labels(labels, [&](const boost::json::object& tree) {
    has_all = std::ranges::all_of(filter_.labels, [&](const LabelFilter& wanted) {
      const boost::json::value* value = tree.if_contains(wanted.key);
      return value != nullptr && (!wanted.value || (value->is_string() && value->get_string() == *wanted.value));
    });
  });
  return has_all;
}

bool ScheduleMatcher::has_text(std::string_view text) const { return contains_without_case(text, filter_.text); }

}  // namespace carillon
