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

/// One line about a run: `✗ failed  r-7c0b77  nightly  took 33m10s · exited with 3`.
[[nodiscard]] std::string run_line(const client::Run& run, const Paint& paint, Instant now);

}  // namespace carillon::cli
