#pragma once

#include "cli/connection/server_connection.hpp"
#include "cli/connection/session.hpp"
#include "client/types/run_types.hpp"

#include <boost/json/value.hpp>

#include <optional>
#include <string>

namespace carillon::cli {

/// How runs look in lists and on their own page.

/// The zone of the times of runs; where that of each schedule is asked for, UTC: a run does not tell it.
[[nodiscard]] Result<ZonePtr> run_zone(const DisplayZone& display, Session& session);

/// `09:00:00`, or nothing.
[[nodiscard]] std::string clock_of(std::optional<Instant> instant, const Zone& zone);

/// What made it, in a word or two: `scheduled`, `caught up`, `by hand`, `retry of r-7f3a91c2`.
[[nodiscard]] std::string source_text(const client::Run& run);

/// How long it took, or has been running: `2m35s`; empty before it has started.
[[nodiscard]] std::string run_length(const client::Run& run, Instant now);

/// The answer to a trigger or a retry without the members of the run that the server repeats beside it.
[[nodiscard]] boost::json::value decision_and_run(const boost::json::value& answer);

/// What keeps a run of a namespace from its turn until somebody acts: `queue reports is paused by ann → carillon queue
/// resume reports`, `no worker serves queue reports`. Empty if nothing does.
[[nodiscard]] std::string hold_text(const std::optional<client::RunWait>& wait, std::string_view name_space);

/// Why a run is not at work: `attempt 1 failed: exited with 3; attempt 2 at 02:38:29`, what holds it, or what it waits
/// for. Empty for one that is at work or has ended.
[[nodiscard]] std::string wait_text(const client::Run& run, const Zone& zone);

/// One line about a run: `✗ failed  r-7c0b77  nightly  took 33m10s · exited with 3`. Times are shown in the zone.
[[nodiscard]] std::string run_line(const client::Run& run, const Zone& zone, const Paint& paint, Instant now);

}  // namespace carillon::cli
