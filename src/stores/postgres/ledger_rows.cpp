#include "stores/postgres/ledger_rows.hpp"

#include "stored_rows/row_changes.hpp"
#include "stored_rows/row_flags.hpp"
#include "stored_rows/state_bytes.hpp"

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
  Parameters values;
  const auto column = [&](auto pick) { values.column(runs, pick); };
  column([](const StoredRun* run) { return run->row.seq; });
  column([](const StoredRun* run) { return run->row.uid; });
  column([](const StoredRun* run) { return run->at; });
  column([](const StoredRun* run) { return run->server; });
  column([](const StoredRun* run) { return run->revision; });
  column([](const StoredRun* run) { return run->version; });
  column([](const StoredRun* run) { return run->row.nominal; });
  column([](const StoredRun* run) { return run->row.due; });
  column([](const StoredRun* run) { return run->waited_from; });
  column([](const StoredRun* run) { return run->row.backfill; });
  column([](const StoredRun* run) { return run->row.revision; });
  column([](const StoredRun* run) { return run->row.last_success; });
  column([](const StoredRun* run) { return run->row.repeat_number; });
  column([](const StoredRun* run) { return run->attempt_line; });
  column([](const StoredRun* run) { return run->row.session; });
  column([&](const StoredRun* run) { return if_run(run, run->row.run.queued_at); });
  column([&](const StoredRun* run) { return if_run(run, run->row.run.claimable_from); });
  column([](const StoredRun* run) { return run->row.run.expires_at; });
  column([](const StoredRun* run) { return run->row.run.started_at; });
  column([](const StoredRun* run) { return run->row.run.ended_at; });
  column([](const StoredRun* run) { return has_run(*run) ? queue_rank(*run) : std::nullopt; });
  column([](const StoredRun* run) { return run->flags; });
  column([](const StoredRun* run) { return run->row.run.attempt; });
  column([](const StoredRun* run) { return run->row.priority; });
  column([](const StoredRun* run) { return run->row.source; });
  column([](const StoredRun* run) { return run->outcome; });
  column([](const StoredRun* run) { return run->reason; });
  column([](const StoredRun* run) { return run->overlap; });
  column([&](const StoredRun* run) { return if_run(run, run->row.run.state); });
  column([](const StoredRun* run) { return run->row.run.attempt_state; });
  column([](const StoredRun* run) { return run->row.run.stop; });
  column([](const StoredRun* run) { return std::string_view{run->row.queue}; });
  column([](const StoredRun* run) { return std::string_view{run->row.trigger}; });
  // What a skip was for is told; what it would have done is not.
  column([](const StoredRun* run) { return has_run(*run) ? Text{run->row.payload} : Text{}; });
  std::size_t place = 0;
  column([&](const StoredRun* run) {
    const std::string& bytes = rules[place++];
    return run->row.rules && has_run(*run) ? std::optional{Blob{bytes}} : std::nullopt;
  });
  column([](const StoredRun* run) { return run->row.uid == Uid{} ? Text{run->row.name_space} : Text{}; });
  column([](const StoredRun* run) { return run->row.last_failure; });
  static const std::string sql = [] {
    std::string arrays;
    constexpr int count = 37;
    for (int i = 1; i <= count; ++i) arrays += (i == 1 ? "$" : ", $") + std::to_string(i);
    return "INSERT INTO ledger(seq, uid, at, server, revision, version, nominal, due, waited_from, backfill, "
           "run_revision, last_success, repeats, attempt_seq, session, queued_at, claimable_from, expires_at, "
           "started_at, ended_at, rank, flags, attempt, priority, source, outcome, reason, overlap, state, "
           "attempt_state, stop, queue, trigger, payload, rules, namespace, last_failure) SELECT * FROM unnest(" +
           arrays + ")";
  }();
  transaction.send(sql, values);
}

void send_changed_runs(Transaction& transaction, const std::vector<const StoredRun*>& runs) {
  if (runs.empty()) return;
  Parameters values;
  const auto column = [&](auto pick) { values.column(runs, pick); };
  column([](const StoredRun* run) { return run->row.seq; });
  column([](const StoredRun* run) { return run->at; });
  column([](const StoredRun* run) { return run->server; });
  column([](const StoredRun* run) { return run->revision; });
  column([](const StoredRun* run) { return run->version; });
  column([](const StoredRun* run) { return run->waited_from; });
  column([](const StoredRun* run) { return run->row.revision; });
  column([](const StoredRun* run) { return run->row.last_success; });
  column([](const StoredRun* run) { return run->row.repeat_number; });
  column([](const StoredRun* run) { return run->attempt_line; });
  column([](const StoredRun* run) { return run->row.session; });
  column([](const StoredRun* run) { return run->row.run.queued_at; });
  column([](const StoredRun* run) { return run->row.run.claimable_from; });
  column([](const StoredRun* run) { return run->row.run.expires_at; });
  column([](const StoredRun* run) { return run->row.run.started_at; });
  column([](const StoredRun* run) { return run->row.run.ended_at; });
  column([](const StoredRun* run) { return queue_rank(*run); });
  column([](const StoredRun* run) { return run->flags; });
  column([](const StoredRun* run) { return run->row.run.attempt; });
  column([](const StoredRun* run) { return run->row.priority; });
  column([](const StoredRun* run) { return run->outcome; });
  column([](const StoredRun* run) { return run->reason; });
  column([](const StoredRun* run) { return run->row.run.state; });
  column([](const StoredRun* run) { return run->row.run.attempt_state; });
  column([](const StoredRun* run) { return run->row.run.stop; });
  column([](const StoredRun* run) { return std::string_view{run->row.queue}; });
  column([](const StoredRun* run) { return run->row.last_failure; });
  transaction.send(
      "UPDATE ledger g SET at = u.at, server = u.server, revision = u.revision, version = u.version, "
      "waited_from = u.waited_from, run_revision = u.run_revision, last_success = u.last_success, repeats = u.repeats, "
      "attempt_seq = u.attempt_seq, session = u.session, queued_at = u.queued_at, claimable_from = u.claimable_from, "
      "expires_at = u.expires_at, started_at = u.started_at, ended_at = u.ended_at, rank = u.rank, flags = u.flags, "
      "attempt = u.attempt, priority = u.priority, outcome = u.outcome, reason = u.reason, state = u.state, "
      "attempt_state = u.attempt_state, stop = u.stop, queue = u.queue, last_failure = u.last_failure FROM unnest($1, "
      "$2, $3, $4, $5, $6, $7, $8, $9, "
      "$10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27) AS u(seq, at, server, "
      "revision, version, waited_from, run_revision, last_success, repeats, attempt_seq, session, queued_at, "
      "claimable_from, expires_at, started_at, ended_at, rank, flags, attempt, priority, outcome, reason, state, "
      "attempt_state, stop, queue, last_failure) WHERE g.seq = u.seq",
      values);
}

}  // namespace carillon::postgres
