#pragma once

#include "base/instant.hpp"
#include "definitions/words.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// A label that a schedule must have.
struct LabelFilter {
  std::string key;
  std::optional<std::string> value{};  // none: any
};

/// Which schedules; what is left out does not matter.
struct ScheduleFilter {
  std::optional<std::string> name_space{};
  std::vector<ScheduleStatus> statuses{};  // any of them
  std::vector<LabelFilter> labels{};       // all of them
  std::string action{};                    // `command`, `http`, `job`, `pipeline`
  std::string text{};                      // in id or name, without case
  std::optional<Instant> next_before{};
  std::string workflow{};  // the workflowId in a job's payload: a number as it is written, or a text
};

/// What lists are filtered by, of a document as it stands in a store, so that no list need read documents.
struct ScheduleFacts {
  std::string name;
  std::string action;        // `command`, `http`, …
  std::string labels{"{}"};  // an object of texts, JSON
  std::string workflow;      // the member `workflowId` of a job's payload, JSON; empty: none
};

/// A document that cannot be read has none: a list must not fail for it.
[[nodiscard]] ScheduleFacts facts_of(std::string_view document);

/// A schedule as a list meets it.
struct ListedSchedule {
  std::string_view name_space{};
  std::string_view id{};
  ScheduleStatus status = ScheduleStatus::active;
  std::string_view name{};
  std::string_view action{};
  std::string_view labels{};
  std::string_view workflow{};
};

/// A filter made ready for many schedules. When they wake is for the store to compare. The filter outlives it.
class ScheduleMatcher {
 public:
  explicit ScheduleMatcher(const ScheduleFilter& filter);

  [[nodiscard]] bool matches(const ListedSchedule& one) const;

 private:
  [[nodiscard]] bool has_labels(std::string_view labels) const;
  [[nodiscard]] bool has_text(std::string_view text) const;

  const ScheduleFilter& filter_;
  std::string workflow_text_;  // as JSON
};

}  // namespace carillon
