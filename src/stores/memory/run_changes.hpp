#pragma once

#include "base/instant.hpp"
#include "engine/run.hpp"
#include "ports/run_queue.hpp"
#include "stores/memory/tables.hpp"

#include <vector>

namespace carillon::memory {

/// Makes a run what it is from now on: in its row, the queue, the leases, the lines of its decision and its newest
/// attempt, and among the live runs of its schedule.
void change_run(Tables& tables, StoredRun& run, const Run& next, Instant now);

/// Adds what the worker told to the line of the newest attempt.
void note_end(Tables& tables, StoredRun& run, const AttemptEnd& end);

/// The attempt was launched at that time, as its worker says. Nothing happens if it is not the newest any more.
void note_launch(Tables& tables, SessionId session, const LaunchNotice& launched, Instant now);

/// Due at once if the schedule wants to know when a run has ended.
void wake_listener(Tables& tables, Uid uid, Instant now);

/// Gives a session, which is not over, the runs that come first.
[[nodiscard]] std::vector<ClaimedRun> claim_runs(Tables& tables, const ClaimRequest& request, Instant now);

/// A run that a session has, as it is handed out.
[[nodiscard]] ClaimedRun claimed_run(Tables& tables, const StoredRun& run, const StoredSession& session, Instant now);

}  // namespace carillon::memory
