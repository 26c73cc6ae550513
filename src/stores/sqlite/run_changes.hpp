#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/feed_rules.hpp"
#include "engine/run.hpp"
#include "ports/run_queue.hpp"
#include "stores/sqlite/tables.hpp"

#include <span>
#include <vector>

namespace carillon::sqlite {

/// Makes a run what it is from now on: in its row, in the queue, among what its session is to stop, and in the line of
/// its newest attempt, which also takes how it ended.
[[nodiscard]] Result<> change_run(Tables& tables, StoredRun& run, const Run& next, Instant now,
                                  const AttemptEnd& end = {});

/// Of which an event tells.
[[nodiscard]] inline WrittenRow written_row(const StoredRun& run, Instant now) {
  return {.uid = run.row.uid, .seq = run.row.seq, .at = now};
}

/// Writes a run that is still as expected.
[[nodiscard]] Result<RunWritten> write_run(Tables& tables, const RunUpdate& update, Instant now);

/// The attempt was launched at that time, as its worker says. Nothing happens if it is not the newest any more.
[[nodiscard]] Result<> note_launch(Tables& tables, SessionId session, const LaunchNotice& launched, Instant now);

/// Running runs whose session is over.
[[nodiscard]] Result<std::vector<QueuedRun>> lost_runs(Tables& tables, std::size_t count_max);

/// Queues jobs, all or none.
[[nodiscard]] Result<std::vector<Seq>> put_jobs(Tables& tables, std::span<const AdhocRun> jobs, Instant now);

}  // namespace carillon::sqlite
