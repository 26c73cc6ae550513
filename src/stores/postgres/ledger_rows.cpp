#include "stores/postgres/ledger_rows.hpp"

#include "stored_rows/row_changes.hpp"
#include "stored_rows/row_flags.hpp"
#include "stored_rows/state_bytes.hpp"
#include "stores/postgres/columns.hpp"

#include <utility>

namespace carillon::postgres {
namespace {

Run read_run_state(const Row& row) {
  const std::int64_t flags = row.number(20);
  return {.state = row.one_of(27, RunState::expired),
          .attempt = row.count(21),
          .attempt_state = row.one_of_if(28, AttemptState::released),
          .stop = row.one_of(29, Stop::terminate),
          .may_retry = !rows::has(flags, rows::run_flag::last_try),
          .released_count = rows::released_count(flags),
          .lost_count = rows::lost_count(flags),
          .is_parked = rows::has(flags, rows::run_flag::parked),
          .queued_at = row.instant(15),
          .claimable_from = row.instant(16),
          .expires_at = row.instant_if(17),
          .started_at = row.instant_if(18),
          .ended_at = row.instant_if(19)};
}

bool has_run(const StoredRun& run) { return run.outcome != DecisionOutcome::skipped; }

/// Its place in the queue, while it waits there.
std::optional<Instant> queue_rank(const StoredRun& run) {
  if (!rows::is_ready(run.row.run)) return std::nullopt;
  return rank_of(run.row.priority, run.row.run.claimable_from);
}

}  // namespace

Result<StoredRun> read_run(const Row& row) {
  StoredRun run{.row = {.seq = row.as<Seq>(0),
                        .uid = row.as<Uid>(1),
                        .revision = row.count(10),
                        .nominal = row.instant(6),
                        .due = row.instant(7),
                        .source = row.one_of(23, Source::adhoc),
                        .backfill = row.count(9),
                        .trigger = row.text(31),
                        .payload = row.text_if(32),
                        .rules = {},
                        .last_success = row.as<Seq>(11),
                        .last_failure = row.as<Seq>(35),
                        .repeat_number = row.count(12),
                        .queue = row.text(30),
                        .priority = row.number_in(22, -rows::stored_priority_max, rows::stored_priority_max),
                        .session = row.as<SessionId>(14),
                        .run = read_run_state(row)},
                .at = row.instant(2),
                .server = row.number(3),
                .revision = row.count(4),
                .version = row.count(5),
                .outcome = row.one_of(24, DecisionOutcome::skipped),
                .reason = row.one_of_if(25, SkipReason::outage),
                .waited_from = row.instant_if(8),
                .overlap = row.one_of_if(26, OverlapPolicy::allow_all),
                .flags = row.number(20),
                .attempt_line = row.as<Seq>(13)};
  if (!row.is_null(33)) run.row.rules = TRY(rows::read_rules(row.bytes(33)));
  if (run.row.uid == Uid{}) run.row.name_space = row.text(34);
  return run;
}

Result<std::vector<StoredRun>> read_all_runs(const ResultRows& rows) {
  std::vector<StoredRun> runs;
  runs.reserve(rows.size());
  for (const Row row : rows) runs.push_back(TRY(read_run(row)));
  return runs;
}

void send_new_runs(Transaction& transaction, const std::vector<const StoredRun*>& runs) {
  if (runs.empty()) return;
  std::vector<std::string> rules;
  for (const StoredRun* run : runs)
    rules.push_back(run->row.rules ? rows::rules_bytes(*run->row.rules) : std::string{});
  const auto if_run = [](const StoredRun* run, auto value) {
    return has_run(*run) ? std::optional{value} : std::nullopt;
  };
  using Text = std::optional<std::string_view>;
  Columns columns{"seq", runs, [](const StoredRun* run) { return run->row.seq; }};
  const auto column = [&](const char* name, auto pick) { columns.add(name, runs, pick); };
  column("uid", [](const StoredRun* run) { return run->row.uid; });
  column("at", [](const StoredRun* run) { return run->at; });
  column("server", [](const StoredRun* run) { return run->server; });
  column("revision", [](const StoredRun* run) { return run->revision; });
  column("version", [](const StoredRun* run) { return run->version; });
  column("nominal", [](const StoredRun* run) { return run->row.nominal; });
  column("due", [](const StoredRun* run) { return run->row.due; });
  column("waited_from", [](const StoredRun* run) { return run->waited_from; });
  column("backfill", [](const StoredRun* run) { return run->row.backfill; });
  column("run_revision", [](const StoredRun* run) { return run->row.revision; });
  column("last_success", [](const StoredRun* run) { return run->row.last_success; });
  column("repeats", [](const StoredRun* run) { return run->row.repeat_number; });
  column("attempt_seq", [](const StoredRun* run) { return run->attempt_line; });
  column("session", [](const StoredRun* run) { return run->row.session; });
  column("queued_at", [&](const StoredRun* run) { return if_run(run, run->row.run.queued_at); });
  column("claimable_from", [&](const StoredRun* run) { return if_run(run, run->row.run.claimable_from); });
  column("expires_at", [](const StoredRun* run) { return run->row.run.expires_at; });
  column("started_at", [](const StoredRun* run) { return run->row.run.started_at; });
  column("ended_at", [](const StoredRun* run) { return run->row.run.ended_at; });
  column("rank", [](const StoredRun* run) { return has_run(*run) ? queue_rank(*run) : std::nullopt; });
  column("flags", [](const StoredRun* run) { return run->flags; });
  column("attempt", [](const StoredRun* run) { return run->row.run.attempt; });
  column("priority", [](const StoredRun* run) { return run->row.priority; });
  column("source", [](const StoredRun* run) { return run->row.source; });
  column("outcome", [](const StoredRun* run) { return run->outcome; });
  column("reason", [](const StoredRun* run) { return run->reason; });
  column("overlap", [](const StoredRun* run) { return run->overlap; });
  column("state", [&](const StoredRun* run) { return if_run(run, run->row.run.state); });
  column("attempt_state", [](const StoredRun* run) { return run->row.run.attempt_state; });
  column("stop", [](const StoredRun* run) { return run->row.run.stop; });
  column("queue", [](const StoredRun* run) { return std::string_view{run->row.queue}; });
  column("trigger", [](const StoredRun* run) { return std::string_view{run->row.trigger}; });
  // What a skip was for is told; what it would have done is not.
  column("payload", [](const StoredRun* run) { return has_run(*run) ? Text{run->row.payload} : Text{}; });
  std::size_t place = 0;
  column("rules", [&](const StoredRun* run) {
    const std::string& bytes = rules[place++];
    return run->row.rules && has_run(*run) ? std::optional{Blob{bytes}} : std::nullopt;
  });
  column("namespace", [](const StoredRun* run) { return run->row.uid == Uid{} ? Text{run->row.name_space} : Text{}; });
  column("last_failure", [](const StoredRun* run) { return run->row.last_failure; });
  transaction.send(
      "INSERT INTO ledger(seq, uid, at, server, revision, version, nominal, due, waited_from, backfill, run_revision, "
      "last_success, repeats, attempt_seq, session, queued_at, claimable_from, expires_at, started_at, ended_at, rank, "
      "flags, attempt, priority, source, outcome, reason, overlap, state, attempt_state, stop, queue, trigger, "
      "payload, "
      "rules, namespace, last_failure) SELECT * FROM " +
          columns.table(),
      columns.parameters());
}

void send_changed_runs(Transaction& transaction, const std::vector<const StoredRun*>& runs) {
  if (runs.empty()) return;
  Columns columns{"seq", runs, [](const StoredRun* run) { return run->row.seq; }};
  const auto column = [&](const char* name, auto pick) { columns.add(name, runs, pick); };
  column("at", [](const StoredRun* run) { return run->at; });
  column("server", [](const StoredRun* run) { return run->server; });
  column("revision", [](const StoredRun* run) { return run->revision; });
  column("version", [](const StoredRun* run) { return run->version; });
  column("waited_from", [](const StoredRun* run) { return run->waited_from; });
  column("run_revision", [](const StoredRun* run) { return run->row.revision; });
  column("last_success", [](const StoredRun* run) { return run->row.last_success; });
  column("repeats", [](const StoredRun* run) { return run->row.repeat_number; });
  column("attempt_seq", [](const StoredRun* run) { return run->attempt_line; });
  column("session", [](const StoredRun* run) { return run->row.session; });
  column("queued_at", [](const StoredRun* run) { return run->row.run.queued_at; });
  column("claimable_from", [](const StoredRun* run) { return run->row.run.claimable_from; });
  column("expires_at", [](const StoredRun* run) { return run->row.run.expires_at; });
  column("started_at", [](const StoredRun* run) { return run->row.run.started_at; });
  column("ended_at", [](const StoredRun* run) { return run->row.run.ended_at; });
  column("rank", [](const StoredRun* run) { return queue_rank(*run); });
  column("flags", [](const StoredRun* run) { return run->flags; });
  column("attempt", [](const StoredRun* run) { return run->row.run.attempt; });
  column("priority", [](const StoredRun* run) { return run->row.priority; });
  column("outcome", [](const StoredRun* run) { return run->outcome; });
  column("reason", [](const StoredRun* run) { return run->reason; });
  column("state", [](const StoredRun* run) { return run->row.run.state; });
  column("attempt_state", [](const StoredRun* run) { return run->row.run.attempt_state; });
  column("stop", [](const StoredRun* run) { return run->row.run.stop; });
  column("queue", [](const StoredRun* run) { return std::string_view{run->row.queue}; });
  column("last_failure", [](const StoredRun* run) { return run->row.last_failure; });
  transaction.send(
      "UPDATE ledger g SET at = u.at, server = u.server, revision = u.revision, version = u.version, "
      "waited_from = u.waited_from, run_revision = u.run_revision, last_success = u.last_success, repeats = u.repeats, "
      "attempt_seq = u.attempt_seq, session = u.session, queued_at = u.queued_at, claimable_from = u.claimable_from, "
      "expires_at = u.expires_at, started_at = u.started_at, ended_at = u.ended_at, rank = u.rank, flags = u.flags, "
      "attempt = u.attempt, priority = u.priority, outcome = u.outcome, reason = u.reason, state = u.state, "
      "attempt_state = u.attempt_state, stop = u.stop, queue = u.queue, last_failure = u.last_failure FROM " +
          columns.table() + " WHERE g.seq = u.seq",
      columns.parameters());
}

Result<std::optional<Uid>> unpark(Transaction& transaction, Seq run) {
  const auto changed = TRY(
      transaction.query("UPDATE ledger SET flags = flags & ~$2::int8 WHERE seq = $1 AND flags & $2 <> 0 RETURNING uid",
                        Parameters{run, rows::run_flag::parked}));
  return changed.empty() ? std::nullopt : std::optional{changed[0].as<Uid>(0)};
}

}  // namespace carillon::postgres
