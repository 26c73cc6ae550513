#include "engine/run_name.hpp"
#include "stores/postgres/schedule_views.hpp"
#include "stores/postgres/store_calls.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace carillon {
namespace {

using postgres::Parameters;
using postgres::ResultRows;
using postgres::Row;
using postgres::Transaction;

// What a run is named after; the table of the run is g.
#define CARILLON_PG_RUN_NAME                                                                                      \
  "g.nominal, g.source, CASE g.source WHEN 3 THEN coalesce((SELECT b.id FROM backfill b WHERE b.uid = g.uid AND " \
  "b.number = g.backfill), '') ELSE g.trigger END "

std::string name_of_row(const Row& row, int first, const ScheduleId& schedule) {
  return run_name(schedule, row.instant(first), row.one_of(first + 1, Source::adhoc), row.text(first + 2));
}

DecisionLine decision_row(const Row& row, LineHead head) {
  DecisionLine line{.head = std::move(head),
                    .server = std::to_string(row.number(3)),
                    .revision = row.count(4),
                    .version = row.count(5),
                    .nominal = row.instant(11),
                    .due = row.instant(6),
                    .source = row.one_of(12, Source::adhoc),
                    .outcome = row.one_of(7, DecisionOutcome::skipped),
                    .reason = {},
                    .run = {},
                    .waited_from = row.instant_if(9),
                    .ended_at = {}};
  if (line.outcome == DecisionOutcome::skipped) line.reason = row.one_of_if(8, SkipReason::outage);
  if (line.outcome == DecisionOutcome::started) {
    line.run = name_of_row(row, 11, line.head.schedule);
    line.ended_at = row.instant_if(10);
  }
  return line;
}

AttemptLine attempt_row(const Row& row, LineHead head) {
  AttemptLine line{.head = std::move(head),
                   .run = {},
                   .attempt = row.count(3),
                   .worker = row.text(4),
                   .state = row.one_of(5, AttemptState::released),
                   .claimed_at = row.instant(6),
                   .launched_at = row.instant_if(7),
                   .ended_at = row.instant_if(8),
                   .exit_code = row.number_if(9),
                   .reason = row.text(10),
                   .claimable_from = row.instant(11)};
  line.run = name_of_row(row, 12, line.head.schedule);
  return line;
}

ChangeLine change_row(const Row& row, LineHead head) {
  return {.head = std::move(head),
          .revision = row.count(3),
          .kind = row.one_of(4, ChangeKind::reset),
          .by = row.text(5),
          .document = row.text_if(6)};
}

RangeLine range_row(const Row& row, LineHead head) {
  return {.head = std::move(head),
          .revision = row.count(3),
          .from = row.instant(4),
          .to = row.instant(5),
          .count = row.count(6),
          .reason = row.one_of(7, SkipReason::outage)};
}

BackfillLine backfill_row(const Row& row, LineHead head) {
  return {.head = std::move(head),
          .id = row.text(3),
          .from = row.instant(4),
          .to = row.instant(5),
          .state = row.one_of(6, BackfillState::cancelled),
          .done = row.count(7),
          .total = row.count(8)};
}

OutageLine outage_row(const Row& row) {
  return {.head = {.seq = row.as<Seq>(0), .at = row.instant(2)},
          .from = row.instant(3),
          .to = row.instant(4),
          .cause = row.one_of(5, OutageCause::store)};
}

constexpr std::size_t decision_rows = 0;
constexpr std::size_t attempt_rows = 1;
constexpr std::size_t outage_rows = 6;

/// The head of a line about a job. It needs a schedule's id, which is not written.
Result<LineHead> head_of_job(std::size_t kind, const Row& row) {
  static const ScheduleId nobody = ScheduleId::parse("job").value();
  auto name_space = NamespaceId::parse(row.text(kind == decision_rows ? 14 : 15));
  if (!name_space) return fail(ErrorCode::corrupt, "job {} has a namespace that cannot be", row.number(0));
  return LineHead{
      .seq = row.as<Seq>(0), .at = row.instant(2), .name_space = *std::move(name_space), .schedule = nobody};
}

LedgerRecord line_of(std::size_t kind, const Row& row, LineHead head) {
  switch (kind) {
    case 0: return decision_row(row, std::move(head));
    case 1: return attempt_row(row, std::move(head));
    case 2: return change_row(row, std::move(head));
    case 3: return range_row(row, std::move(head));
    case 4: return VoidLine{.head = std::move(head), .from = row.instant(3), .to = row.instant(4)};
    default: return backfill_row(row, std::move(head));
  }
}

void send_lines_after(Transaction& transaction, Seq after, std::size_t count_max, bool has_jobs) {
  const Parameters values{after, postgres::row_limit(count_max)};
  const Parameters of_runs{after, postgres::row_limit(count_max), has_jobs};
  transaction.send(
      "SELECT g.seq, g.uid, g.at, g.server, g.revision, g.version, g.due, g.outcome, g.reason, g.waited_from, "
      "g.ended_at, " CARILLON_PG_RUN_NAME
      ", coalesce(g.namespace, 'default') FROM ledger g WHERE g.seq > $1 AND "
      "(g.uid <> 0 OR $3) ORDER BY g.seq LIMIT $2",
      of_runs);
  transaction.send(
      "SELECT a.seq, a.uid, a.at, a.attempt, s.worker, a.state, a.claimed_at, a.launched_at, a.ended_at, a.exit_code, "
      "a.reason, a.claimable_from, " CARILLON_PG_RUN_NAME
      ", coalesce(g.namespace, 'default') FROM attempt a JOIN ledger g ON g.seq = a.run_seq LEFT JOIN session s ON "
      "s.id = a.session WHERE a.seq > $1 AND (a.uid <> 0 OR $3) ORDER BY a.seq LIMIT $2",
      of_runs);
  transaction.send(
      "SELECT c.seq, c.uid, c.at, c.revision, c.kind, c.by, (SELECT d.document FROM definition d WHERE c.has_document "
      "AND "
      "d.uid = c.uid AND d.revision = c.revision) FROM change c WHERE c.seq > $1 ORDER BY c.seq LIMIT $2",
      values);
  transaction.send(
      "SELECT seq, uid, at, revision, first, last, count, reason FROM skipped_range WHERE seq > $1 ORDER BY seq LIMIT "
      "$2",
      values);
  transaction.send("SELECT seq, uid, at, first, last FROM voided_range WHERE seq > $1 ORDER BY seq LIMIT $2", values);
  transaction.send(
      "SELECT seq, uid, at, id, first, last, state, done, total FROM backfill WHERE seq > $1 ORDER BY seq LIMIT $2",
      values);
  transaction.send("SELECT seq, 0::int8, at, first, last, cause FROM outage WHERE seq > $1 ORDER BY seq LIMIT $2",
                   values);
}

}  // namespace

Result<std::vector<LedgerRecord>> PostgresStore::read_ledger(Seq after, std::size_t count_max) {
  return read_lines_after(after, count_max, false);
}

Result<std::vector<LedgerRecord>> PostgresStore::read_ledger_and_jobs(Seq after, std::size_t count_max) {
  return read_lines_after(after, count_max, true);
}

Result<std::vector<LedgerRecord>> PostgresStore::read_lines_after(Seq after, std::size_t count_max, bool has_jobs) {
  using Records = std::vector<LedgerRecord>;
  return read<Records>([&](Transaction& transaction) -> Result<Records> {
    send_lines_after(transaction, after, count_max, has_jobs);
    const auto answers = TRY(transaction.collect());
    struct Place {
      Seq seq{};
      std::size_t kind = 0;
      std::size_t row = 0;
    };
    std::vector<Place> places;
    for (std::size_t kind = 0; kind < answers.size(); ++kind)
      for (std::size_t row = 0; row < answers[kind].size(); ++row)
        places.push_back({.seq = answers[kind][row].as<Seq>(0), .kind = kind, .row = row});
    std::ranges::sort(places, {}, &Place::seq);
    if (places.size() > count_max) places.resize(count_max);
    std::set<Uid> uids;
    for (const Place& place : places)
      if (place.kind != outage_rows) uids.insert(answers[place.kind][place.row].as<Uid>(1));
    const auto names = TRY(postgres::read_names(transaction, {uids.begin(), uids.end()}));
    Records records;
    records.reserve(places.size());
    for (const Place& place : places) {
      const Row row = answers[place.kind][place.row];
      if (place.kind == outage_rows) {
        records.emplace_back(outage_row(row));
        continue;
      }
      if (row.as<Uid>(1) == Uid{} && place.kind <= attempt_rows) {
        records.push_back(line_of(place.kind, row, TRY(head_of_job(place.kind, row))));
        continue;
      }
      const auto name = names.find(row.as<Uid>(1));
      if (name == names.end()) return fail(ErrorCode::corrupt, "there is no schedule {}", row.number(1));
      records.push_back(line_of(place.kind, row,
                                LineHead{.seq = place.seq,
                                         .at = row.instant(2),
                                         .name_space = name->second.key.name_space,
                                         .schedule = name->second.key.id,
                                         .incarnation = name->second.incarnation}));
    }
    return records;
  });
}

}  // namespace carillon
