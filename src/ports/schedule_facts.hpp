#pragma once

#include "engine/words.hpp"
#include "ports/catalogue.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

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
  explicit ScheduleSieve(const ScheduleFilter& filter) : filter_{filter} {
    for (const auto& [key, value] : filter.labels) labels_.push_back(pattern_of(key, value));
  }

  [[nodiscard]] bool passes(const ListedSchedule& one) const {
    if (filter_.name_space && one.name_space != *filter_.name_space) return false;
    if (!filter_.statuses.empty() && std::ranges::find(filter_.statuses, one.status) == filter_.statuses.end())
      return false;
    if (!filter_.action.empty() && one.action != filter_.action) return false;
    if (!filter_.workflow.empty() && one.workflow != filter_.workflow) return false;
    const auto has = [&](const std::string& label) { return one.labels.find(label) != std::string_view::npos; };
    return std::ranges::all_of(labels_, has) && (contains(one.id) || contains(one.name));
  }

 private:
  /// The label as it stands in JSON without spaces. Quotes inside of texts are escaped, so that nothing else can look
  /// like it.
  static std::string pattern_of(const std::string& key, const std::string& value) {
    std::string pattern = boost::json::serialize(boost::json::value(key)) + ":";
    if (!value.empty()) pattern += boost::json::serialize(boost::json::value(value));
    return pattern;
  }

  [[nodiscard]] bool contains(std::string_view text) const {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return !std::ranges::search(text, filter_.text, {}, lower, lower).empty() || filter_.text.empty();
  }

  const ScheduleFilter& filter_;
  std::vector<std::string> labels_;
};

}  // namespace carillon
