#pragma once

#include "base/error.hpp"
#include "stored_rows/stored_run.hpp"
#include "stores/postgres/parameters.hpp"
#include "stores/postgres/result_rows.hpp"
#include "stores/postgres/transaction.hpp"

#include <optional>
#include <vector>

namespace carillon::postgres {

using rows::StoredRun;

/// The columns of `ledger` that read_run reads, in its order; the table is called g.
inline constexpr const char* run_columns =
    "g.seq, g.uid, g.at, g.server, g.revision, g.version, g.nominal, g.due, g.waited_from, g.backfill, "
    "g.run_revision, g.last_success, g.repeats, g.attempt_seq, g.session, g.queued_at, g.claimable_from, g.expires_at, "
    "g.started_at, g.ended_at, g.flags, g.attempt, g.priority, g.source, g.outcome, g.reason, g.overlap, g.state, "
    "g.attempt_state, g.stop, g.queue, g.trigger, g.payload, g.rules, g.namespace, "
    "g.last_failure";

[[nodiscard]] Result<StoredRun> read_run(const Row& row);
[[nodiscard]] Result<std::vector<StoredRun>> read_all_runs(const ResultRows& rows);

void send_new_runs(Transaction& transaction, const std::vector<const StoredRun*>& runs);
/// Everything that may change in a row.
void send_changed_runs(Transaction& transaction, const std::vector<const StoredRun*>& runs);
/// Takes the mark of a dead letter from a run, at once. Returns its schedule, or none if the run has no such mark.
[[nodiscard]] Result<std::optional<Uid>> unpark(Transaction& transaction, Seq run);

}  // namespace carillon::postgres
