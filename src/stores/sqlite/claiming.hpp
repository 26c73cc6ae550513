#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "ports/run_queue.hpp"
#include "stores/sqlite/tables.hpp"

#include <span>
#include <vector>

namespace carillon::sqlite {

/// A run that was started in this transaction and has no row yet: if it is claimed at once, it never stands in a queue.
struct FreshRun {
  StoredRun run;
  Seq previous{};  // the decision of its schedule before it
};

/// Puts fresh runs into the ledger and the queue. There are none afterwards.
[[nodiscard]] Result<> queue_fresh(Tables& tables, std::vector<FreshRun>& fresh, Instant now);

/// Gives a session the runs that come first, of those that wait and the fresh ones; puts the rest of these into the
/// queue.
[[nodiscard]] Result<std::vector<ClaimedRun>> claim_runs(Tables& tables, const ClaimRequest& request,
                                                         const StoredSession& session, std::vector<FreshRun>& fresh,
                                                         Instant now);

/// A run that a session has, as it is handed out.
[[nodiscard]] Result<ClaimedRun> claimed_run(Tables& tables, QueuedRun&& run, Seq attempt_line,
                                             const StoredSession& session, Instant now);

}  // namespace carillon::sqlite
