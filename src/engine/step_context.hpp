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

/// A start that waits: a row of the ledger, or a decision of this very step.
struct WaitingStart {
  Seq seq{};  // zero: `decision` has it
  std::size_t decision = 0;
  Instant nominal;
  Instant due;
  Source source = Source::schedule;
  std::optional<OverlapPolicy> overlap{};
  bool is_held_back = false;
};

/// A start that has waited and is let go.
struct Released {
  std::size_t resolution = 0;
  Instant nominal;
  Source source = Source::schedule;
};

/// Whom nothing may be launched for in this step: it is about to be paused or deleted.
enum class Hold { nobody, automatic, everybody };

/// One step in the making. Built from what the store handed out, changed by the functions below in the order an event
/// asks for, ended by `conclude`. Private to the engine.
struct StepContext {
  const Definition& definition;
  const ScheduleView& view;
  Instant now;
  Transition out;
  boost::container::small_vector<WaitingStart, 2> waiting;  // first come, first served
  boost::container::small_vector<Released, 1> released;     // waited, and starts with this step
  std::size_t slot_holders = 0;                             // open runs that hold the slot, those of this step included
  std::size_t automatic_open = 0;                           // open automatic runs
  Hold hold = Hold::nobody;
  std::size_t decisions_max;  // one by one; what a user changes must be up to date, whatever it costs
  bool has_new_failure = false;
  bool has_more = false;  // something is left to be decided at once

  StepContext(const Definition& definition, const ScheduleView& view, Instant now, std::size_t decisions_max);

  [[nodiscard]] ScheduleState& state() { return out.next; }
  [[nodiscard]] const Policies& policies() const { return definition.policies; }
  /// Whether a start of this source may only be noted, not launched.
  [[nodiscard]] bool is_held(Source source) const;
};

// counting.cpp

/// Counts the runs that have ended since the last step and lets go of them.
void count_ended(StepContext& deciding);
/// Ends or pauses the schedule if what was counted says so.
void apply_limits(StepContext& deciding);
/// Done or dead, if what was counted says so.
[[nodiscard]] std::optional<ScheduleStatus> end_by_limits(const ScheduleState& state, const Policies& policies);
/// Whether no further automatic run may start under totalRepeats.
[[nodiscard]] bool is_exhausted(const StepContext& deciding);
void count_skip(ScheduleState& state, SkipReason reason, std::int64_t count);
/// Counts one occurrence, trigger or backfilled occurrence that does not start after all.
void count_one_skip(ScheduleState& state, SkipReason reason, Source source, Instant nominal);

// admitting.cpp

/// Decides one start by its overlap policy and adds its row. `decision` has everything but the verdict.
void admit(StepContext& deciding, Decision decision, OverlapPolicy policy);
/// Adds the row of one that does not start.
void skip(StepContext& deciding, Decision decision, SkipReason reason);
/// Adds the row of one that starts whatever else runs.
void start(StepContext& deciding, Decision decision);
/// Asks every open run that holds the slot to stop, unless that has been done.
void stop_others(StepContext& deciding, RunOrder::Kind kind);
/// Gives up every waiting start for which `chosen` is true.
void skip_waiting(StepContext& deciding, SkipReason reason, const std::function<bool(const WaitingStart&)>& chosen);

// releasing.cpp

/// Starts what waits, as far as the slot allows.
void release_waiting(StepContext& deciding);
[[nodiscard]] Starts starts_now(const StepContext& deciding);

// generating.cpp

/// Decides every occurrence that is due.
void decide_due(StepContext& deciding);
/// Skips the occurrences after the cursor up to and including `last`.
void skip_through(StepContext& deciding, Instant last, SkipReason reason, Source source = Source::schedule);
/// Moves the cursor over what was due before `now`, without deciding it: it is not ours.
void pass_over_due(StepContext& deciding, const Definition& definition);

// pausing.cpp

/// Counts, limits, releases, decides and goes on with backfills, as far as the status allows: where every event begins.
/// A pause whose time is over ends here.
void bring_up_to_date(StepContext& deciding, Hold hold = Hold::nobody);
/// The same without backfills.
void bring_automatic_up_to_date(StepContext& deciding, Hold hold = Hold::nobody);
/// Before the definition or the pause changes: what came due in the pause gets its decision.
void settle_pause(StepContext& deciding);
/// Takes queued automatic runs back, and waiting ones unless pauses keep what they miss.
void hold_automatic(StepContext& deciding, PauseMissed missed);
void pause(StepContext& deciding, const std::string& by, const std::string& reason, std::optional<Instant> until);
void resume(StepContext& deciding, const std::string& by, Instant since);
void add_change(StepContext& deciding, ChangeKind kind, const std::string& by);

// backfilling.cpp

/// Starts as many backfilled occurrences as the lanes have room for.
void advance_backfills(StepContext& deciding);
/// Whether one of them is under way, also if this step changes it.
[[nodiscard]] bool has_running_backfill(const StepContext& deciding);
/// The open backfill with this id, to be changed; null if there is none.
[[nodiscard]] Backfill* find_backfill(StepContext& deciding, std::string_view id);
/// All open backfills, to be changed.
[[nodiscard]] std::vector<Backfill*> open_backfills(StepContext& deciding);
/// How many occurrences a backfill still has before it.
[[nodiscard]] std::int64_t left_of(const Definition& definition, const Backfill& backfill);

// concluding.cpp

/// When to wake, what to listen for. `definition` is the one in force from now on.
[[nodiscard]] Transition conclude(StepContext&& deciding, const Definition& definition);

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
