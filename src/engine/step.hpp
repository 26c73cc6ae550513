#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "definitions/on_create.hpp"
#include "engine/definition.hpp"
#include "engine/schedule_state.hpp"
#include "engine/transition.hpp"

#include <optional>
#include <string>
#include <variant>

namespace carillon {

// Events: what happened to a schedule. `by` is the user who caused it.

/// Time has passed, or a run has ended.
struct BecameDue {};

/// The schedule is created: it decides what comes due from now on. With a `tombstone` that is young enough it continues
/// where the deleted schedule was.
struct Created {
  std::string by;
  std::string document;  // canonical text, kept in the ledger
  std::optional<ScheduleState> tombstone{};
  /// What is done at once, in the same transition. One that is continued has done it before.
  std::optional<OnCreate> first{};
};

/// `next` is the definition from now on. What is due already is decided by the old one.
struct Edited {
  std::string by;
  std::string document;
  const Definition* next = nullptr;
};

struct Paused {
  std::string by;
  std::string reason{};
  std::optional<Instant> until{};
};
struct Resumed {
  std::string by;
  std::string reason{};
};
struct Enabled {
  std::string by;
};
struct Disabled {
  std::string by;
};
struct Deleted {
  std::string by;
};
/// Leaves `done` and `dead`, and sets repeats, starts and consecutive failures to zero.
struct Reset {
  std::string by;
};

/// Start one run by hand.
struct Triggered {
  std::string by;
  std::string id;  // unique within the schedule
  OverlapPolicy overlap = OverlapPolicy::allow_all;
  std::optional<Instant> nominal{};
  std::optional<std::string> payload{};
};

struct BackfillRequested {
  std::string by;
  Backfill backfill;  // number, cursor and progress are filled in here
};
struct BackfillChanged {
  enum class Kind { pause, resume, cancel };
  std::string by;
  std::string id;
  Kind kind = Kind::pause;
};

/// A user cancels one run.
struct CancelRequested {
  Seq run{};
};

/// The store's clock went back behind what has been decided.
struct ClockSetBack {};

/// The zone's rules changed; the definition handed to `step` has the new ones.
struct ZoneRulesChanged {};

using Event = std::variant<BecameDue, Created, Edited, Paused, Resumed, Enabled, Disabled, Deleted, Reset, Triggered,
                           BackfillRequested, BackfillChanged, CancelRequested, ClockSetBack, ZoneRulesChanged>;

/// Decides what one event means for one schedule. Equal arguments give equal results. `definition` is the one of the
/// view's revision (of `Created`: the new one); `now` is the time at which the store read the view. An error says why a
/// user's command is refused in this state; then nothing is to be written.
[[nodiscard]] Result<Transition> step(const Definition& definition, const ScheduleView& view, const Event& event,
                                      Instant now);

/// Whether a schedule that is created now continues where the deleted one of the same id was.
[[nodiscard]] bool can_be_taken_up(const ScheduleState& tombstone, Instant now);

/// One step decides at most so many occurrences one by one; the rest is due again at once.
inline constexpr std::size_t decisions_per_step_max = 1'000;
/// What a schedule starts when it is created has ids that tell so.
inline constexpr const char* creation_trigger_id = "create";
/// How long after its deletion a schedule can be continued.
inline constexpr Duration tombstone_memory = std::chrono::minutes{10};

}  // namespace carillon
