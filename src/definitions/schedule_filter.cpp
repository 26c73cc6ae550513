#include "definitions/schedule_filter.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>

namespace carillon {
namespace {

/// Where the programs that carillon replaces put the id of what a job starts.
constexpr std::string_view workflow_pointer = "/action/job/payload/workflowId";
constexpr std::size_t facts_depth_max = 1'000;

}  // namespace

ScheduleFacts facts_of(std::string_view document) {
  std::array<unsigned char, 4096> buffer{};  // enough for a usual document
  boost::json::monotonic_resource memory{buffer.data(), buffer.size()};
  boost::json::parse_options options;
  options.max_depth = facts_depth_max;
  boost::json::error_code error;
  const boost::json::value tree = boost::json::parse(document, error, &memory, options);
  ScheduleFacts facts;
  if (error || !tree.is_object()) return facts;
  if (const auto* name = tree.as_object().if_contains("name"); name != nullptr && name->is_string())
    facts.name = name->as_string();
  if (const auto* labels = tree.as_object().if_contains("labels"); labels != nullptr && labels->is_object())
    facts.labels = boost::json::serialize(*labels);
  const auto* action = tree.as_object().if_contains("action");
  if (action == nullptr || !action->is_object() || action->as_object().empty()) return facts;
  facts.action = action->as_object().begin()->key();
  if (const auto* workflow = tree.find_pointer(workflow_pointer, error); workflow != nullptr)
    facts.workflow = boost::json::serialize(*workflow);
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
