#pragma once

#include "calendar/timetable.hpp"
#include "definitions/schedule_document.hpp"
#include "engine/keys.hpp"
#include "engine/ledger_record.hpp"
#include "simulation/records.hpp"
#include "simulation/texts.hpp"
#include "simulation/world.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace carillon::simulation {

// The ledger with what it does not tell itself: at which true time each of its lines came and changed.

struct Moment {
  Instant time;           // true
  Instant store;          // by the store's clock
  std::int64_t step = 0;  // which write of the store; all of one transaction share it
};

/// What a decision was from one moment on.
struct Phase {
  Moment moment;
  Instant at;  // as the line said then
  std::int64_t revision = 0;
  DecisionOutcome outcome = DecisionOutcome::waiting;
  std::optional<SkipReason> reason;
  std::optional<Instant> decided_at{};  // by the store's clock; it may have been written much later
};

struct DecisionStory {
  DecisionLine line;  // as it is now
  std::vector<Phase> phases;
  std::vector<std::size_t> attempts;  // in Story::attempts
  std::optional<Moment> ended{};      // its run
  std::string detail{};               // the trigger or backfill in its run's name

  [[nodiscard]] const Phase& first() const { return phases.front(); }
  [[nodiscard]] const Phase& last() const { return phases.back(); }
  /// A waiting start that a user cancels shows as started, and as ended in the same transaction: nothing is launched.
  [[nodiscard]] bool is_cancelled_wait(const Phase& phase) const {
    return attempts.empty() && ended && ended->step == phase.moment.step;
  }
};

struct AttemptStory {
  AttemptLine line;
  std::size_t decision = 0;
  Moment claimed;
  std::optional<Moment> ended{};
};

struct ChangeStory {
  ChangeLine line;
  Moment moment;
  Instant decided_at{};  // it may have been written much later
};
struct RangeStory {
  RangeLine line;
  Moment moment;
};
struct VoidStory {
  VoidLine line;
  Moment moment;
};
struct OutageStory {
  OutageLine line;
  Moment moment;
};
struct BackfillStory {
  BackfillLine line;
  Moment moment;
  std::optional<Moment> completed{};
};

/// A definition as the ledger brought it.
struct Revision {
  std::int64_t number = 0;
  ScheduleDocument document;
  std::vector<Timetable> timetables;  // one for each edition of the zone rules that there is
  std::string seed;

  [[nodiscard]] const Timetable& timetable() const { return timetables.front(); }
  [[nodiscard]] bool depends_on_edition() const { return timetables.size() > 1; }
  [[nodiscard]] Instant due(Instant nominal) const { return nominal + timetable().jitter(nominal, seed); }
};

struct StatusPhase {
  Moment moment;
  Instant decided_at;
  ScheduleStatus status = ScheduleStatus::active;
};

/// One incarnation of a schedule.
struct Life {
  std::string schedule;
  std::int64_t incarnation = 0;
  Uid uid{};
  std::vector<ChangeStory> changes;
  std::vector<std::size_t> decisions;  // in Story::decisions, by seq
  std::vector<RangeStory> ranges;
  std::vector<VoidStory> voids;
  std::vector<BackfillStory> backfills;
  std::vector<StatusPhase> statuses;
  std::map<std::int64_t, Revision> revisions;  // by the revision that brought a document

  /// The definition in force under a revision; none if the ledger never had one.
  [[nodiscard]] const Revision* definition(std::int64_t revision) const;
  [[nodiscard]] const ChangeStory* deletion() const;
  [[nodiscard]] ScheduleStatus status_at(std::int64_t step) const;
  /// Whether its changes say that it rests: paused or disabled.
  [[nodiscard]] bool is_resting_at(std::int64_t step) const;
};

struct Story {
  std::map<std::pair<std::string, std::int64_t>, Life> lives;
  std::vector<DecisionStory> decisions;
  std::vector<AttemptStory> attempts;
  std::vector<OutageStory> outages;
  std::map<Seq, std::size_t> decision_of;  // by seq

  [[nodiscard]] const DecisionStory* decision(Seq seq) const;
  [[nodiscard]] const Life& life_of(const DecisionStory& decision) const;
};

[[nodiscard]] bool is_automatic(const DecisionStory& decision);
[[nodiscard]] bool has_started(const DecisionStory& decision);

}  // namespace carillon::simulation
