#include "stores/postgres/schedule_views.hpp"

#include "stored_rows/row_flags.hpp"
#include "stored_rows/state_bytes.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace carillon::postgres {
namespace {

constexpr Duration answers_kept_for = std::chrono::days{1};

LiveRun read_live_row(const Row& row, int first) {
  const std::int64_t flags = row.number(first + 8);
  LiveRun live{.seq = row.as<Seq>(first),
               .nominal = row.instant(first + 1),
               .due = row.instant(first + 2),
               .source = row.one_of(first + 3, Source::adhoc),
               .state = RunState::cancelled,
               .overlap = row.one_of_if(first + 9, OverlapPolicy::allow_all),
               .holds_slot = rows::has(flags, rows::run_flag::holds_slot),
               .is_stopping = row.number(first + 7) != 0,
               .is_held_back = rows::has(flags, rows::run_flag::held_back),
               .backfill = row.count(first + 10)};
  // A skip among the live ones was started once, and taken back.
  if (row.one_of(first + 4, DecisionOutcome::skipped) == DecisionOutcome::skipped) {
    live.withdrawn = row.one_of(first + 5, SkipReason::outage);
  } else {
    live.state = row.one_of(first + 6, RunState::expired);
  }
  return live;
}

Result<ScheduleView> read_view_row(const Row& row) {
  ScheduleView view;
  ScheduleState& state = view.state;
  state.uid = row.as<Uid>(0);
  state.version = row.count(1);
  state.revision = row.count(2);
  state.wake = row.instant_if(3);
  state.writer = {.server = row.number(4), .batch = row.number(5)};
  state.listens = rows::has(row.number(6), rows::state_flag::listens);
  TRY(while_doing(rows::read_body(row.bytes(7), state), "reading schedule {}", row.number(0)));
  return view;
}

}  // namespace

std::int64_t row_limit(std::size_t count_max) {
  return static_cast<std::int64_t>(std::min<std::size_t>(count_max, std::numeric_limits<std::int32_t>::max()));
}

Result<std::vector<ScheduleView>> read_views(Transaction& transaction, std::span<const Uid> uids) {
  std::vector<ScheduleView> views;
  if (uids.empty()) return views;
  Parameters values;
  values.array(uids);
  transaction.send("SELECT uid, version, revision, wake_at, server, batch, flags, body FROM state WHERE uid = ANY($1)",
                   values);
  transaction.send(
      "SELECT s.uid, g.seq, g.nominal, g.due, g.source, g.outcome, g.reason, g.state, g.stop, g.flags, g.overlap, "
      "g.backfill FROM unnest($1) AS u(uid) JOIN state s ON s.uid = u.uid CROSS JOIN LATERAL unnest(s.live) AS l(seq) "
      "JOIN ledger g ON g.seq = l.seq ORDER BY g.seq",
      values);
  transaction.send(std::string{"SELECT "} + backfill_columns +
                       " FROM backfill WHERE uid = ANY($1) AND state <= 1 ORDER BY uid, number",
                   values);
  const auto answers = TRY(transaction.collect());
  std::unordered_map<Uid, ScheduleView> found;
  for (const Row row : answers[0]) {
    ScheduleView view = TRY(read_view_row(row));
    const Uid uid = view.state.uid;
    found.emplace(uid, std::move(view));
  }
  for (const Row row : answers[1]) found.at(row.as<Uid>(0)).live.push_back(read_live_row(row, 1));
  for (const Row row : answers[2]) {
    const auto schedule = found.find(row.as<Uid>(0));
    if (schedule == found.end()) continue;
    const Backfill record = read_backfill_row(row, 1);
    schedule->second.backfills.push_back({.record = record, .past = {}, .known_to = record.cursor});
  }
  views.reserve(uids.size());
  for (const Uid uid : uids)
    if (const auto schedule = found.find(uid); schedule != found.end()) views.push_back(std::move(schedule->second));
  return views;
}

std::vector<Outage> read_outage_rows(const ResultRows& rows, int first) {
  std::vector<Outage> outages;
  for (const Row row : rows)
    outages.push_back({.seq = row.as<Seq>(first),
                       .from = row.instant(first + 1),
                       .to = row.instant(first + 2),
                       .cause = row.one_of(first + 3, OutageCause::store)});
  std::ranges::reverse(outages);
  return outages;
}

Backfill read_backfill_row(const Row& row, int first) {
  return {.number = row.count(first),
          .id = row.text(first + 1),
          .from = row.instant(first + 2),
          .to = row.instant(first + 3),
          .order = row.one_of(first + 4, BackfillOrder::newest_first),
          .reprocess = row.one_of(first + 5, Reprocess::all),
          .concurrency = row.count(first + 6),
          .is_exclusive = row.flag(first + 7),
          .overlap = row.one_of_if(first + 13, OverlapPolicy::allow_all),
          .state = row.one_of(first + 8, BackfillState::cancelled),
          .cursor = row.instant(first + 9),
          .done = row.count(first + 10),
          .total = row.count(first + 11),
          .started = row.count(first + 12)};
}

Result<StoredName> read_name_row(const Row& row, int first) {
  auto name_space = NamespaceId::parse(row.text(first));
  auto id = ScheduleId::parse(row.text(first + 1));
  if (!name_space || !id) return fail(ErrorCode::corrupt, "a schedule has an invalid name");
  return StoredName{.key = {.name_space = *std::move(name_space), .id = *std::move(id)},
                    .incarnation = row.count(first + 2),
                    .created_at = row.instant(first + 3)};
}

Result<std::map<Uid, StoredName>> read_names(Transaction& transaction, const std::vector<Uid>& uids) {
  std::map<Uid, StoredName> names;
  if (uids.empty()) return names;
  Parameters values;
  values.array(uids);
  const auto found = TRY(transaction.query(
      "SELECT uid, namespace, id, incarnation, created_at FROM schedule WHERE uid = ANY($1)", values));
  for (const Row row : found) names.emplace(row.as<Uid>(0), TRY(read_name_row(row, 1)));
  return names;
}

void send_find_request(Transaction& transaction, const std::string& key) {
  transaction.send("SELECT fingerprint, at, uid, decisions, answer FROM idempotency WHERE key = $1", Parameters{key});
}

std::optional<IdempotencyRecord> read_request(const ResultRows& rows, Instant now) {
  if (rows.empty() || rows[0].instant(1) <= now - answers_kept_for) return std::nullopt;
  const Row row = rows[0];
  IdempotencyRecord record{.fingerprint = row.text(0),
                           .at = row.instant(1),
                           .uid = row.as<Uid>(2),
                           .decisions = {},
                           .answer = row.text_if(4)};
  for (const std::int64_t seq : row.numbers(3)) record.decisions.push_back(static_cast<Seq>(seq));
  return record;
}

Result<> refuse_repeated(const ResultRows& rows, Instant now) {
  if (!read_request(rows, now)) return {};
  return already_carried_out();
}

}  // namespace carillon::postgres
