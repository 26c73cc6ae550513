#pragma once

#include "base/ids.hpp"
#include "base/instant.hpp"
#include "definitions/words.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace carillon {

/// The name of a run: its identity for users, derived from what it is for. `~…` for a job without a schedule.
[[nodiscard]] std::string run_name(const ScheduleId& schedule, Instant nominal, Source source, std::string_view detail);

/// A run's name taken apart: `<schedule id>@<nominal>` and what follows, `+trigger-…` or the like.
struct RunNameParts {
  std::string schedule;
  Instant nominal;
  std::string tail;  // with its plus; empty: made by the schedule itself
};

/// What a run that is started again by hand does.
enum class Retry {
  whole,        // everything once more
  failed_items  // only what the run before has no answer to
};

/// The id of a trigger: a number, and for a retry which run is started again: `796256ff-of-r-7f3a91c2`,
/// `796256ff-failed-items-of-r-7f3a91c2`.
[[nodiscard]] std::string trigger_id(std::int64_t number, std::string_view retry_of, Retry how = Retry::whole);
/// The run that is started again by this trigger; empty: none.
[[nodiscard]] std::string_view retried_by(std::string_view trigger);
/// The same, if only its failed items are; else empty.
[[nodiscard]] std::string_view answers_reused_by(std::string_view trigger);

/// None if it cannot be the name of a schedule's run.
[[nodiscard]] std::optional<RunNameParts> parse_run_name(std::string_view name);

}  // namespace carillon
