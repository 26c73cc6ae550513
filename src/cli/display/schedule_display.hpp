#pragma once

#include "calendar/zone.hpp"
#include "cli/connection/json_view.hpp"
#include "cli/connection/session.hpp"
#include "cli/terminal/table.hpp"

#include <string>

namespace carillon::cli {

/// How schedules look in lists and on their own page.

/// A schedule: ● idle, ▶ running, ⧗ its runs wait, ‖ paused, ○ disabled or done, ✗ dead.
[[nodiscard]] Cell schedule_sign(const JsonView& schedule);
/// Whether it has runs and all that are known wait: nobody works on them.
[[nodiscard]] bool only_waits(const JsonView& schedule);

/// What keeps a run from its turn: `queue reports is paused → carillon queue resume reports`. Empty if nothing does.
[[nodiscard]] std::string hold_text(const JsonView& run);

/// The zone a schedule is in; UTC if we do not know it.
[[nodiscard]] ZonePtr zone_of(const JsonView& schedule, Session& session);

/// The sentence of its spec: `At 09:00 on weekdays (America/New_York)`; the raw expression if it cannot be read here.
[[nodiscard]] std::string when_text(const JsonView& schedule, Session& session);

/// The newest ten of a schedule, oldest first: `✔✔✗⊘▶`. With colours, so for the last cell of a row only.
[[nodiscard]] std::string recent_signs(const JsonView& schedule, const Paint& paint);
/// The same for any cell of a row.
[[nodiscard]] Cell recent_cell(const JsonView& schedule, const Paint& paint);

}  // namespace carillon::cli
