#include "definitions/schedule_filter.hpp"

#include "document/member_texts.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>

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

}  // namespace

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
  return (has_text(one.id) || has_text(one.name)) && (filter_.labels.empty() || has_labels(one.labels));
}

bool ScheduleMatcher::has_labels(std::string_view labels) const {
  std::array<unsigned char, 2048> buffer{};  // enough for usual ones
  boost::json::monotonic_resource memory{buffer.data(), buffer.size()};
  boost::json::error_code error;
  const boost::json::value tree = boost::json::parse(labels, error, &memory);
  if (error || !tree.is_object()) return false;
  return std::ranges::all_of(filter_.labels, [&](const LabelFilter& wanted) {
    const boost::json::value* value = tree.get_object().if_contains(wanted.key);
    return value != nullptr && (!wanted.value || (value->is_string() && value->get_string() == *wanted.value));
  });
}

bool ScheduleMatcher::has_text(std::string_view text) const {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return !std::ranges::search(text, filter_.text, {}, lower, lower).empty() || filter_.text.empty();
}

}  // namespace carillon
