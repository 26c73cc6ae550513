#pragma once

#include "base/instant.hpp"
#include "engine/definition.hpp"
#include "engine/schedule_state.hpp"
#include "engine/step.hpp"
#include "engine/transition.hpp"

#include <boost/container/small_vector.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// A start that waits: a row of the ledger, or a decision of this step.
struct WaitingStart {
  Seq seq{};  // zero: it is the decision at the index `decision`
  std::size_t decision = 0;
  Instant nominal;
  Instant due;
  Source source = Source::schedule;
  std::optional<OverlapPolicy> overlap{};
  bool is_held_back = false;
  std::int64_t backfill = 0;
};

/// A start that has waited, and starts with this step.
struct Released {
  std::size_t resolution = 0;
  Instant nominal;
  Source source = Source::schedule;
  std::int64_t backfill = 0;
};

/// Which starts may not be launched in this step, because the schedule is about to be paused or deleted.
enum class Hold { nobody, automatic, everybody };

/// One step while it is being decided. Made from a view, changed by the functions below in the order that an event
/// needs, ended by `conclude`. Private to the engine.
struct StepContext {
  const Definition& definition;
  const ScheduleView& view;
  Instant now;
  Transition out;
  boost::container::small_vector<WaitingStart, 2> waiting;  // first come, first served
  boost::container::small_vector<Released, 1> released;     // waited, and starts with this step
  std::size_t slot_holders = 0;                             // open runs that hold the slot, those of this step included
  std::size_t automatic_open = 0;                           // open automatic runs
  std::size_t open = 0;                                     // all open runs
  Hold hold = Hold::nobody;
  std::size_t decisions_max;             // one by one; without a bound before a user's change
  bool has_new_failure = false;          // of a run that it made itself
  bool has_new_failure_by_hand = false;  // of any other
  bool has_more = false;                 // something is left to be decided at once

  StepContext(const Definition& definition, const ScheduleView& view, Instant now, std::size_t decisions_max);

  [[nodiscard]] ScheduleState& state() { return out.next; }
  [[nodiscard]] const Policies& policies() const { return definition.policies; }
  /// Whether a start of this source may only be recorded, not launched.
  [[nodiscard]] bool is_held(Source source) const;
};

// counting.cpp

/// Counts the runs that have ended since the last step; they are no longer live after it.
void count_ended(StepContext& deciding);
/// Ends or pauses the schedule if its counts have reached a limit.
void apply_limits(StepContext& deciding);
/// Done or dead if the counts have reached a limit; else none.
[[nodiscard]] std::optional<ScheduleStatus> end_by_limits(const ScheduleState& state, const Policies& policies);
/// Whether no further automatic run may start under totalRepeats or maxStarts. `counted`: so many of the counted starts
/// are that run itself.
[[nodiscard]] bool is_exhausted(const StepContext& deciding, std::int64_t counted = 0);
/// Whether maxStarts allows no further automatic start.
[[nodiscard]] bool has_no_starts_left(const ScheduleState& state, const Policies& policies);
/// Counts a start.
void count_start(StepContext& deciding, Source source);
/// Takes back a start that was counted: it did not happen after all. `seq` is zero for one of this step.
void uncount_start(ScheduleState& state, Source source, Seq seq);
/// Whether a waiting start is among those that maxStarts has counted.
[[nodiscard]] bool is_counted_start(const ScheduleState& state, Source source, Seq seq);
/// Counts the starts for maxStarts from zero.
void restart_counting_starts(StepContext& deciding);
void count_skip(ScheduleState& state, SkipReason reason, std::int64_t count);
/// Counts one occurrence, trigger or backfilled occurrence that does not start after all.
void count_one_skip(ScheduleState& state, SkipReason reason, Source source, Instant nominal);

// admitting.cpp

/// Decides one start by its overlap policy and adds its row. `decision` has everything but the verdict.
void admit(StepContext& deciding, Decision decision, OverlapPolicy policy);
/// Adds the row of a start that is skipped.
void skip(StepContext& deciding, Decision decision, SkipReason reason);
/// Adds the row of a start that does not depend on other runs.
void start(StepContext& deciding, Decision decision);
/// Asks every open run that holds the slot to stop, unless it was asked before.
void stop_others(StepContext& deciding, RunOrder::Kind kind);
/// Skips every waiting start for which `chosen` is true.
void skip_waiting(StepContext& deciding, SkipReason reason, const std::function<bool(const WaitingStart&)>& chosen);

// releasing.cpp

/// Starts waiting starts as far as the slot allows.
void release_waiting(StepContext& deciding);
[[nodiscard]] Starts starts_now(const StepContext& deciding);

// generating.cpp

/// Decides every occurrence that is due.
void decide_due(StepContext& deciding);
/// Skips the occurrences after the cursor up to and including `last`.
void skip_through(StepContext& deciding, Instant last, SkipReason reason, Source source = Source::schedule);
/// Moves the cursor over occurrences that were due before `now` without deciding them: the schedule was disabled or
/// ended then, or had another definition.
void pass_over_due(StepContext& deciding, const Definition& definition);

// pausing.cpp

/// Counts ended runs, applies limits, releases waiting starts, decides what is due and continues backfills, as far as
/// the status allows. Every event begins with it. A pause that is over ends here.
void bring_up_to_date(StepContext& deciding, Hold hold = Hold::nobody);
/// The same without backfills.
void bring_automatic_up_to_date(StepContext& deciding, Hold hold = Hold::nobody);
/// Decides what came due during the pause. To be called before the definition or the pause changes.
void settle_pause(StepContext& deciding);
/// Withdraws queued automatic runs, and waiting ones too unless `missed` says that they are kept.
void hold_automatic(StepContext& deciding, PauseMissed missed);
void pause(StepContext& deciding, const std::string& by, const std::string& reason, std::optional<Instant> until);
void resume(StepContext& deciding, const std::string& by, Instant since, const std::string& reason = {});
void add_change(StepContext& deciding, ChangeKind kind, const std::string& by);
/// Says why, at the newest change. A reason that is not empty becomes the schedule's note.
void add_reason(StepContext& deciding, const std::string& reason);

// backfilling.cpp

/// Starts as many backfilled occurrences as the concurrency of each backfill allows.
void advance_backfills(StepContext& deciding);
/// Whether a backfill is running, after the changes of this step.
[[nodiscard]] bool has_running_backfill(const StepContext& deciding);
/// The open backfill with this id, to be changed; null if there is none.
[[nodiscard]] Backfill* find_backfill(StepContext& deciding, std::string_view id);
/// All open backfills, to be changed.
[[nodiscard]] std::vector<Backfill*> open_backfills(StepContext& deciding);
/// How many occurrences a backfill still has to do.
[[nodiscard]] std::int64_t left_of(const Definition& definition, const Backfill& backfill);

// concluding.cpp

/// Ends the step: sets the wake time and whether the schedule listens. `definition` is the one in force from now on.
void conclude(StepContext& deciding, const Definition& definition);

// What each event does; one file each.
Result<> on(StepContext& deciding, const BecameDue& event);
Result<> on(StepContext& deciding, const Created& event);
Result<> on(StepContext& deciding, const Edited& event);
Result<> on(StepContext& deciding, const Paused& event);
Result<> on(StepContext& deciding, const Resumed& event);
Result<> on(StepContext& deciding, const Enabled& event);
Result<> on(StepContext& deciding, const Disabled& event);
Result<> on(StepContext& deciding, const Deleted& event);
Result<> on(StepContext& deciding, const Reset& event);
Result<> on(StepContext& deciding, const Triggered& event);
Result<> on(StepContext& deciding, const BackfillRequested& event);
Result<> on(StepContext& deciding, const BackfillChanged& event);
Result<> on(StepContext& deciding, const CancelRequested& event);
Result<> on(StepContext& deciding, const ClockSetBack& event);
Result<> on(StepContext& deciding, const ZoneRulesChanged& event);

}  // namespace carillon
