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

/// One condition of a search: one of its values must fit, or with `is_negated` none.
struct FilterCondition {
  enum class Field { text, id, name, state, kind, label, timezone, name_space };  // text: id or name
  enum class Match { equals, contains, pattern };  // pattern: `*` stands for any characters

  Field field = Field::text;
  Match match = Match::contains;
  std::string key{};                  // of a label
  std::vector<std::string> values{};  // empty, of a label: it has any value
  bool is_negated = false;
};

/// Which schedules; what is left out does not matter.
struct ScheduleFilter {
  std::optional<std::string> name_space{};
  std::vector<ScheduleStatus> statuses{};  // any of them
  std::vector<LabelFilter> labels{};       // all of them
  std::string action{};                    // `command`, `http`, `job`, `pipeline`
  std::string text{};                      // in id or name, without case
  std::optional<Instant> next_before{};
  std::string workflow{};                     // the workflowId in a job's payload: a number as it is written, or a text
  std::vector<FilterCondition> conditions{};  // all of them; upper and lower case are the same
};

/// Whether it asks for more than the schedules of a namespace, or of all.
[[nodiscard]] bool has_conditions(const ScheduleFilter& filter);
/// Whether it asks for time zones, which are not among the facts: a store reads them from documents.
[[nodiscard]] bool asks_for_timezones(const ScheduleFilter& filter);

/// What lists are filtered by, of a document as it stands in a store, so that no list need read documents.
struct ScheduleFacts {
  std::string name;
  std::string action;        // `command`, `http`, …
  std::string labels{"{}"};  // an object of texts, JSON
  std::string workflow;      // the member `workflowId` of a job's payload, JSON; empty: none
};

/// A document that cannot be read has none: a list must not fail for it.
[[nodiscard]] ScheduleFacts facts_of(std::string_view document);
/// The time zone of a document as it stands in a store; empty if it cannot be read.
[[nodiscard]] std::string_view timezone_of(std::string_view document);

/// A schedule as a list meets it.
struct ListedSchedule {
  std::string_view name_space{};
  std::string_view id{};
  ScheduleStatus status = ScheduleStatus::active;
  std::string_view name{};
  std::string_view action{};
  std::string_view labels{};
  std::string_view workflow{};
  std::string_view timezone{};  // only if the filter asks for it
};

/// A filter made ready for many schedules. When they wake is for the store to compare. The filter outlives it.
class ScheduleMatcher {
 public:
  explicit ScheduleMatcher(const ScheduleFilter& filter);

  [[nodiscard]] bool matches(const ListedSchedule& one) const;

 private:
  [[nodiscard]] bool has_labels(std::string_view labels) const;
  [[nodiscard]] bool has_text(std::string_view text) const;
  [[nodiscard]] static bool meets(const ListedSchedule& one, const FilterCondition& condition);

  const ScheduleFilter& filter_;
  std::string workflow_text_;  // as JSON
};

}  // namespace carillon
