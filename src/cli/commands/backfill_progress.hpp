#pragma once

#include "cli/connection/json_view.hpp"
#include "cli/connection/session.hpp"
#include "client/client.hpp"

namespace carillon::cli {

/// `/schedules/nightly/backfills/bf-19`, and below it `/cancel`.
[[nodiscard]] std::string backfill_path(const JsonView& backfill, std::string_view below = {});

/// `███████░░░  3/4 done · 3 started`; without a bar where it would not be seen as one.
[[nodiscard]] std::string progress_text(const JsonView& backfill, const Paint& paint, bool has_bar);

/// Waits until a backfill is completed or cancelled, and shows how far it is: a bar on a terminal, else a line every
/// ten seconds, on standard error. Ctrl-C ends the waiting (ExitCode::interrupted) and leaves the backfill running.
[[nodiscard]] Result<ExitCode> wait_for_backfill(Client& client, const JsonView& backfill, Session& session);

}  // namespace carillon::cli
