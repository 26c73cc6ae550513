#pragma once

#include "ports/catalogue.hpp"
#include "service/run_ids.hpp"

#include <optional>
#include <string>

namespace carillon {

/// A run, or a decision that did not lead to one, with all that people are told of it.
struct RunAnswer {
  RunRecordRow record;
  std::string id;                      // `r-…`
  std::string name;                    // `<schedule id>@…`
  std::string error;                   // of its newest attempt that failed
  std::optional<Duration> late{};      // first launch after due
  std::optional<Duration> duration{};  // first launch to end
  std::string why;                     // one sentence

  [[nodiscard]] bool has_run() const { return record.outcome == DecisionOutcome::started; }
};

[[nodiscard]] RunAnswer run_answer(RunRecordRow record, const RunIds& ids);

/// What a skip reason means, as part of a sentence: "a run of the schedule was active and overlap is `skip`".
[[nodiscard]] std::string_view meaning_of(SkipReason reason);

}  // namespace carillon
