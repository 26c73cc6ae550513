#pragma once

#include "cli/connection/session.hpp"
#include "client/client.hpp"

namespace carillon::cli {

/// `███████░░░  3/4 done · 3 started`; without a bar where it would not be seen as one.
[[nodiscard]] std::string progress_text(const client::Backfill& backfill, const Paint& paint, bool has_bar);

/// Waits until a backfill is completed or cancelled, and shows how far it is: a bar on a terminal, else a line every
/// ten seconds, on standard error. Ctrl-C ends the waiting (ExitCode::interrupted) and leaves the backfill running.
[[nodiscard]] Result<ExitCode> wait_for_backfill(Client& client, const client::Backfill& backfill, Session& session);

}  // namespace carillon::cli
