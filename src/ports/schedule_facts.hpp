#pragma once

#include "definitions/words.hpp"
#include "ports/query_store.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace carillon {

/// What lists are filtered by, of a document as it stands in a store, so that no list need read documents.
struct ScheduleFacts {
  std::string name;
  std::string action;        // `command`, `http`, …
  std::string labels{"{}"};  // an object of texts, JSON
  std::string workflow;      // JSON; empty: none
};

/// A document that cannot be read has none: a list must not fail for it.
[[nodiscard]] inline ScheduleFacts facts_of(std::string_view document) {
  namespace json = boost::json;
  std::array<unsigned char, 4096> buffer{};  // enough for a usual document
  json::monotonic_resource memory{buffer.data(), buffer.size()};
  json::parse_options options;
  options.max_depth = 1'000;
  json::error_code error;
  const json::value tree = json::parse(document, error, &memory, options);
  ScheduleFacts facts;
  if (error || !tree.is_object()) return facts;
  if (const auto* name = tree.as_object().if_contains("name"); name != nullptr && name->is_string())
    facts.name = name->as_string();
  if (const auto* labels = tree.as_object().if_contains("labels"); labels != nullptr && labels->is_object())
    facts.labels = json::serialize(*labels);
  const auto* action = tree.as_object().if_contains("action");
  if (action == nullptr || !action->is_object() || action->as_object().empty()) return facts;
  facts.action = action->as_object().begin()->key();
  if (const auto* workflow = tree.find_pointer("/action/job/payload/workflowId", error); workflow != nullptr)
    facts.workflow = json::serialize(*workflow);
  return facts;
}

/// A schedule as a list meets it.
struct ListedSchedule {
  std::string_view name_space;
  std::string_view id;
  ScheduleStatus status = ScheduleStatus::active;
  std::string_view name;
  std::string_view action;
  std::string_view labels;
  std::string_view workflow;
};

/// A filter made ready for many schedules. When they wake is for the store to compare.
class ScheduleSieve {
 public:
  explicit ScheduleSieve(const ScheduleFilter& filter)
      : filter_{filter}, workflow_text_{boost::json::serialize(boost::json::value(filter.workflow))} {}

  [[nodiscard]] bool passes(const ListedSchedule& one) const {
    if (filter_.name_space && one.name_space != *filter_.name_space) return false;
    if (!filter_.statuses.empty() && std::ranges::find(filter_.statuses, one.status) == filter_.statuses.end())
      return false;
    if (!filter_.action.empty() && one.action != filter_.action) return false;
    if (!filter_.workflow.empty() && one.workflow != filter_.workflow && one.workflow != workflow_text_) return false;
    return (contains(one.id) || contains(one.name)) && (filter_.labels.empty() || has_labels(one.labels));
  }

 private:
  [[nodiscard]] bool has_labels(std::string_view labels) const {
    namespace json = boost::json;
    std::array<unsigned char, 2048> buffer{};  // enough for usual ones
    json::monotonic_resource memory{buffer.data(), buffer.size()};
    json::error_code error;
    const json::value tree = json::parse(labels, error, &memory);
    if (error || !tree.is_object()) return false;
    return std::ranges::all_of(filter_.labels, [&](const LabelFilter& wanted) {
      const json::value* value = tree.get_object().if_contains(wanted.key);
      return value != nullptr && (!wanted.value || (value->is_string() && value->get_string() == *wanted.value));
    });
  }

  [[nodiscard]] bool contains(std::string_view text) const {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return !std::ranges::search(text, filter_.text, {}, lower, lower).empty() || filter_.text.empty();
  }

  const ScheduleFilter& filter_;
  std::string workflow_text_;  // as JSON
};

}  // namespace carillon
