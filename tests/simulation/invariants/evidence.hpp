#pragma once

#include "engine/schedule_state.hpp"
#include "simulation/passing_store.hpp"
#include "simulation/plan.hpp"
#include "simulation/records.hpp"
#include "simulation/story.hpp"
#include "simulation/violation.hpp"
#include "simulation/world.hpp"

#include <optional>
#include <vector>

namespace carillon::simulation {

/// All that is known when a world is judged.
struct Evidence {
  const Plan& plan;
  World& world;
  const Story& story;
  const Records& records;
  Ports store;
  bool is_final = false;  // the world is healed and has had its time

  [[nodiscard]] bool has_zone_change() const;
};

// Each looks at one promise of the contract and says how many facts it has looked at. None of them calls the engine's
// deciding code: occurrences come from timetables, everything else from the ledger, the witness and the history.

void check_completeness(const Evidence& evidence, Findings& findings);   // I1, I2, I5, I16
void check_launches(const Evidence& evidence, Findings& findings);       // I3, I4, I6
void check_user_commands(const Evidence& evidence, Findings& findings);  // I7
void check_overlap(const Evidence& evidence, Findings& findings);        // I9
void check_waiting(const Evidence& evidence, Findings& findings);        // I9
void check_pauses(const Evidence& evidence, Findings& findings);         // I10
void check_catching_up(const Evidence& evidence, Findings& findings);    // I11
void check_start_limits(const Evidence& evidence, Findings& findings);   // I11
void check_reasons(const Evidence& evidence, Findings& findings);        // I11, I21
void check_backfills(const Evidence& evidence, Findings& findings);      // I12
void check_attempts(const Evidence& evidence, Findings& findings);       // I13
void check_counters(const Evidence& evidence, Findings& findings);       // I21

/// All of them.
void check_all(const Evidence& evidence, Findings& findings);

// What several of them ask.

/// From one write of the store to another: open at `from`, no longer at `to`.
struct StepSpan {
  std::int64_t from = 0;
  std::int64_t to = INT64_MAX;
  [[nodiscard]] bool contains(std::int64_t step) const { return from <= step && step < to; }
};
/// When a decision had an open run: it may have been held back and released again.
[[nodiscard]] std::vector<StepSpan> open_spans(const DecisionStory& decision);
/// When it waited.
[[nodiscard]] std::vector<StepSpan> waiting_spans(const DecisionStory& decision);
/// The life whose tombstone this one has taken up.
[[nodiscard]] const Life* predecessor(const Evidence& evidence, const Life& life);

}  // namespace carillon::simulation
