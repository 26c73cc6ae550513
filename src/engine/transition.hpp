#pragma once

#include "base/clock_step.hpp"
#include "base/instant.hpp"
#include "definitions/words.hpp"
#include "engine/backfill.hpp"
#include "engine/keys.hpp"
#include "engine/run_order.hpp"
#include "engine/schedule_state.hpp"

#include <boost/container/small_vector.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace carillon {

/// The start waits until the slot is free, or until the pause is over.
struct Waits {
  friend bool operator==(const Waits&, const Waits&) = default;
};

/// It starts: a run is queued.
struct Starts {
  std::int64_t revision = 0;  // of the definition it runs under, retries included
  Instant queued_at;
  std::optional<Instant> expires_at{};
  std::string queue;
  std::int64_t priority = 0;
  Seq last_success{};              // the run whose result it is given; zero: none
  Seq last_failure{};              // the run after it whose failure it is told; zero: none
  std::int64_t repeat_number = 0;  // automatic successes counted before it
  friend bool operator==(const Starts&, const Starts&) = default;
};

struct Skips {
  SkipReason reason;
  friend bool operator==(const Skips&, const Skips&) = default;
};

using Verdict = std::variant<Waits, Starts, Skips>;

/// A new row of the ledger: one occurrence, one trigger or one backfilled occurrence, and its verdict.
struct Decision {
  Instant nominal;
  Instant due;
  Source source = Source::schedule;
  Verdict verdict;
  bool holds_slot = true;
  std::optional<OverlapPolicy> overlap{};
  std::int64_t backfill = 0;
  std::string trigger{};                 // id of the trigger or backfill, part of the run's name
  std::optional<std::string> payload{};  // of a trigger that has its own
  friend bool operator==(const Decision&, const Decision&) = default;
};

/// The end of a wait.
struct Resolution {
  Seq seq{};
  Verdict verdict;  // starts or skips
  friend bool operator==(const Resolution&, const Resolution&) = default;
};

/// Occurrences skipped in a row, first and last nominal included.
struct SkippedRange {
  Instant from;
  Instant to;
  std::int64_t count = 0;
  SkipReason reason = SkipReason::missed;
  friend bool operator==(const SkippedRange&, const SkippedRange&) = default;
};

/// Takes back every skip in [from, to]: they were decided while the clock was wrong.
struct VoidedRange {
  Instant from;
  Instant to;
  friend bool operator==(const VoidedRange&, const VoidedRange&) = default;
};

/// A line about the schedule itself.
struct Change {
  ChangeKind kind = ChangeKind::updated;
  std::int64_t revision = 0;
  std::string by;
  std::string reason{};                   // of a pause or its end
  std::optional<Instant> until{};         // of a pause
  std::optional<ScheduleKey> key{};       // of a creation
  std::optional<std::string> document{};  // of a creation or an update
  friend bool operator==(const Change&, const Change&) = default;
};

/// What one event changes: to be written together, or not at all. The rows stand in the ledger in the order of the
/// members here.
struct Transition {
  ScheduleState next;              // its version is one above the one it was decided from
  std::int64_t decided_under = 0;  // the revision whose definition decided; `next.revision` may be a newer one
  Instant decided_at;              // by the store's clock
  std::vector<VoidedRange> voids;
  boost::container::small_vector<Resolution, 1> resolutions;
  std::vector<SkippedRange> ranges;
  boost::container::small_vector<Decision, 1> decisions;
  std::vector<Change> changes;
  std::vector<Backfill> backfills;  // as they are after the step
  std::vector<RunOrder> orders;
  boost::container::small_vector<Seq, 2> counted;  // ended runs that `next` has counted: no longer live
  /// If `next` listens: the open runs of the view, every time. If one of them has ended when this is written, the
  /// schedule is woken at once. Such an end came between reading and writing: either it did not see that the schedule
  /// listens, or it has set a wake time that this write replaces.
  boost::container::small_vector<Seq, 1> watched;
  std::int64_t request = 0;  // number of the user's command, by which its result can be looked up; 0: none

  [[nodiscard]] std::int64_t decided_from() const { return next.version - 1; }
  /// Whether the clock was set back since: what was due when it was decided may not be due now.
  [[nodiscard]] bool is_ahead_of(Instant now) const {
    return decided_from() != 0 && decided_at - now >= clock_step_min;
  }
};

}  // namespace carillon
