#pragma once

#include "base/ids.hpp"
#include "base/instant.hpp"
#include "definitions/words.hpp"

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

/// None if it cannot be the name of a schedule's run.
[[nodiscard]] std::optional<RunNameParts> parse_run_name(std::string_view name);

}  // namespace carillon
