#include "stores/sqlite/ledger_reading.hpp"

#include "engine/run_name.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

namespace carillon::sqlite {
namespace {

// Every kind of line begins with these.
constexpr int seq_column = 0;
constexpr int uid_column = 1;
constexpr int at_column = 2;

// What a run is named after; the table of the run is g.
#define CARILLON_RUN_NAME                                                                                  \
  "g.nominal, g.source, CASE g.source "                                                                    \
  "WHEN 3 THEN coalesce((SELECT b.id FROM backfill b WHERE b.uid = g.uid AND b.number = g.backfill), '') " \
  "ELSE coalesce((SELECT e.trigger FROM extra e WHERE g.flags & 8 AND e.seq = g.seq), '') END "

// Of a job without a schedule; the last column.
#define CARILLON_JOB_NAMESPACE \
  ", CASE g.uid WHEN 0 THEN coalesce((SELECT e.namespace FROM extra e WHERE e.seq = g.seq), 'default') END "

constexpr int decision_namespace_column = 14;
constexpr int attempt_namespace_column = 15;

/// The head of a line about a job. It needs a schedule's id, which is not written.
Result<LineHead> head_of_job(const Cursor& row, int namespace_column) {
  static const ScheduleId nobody = ScheduleId::parse("job").value();
  auto name_space = NamespaceId::parse(row.text(namespace_column));
  if (!name_space) return fail(ErrorCode::corrupt, "job {} has an invalid namespace", row.number(seq_column));
  return LineHead{.seq = row.as<Seq>(seq_column),
                  .at = row.instant(at_column),
                  .name_space = *std::move(name_space),
                  .schedule = nobody};
}

std::string name_of_run(const Cursor& row, int first, const ScheduleId& schedule) {
  return run_name(schedule, row.instant(first), row.one_of(first + 1, Source::adhoc), row.text(first + 2));
}

DecisionLine decision_of(const Cursor& row, LineHead head) {
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
    line.run = name_of_run(row, 11, line.head.schedule);
    line.ended_at = row.instant_if(10);
  }
  return line;
}

AttemptLine attempt_of(const Cursor& row, LineHead head) {
  AttemptLine line{.head = std::move(head),
                   .run = {},
                   .attempt = row.count(3),
                   .worker = row.free_text(4),
                   .state = row.one_of(5, AttemptState::released),
                   .claimed_at = row.instant(6),
                   .launched_at = row.instant_if(7),
                   .ended_at = row.instant_if(8),
                   .exit_code = row.number_if(9),
                   .reason = row.free_text(10),
                   .claimable_from = row.instant(11)};
  line.run = name_of_run(row, 12, line.head.schedule);
  return line;
}

ChangeLine change_of(const Cursor& row, LineHead head) {
  ChangeLine line{.head = std::move(head),
                  .revision = row.count(3),
                  .kind = row.one_of(4, ChangeKind::reset),
                  .by = row.free_text(5),
                  .document = {}};
  if (!row.is_null(6)) line.document = row.text(6);
  return line;
}

RangeLine range_of(const Cursor& row, LineHead head) {
  return {.head = std::move(head),
          .revision = row.count(3),
          .from = row.instant(4),
          .to = row.instant(5),
          .count = row.count(6),
          .reason = row.one_of(7, SkipReason::outage)};
}

VoidLine void_of(const Cursor& row, LineHead head) {
  return {.head = std::move(head), .from = row.instant(3), .to = row.instant(4)};
}

BackfillLine backfill_of(const Cursor& row, LineHead head) {
  return {.head = std::move(head),
          .id = std::string{row.text(3)},
          .from = row.instant(4),
          .to = row.instant(5),
          .state = row.one_of(6, BackfillState::cancelled),
          .done = row.count(7),
          .total = row.count(8)};
}

OutageLine outage_of(const Cursor& row) {
  return {.head = {.seq = row.as<Seq>(seq_column), .at = row.instant(at_column)},
          .from = row.instant(3),
          .to = row.instant(4),
          .cause = row.one_of(5, OutageCause::store)};
}

constexpr std::size_t outage_kind = 6;

}  // namespace

LedgerReading::LedgerReading(Connection& connection, DefinitionRows& definitions)
    : definitions_{definitions},
      decisions_{connection,
                 "SELECT g.seq, g.uid, g.at, g.server, g.revision, g.version, g.due, g.outcome, g.reason, "
                 "g.waited_from, g.ended_at, " CARILLON_RUN_NAME CARILLON_JOB_NAMESPACE
                 "FROM ledger g WHERE g.seq > ?1 AND (g.uid <> 0 OR ?3) ORDER BY g.seq LIMIT ?2"},
      attempts_{connection,
                "SELECT a.seq, a.uid, a.at, a.attempt, s.worker, a.state, a.claimed_at, a.launched_at, a.ended_at, "
                "a.exit_code, a.reason, a.claimable_from, " CARILLON_RUN_NAME CARILLON_JOB_NAMESPACE
                "FROM attempt a CROSS JOIN ledger g ON g.seq = a.run_seq LEFT JOIN session s ON s.id = a.session "
                "WHERE a.seq > ?1 AND (a.uid <> 0 OR ?3) ORDER BY a.seq LIMIT ?2"},
      changes_{connection,
               "SELECT c.seq, c.uid, c.at, c.revision, c.kind, c.by, (SELECT d.document FROM definition d "
               "WHERE c.has_document AND d.place = c.uid << 27 | c.revision) "
               "FROM change c WHERE c.seq > ?1 ORDER BY c.seq LIMIT ?2"},
      ranges_{connection,
              "SELECT seq, uid, at, revision, first, last, count, reason FROM skipped_range WHERE seq > ?1 "
              "ORDER BY seq LIMIT ?2"},
      voids_{connection, "SELECT seq, uid, at, first, last FROM voided_range WHERE seq > ?1 ORDER BY seq LIMIT ?2"},
      backfills_{connection,
                 "SELECT seq, uid, at, id, first, last, state, done, total FROM backfill WHERE seq > ?1 "
                 "ORDER BY seq LIMIT ?2"},
      outages_{connection, "SELECT seq, 0, at, first, last, cause FROM outage WHERE seq > ?1 ORDER BY seq LIMIT ?2"} {
  static_assert(static_cast<int>(Source::backfill) == 3);
}

Result<LedgerRecord> LedgerReading::record_of(std::size_t kind, const Cursor& row, Names& names) {
  if (kind == outage_kind) return outage_of(row);
  const auto uid = row.as<Uid>(uid_column);
  LineHead head = uid == Uid{} && kind < 2
                      ? TRY(head_of_job(row, kind == 0 ? decision_namespace_column : attempt_namespace_column))
                      : TRY(names.head_of(uid, row.as<Seq>(seq_column), row.instant(at_column)));
  switch (kind) {
    case 0: return decision_of(row, std::move(head));
    case 1: return attempt_of(row, std::move(head));
    case 2: return change_of(row, std::move(head));
    case 3: return range_of(row, std::move(head));
    case 4: return void_of(row, std::move(head));
    default: return backfill_of(row, std::move(head));
  }
}

Result<std::vector<LedgerRecord>> LedgerReading::read(Seq after, std::size_t count_max, Jobs jobs) {
  const bool has_jobs = jobs == Jobs::included;
  const auto limit = std::min<std::size_t>(count_max, std::numeric_limits<std::int64_t>::max());
  std::array<Cursor, 7> rows{decisions_.query(after, limit, has_jobs),
                             attempts_.query(after, limit, has_jobs),
                             changes_.query(after, limit),
                             ranges_.query(after, limit),
                             voids_.query(after, limit),
                             backfills_.query(after, limit),
                             outages_.query(after, limit)};
  // The seq each kind of line goes on with.
  constexpr auto over = static_cast<Seq>(std::numeric_limits<std::int64_t>::max());
  std::array<Seq, 7> next{};
  const auto advance = [&](std::size_t kind) -> Result<> {
    next[kind] = TRY(rows[kind].next()) ? rows[kind].as<Seq>(seq_column) : over;
    return {};
  };
  for (std::size_t kind = 0; kind < rows.size(); ++kind) TRY(advance(kind));

  Names names{definitions_};
  std::vector<LedgerRecord> records;
  while (records.size() < count_max) {
    const auto kind = static_cast<std::size_t>(std::ranges::min_element(next) - next.begin());
    if (next[kind] == over) break;
    records.push_back(TRY(record_of(kind, rows[kind], names)));
    TRY(rows[kind].check());
    TRY(advance(kind));
  }
  return records;
}

}  // namespace carillon::sqlite
