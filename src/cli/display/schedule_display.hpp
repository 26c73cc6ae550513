#pragma once

#include "calendar/zone.hpp"
#include "cli/connection/session.hpp"
#include "cli/terminal/table.hpp"
#include "client/types/schedule_types.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace carillon::cli {

/// How schedules look in lists and on their own page.

/// A schedule: ● idle, ▶ running, ⧗ its runs wait, ‖ paused, ○ disabled or done, ✗ dead.
[[nodiscard]] Cell schedule_sign(const client::Schedule& schedule);
/// Whether it has runs and all that are known wait: nobody works on them.
[[nodiscard]] bool only_waits(const client::Schedule& schedule);

/// How people know it: its name, and the id where that is another one: `Nightly ETL (nightly-etl)`.
[[nodiscard]] std::string name_text(const client::Schedule& schedule);

/// The zone a schedule is in; UTC if we do not know it.
[[nodiscard]] ZonePtr zone_of(const client::Schedule& schedule, Session& session);

/// The sentence of its spec: `At 09:00 on weekdays (America/New_York)`; the raw expression if it cannot be read here.
[[nodiscard]] std::string when_text(const client::Schedule& schedule, Session& session);

/// The runs of `recent`, oldest first: `✔✔✗⊘▶`, each in its colour.
[[nodiscard]] Cell recent_cell(const client::Schedule& schedule, const Paint& paint);

}  // namespace carillon::cli
