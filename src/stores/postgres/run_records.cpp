#include "stores/postgres/run_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>

namespace carillon::postgres {
namespace {

constexpr std::size_t first_piece = 200;
constexpr std::size_t largest_piece = 10'000;

std::optional<ResourceUse> read_resource_use(const Row& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return ResourceUse{
      .user_time = row.duration(column), .system_time = row.duration(column + 1), .memory_max = row.number(column + 2)};
}

AttemptRecord read_attempt_row(const Row& row) {
  return {.attempt = row.count(1),
          .worker = row.text(2),
          .state = row.one_of(3, AttemptState::released),
          .claimed_at = row.instant(4),
          .launched_at = row.instant_if(5),
          .ended_at = row.instant_if(6),
          .exit_code = row.number_if(7),
          .signal = row.number_if(8),
          .error = row.text(9),
          .use = read_resource_use(row, 10),
          .known_as = row.text(13)};
}

RunRecordRow record_of_run(StoredRun run, const std::map<Uid, StoredName>& names) {
  RunRecordRow record{std::move(run.row)};
  record.outcome = run.outcome;
  if (record.outcome == DecisionOutcome::skipped) record.reason = run.reason;
  record.decided_revision = run.revision;
  record.decided_at = run.at;
  record.waited_from = run.waited_from;
  const auto name = names.find(record.uid);
  if (name == names.end()) return record;
  record.key = name->second.key;
  record.name_space = record.key->name_space.text();
  return record;
}

struct SeqValues {
  std::vector<Seq> seqs;
  [[nodiscard]] Parameters parameters() const {
    Parameters values;
    values.array(seqs);
    return values;
  }
};

}  // namespace

Result<std::optional<Seq>> walk_decisions(Transaction& transaction, std::optional<Uid> uid, std::optional<Seq> before,
                                          std::size_t look_count_max, const DecisionVisit& visit) {
  const std::string sql = fmt::format(
      "SELECT seq, uid, at, source, outcome, state, queued_at, queue, namespace FROM ledger WHERE seq < $1 AND {} "
      "ORDER BY seq DESC LIMIT $3",
      uid ? "uid = $2" : "$2::int8 IS NULL");
  Seq bound = before.value_or(static_cast<Seq>(std::numeric_limits<std::int64_t>::max()));
  std::size_t looks = 0;
  for (std::size_t piece = first_piece;; piece = std::min(piece * 4, largest_piece)) {
    const auto rows = TRY(transaction.query(sql, Parameters{bound, uid, piece}));
    for (const Row row : rows) {
      if (looks++ == look_count_max) return bound;
      const WalkedDecision decision{.seq = row.as<Seq>(0),
                                    .uid = row.as<Uid>(1),
                                    .at = row.instant(2),
                                    .source = row.one_of(3, Source::adhoc),
                                    .outcome = row.one_of(4, DecisionOutcome::skipped),
                                    .state = row.one_of_if(5, RunState::expired),
                                    .queued_at = row.instant_if(6),
                                    .queue = row.text(7),
                                    .name_space = row.text(8)};
      bound = decision.seq;
      if (!TRY(visit(decision))) return std::nullopt;
    }
    if (rows.size() < piece) return std::nullopt;
  }
}

Result<std::vector<std::optional<RunRecordRow>>> read_run_rows(Transaction& transaction, std::span<const Seq> seqs,
                                                               RecordDetail detail) {
  std::vector<std::optional<RunRecordRow>> records(seqs.size());
  if (seqs.empty()) return records;
  const SeqValues wanted{{seqs.begin(), seqs.end()}};
  transaction.send(fmt::format("SELECT {} FROM ledger g WHERE g.seq = ANY($1)", run_columns), wanted.parameters());
  if (detail != RecordDetail::plain)
    transaction.send(
        "SELECT a.run_seq, a.attempt, s.worker, a.state, a.claimed_at, a.launched_at, a.ended_at, a.exit_code, "
        "a.signal, a.reason, a.user_time, a.system_time, a.memory_max, a.known_as FROM attempt a LEFT JOIN session s "
        "ON "
        "s.id = a.session WHERE a.run_seq = ANY($1) ORDER BY a.run_seq, a.attempt",
        wanted.parameters());
  if (detail == RecordDetail::attempts_and_result)
    transaction.send("SELECT seq, value FROM result WHERE seq = ANY($1)", wanted.parameters());
  const auto answers = TRY(transaction.collect());
  auto runs = TRY(read_all_runs(answers[0]));
  std::set<Uid> uids;
  for (const StoredRun& run : runs)
    if (run.row.uid != Uid{}) uids.insert(run.row.uid);
  const auto names = TRY(read_names(transaction, {uids.begin(), uids.end()}));
  std::unordered_map<Seq, RunRecordRow> found;
  for (StoredRun& run : runs) {
    const Seq seq = run.row.seq;
    if (run.row.uid != Uid{} && !names.contains(run.row.uid))
      return fail(ErrorCode::corrupt, "there is no schedule {}", static_cast<std::int64_t>(run.row.uid));
    found.emplace(seq, record_of_run(std::move(run), names));
  }
  const auto has_run = [&](Seq seq) {
    const auto record = found.find(seq);
    return record != found.end() && record->second.outcome != DecisionOutcome::skipped;
  };
  if (detail != RecordDetail::plain)
    for (const Row row : answers[1])
      if (has_run(row.as<Seq>(0))) found.at(row.as<Seq>(0)).attempts.push_back(read_attempt_row(row));
  if (detail == RecordDetail::attempts_and_result)
    for (const Row row : answers[2])
      if (has_run(row.as<Seq>(0))) found.at(row.as<Seq>(0)).result = row.text(1);
  for (std::size_t i = 0; i < seqs.size(); ++i)
    if (const auto record = found.find(seqs[i]); record != found.end()) records[i] = record->second;
  return records;
}

Result<std::vector<ScheduleRecord>> read_schedule_records(Transaction& transaction, std::span<const Uid> uids) {
  std::vector<ScheduleRecord> records;
  if (uids.empty()) return records;
  auto views = TRY(read_views(transaction, uids));
  std::erase_if(views, [](const ScheduleView& view) { return view.state.deleted_at.has_value(); });
  Parameters values;
  values.column(views, [](const ScheduleView& view) { return view.state.uid; });
  values.column(views, [](const ScheduleView& view) { return view.state.revision; });
  values.column(views, [](const ScheduleView& view) { return view.state.has_note; });
  const auto found = TRY(transaction.query(
      "SELECT u.uid, s.namespace, s.id, s.incarnation, s.created_at, d.document, (SELECT c.by FROM change c WHERE "
      "c.uid "
      "= u.uid ORDER BY c.seq LIMIT 1), (SELECT c.at FROM change c WHERE c.uid = u.uid ORDER BY c.seq DESC LIMIT 1), "
      "p.reason, p.by, q.error, n.reason FROM unnest($1, $2, $3) AS u(uid, revision, has_note) JOIN "
      "schedule s ON s.uid = u.uid "
      "CROSS JOIN LATERAL (SELECT document FROM definition d WHERE d.uid = u.uid AND d.revision <= u.revision ORDER BY "
      "d.revision DESC LIMIT 1) d LEFT JOIN LATERAL (SELECT c.reason, c.by FROM change c WHERE c.uid = u.uid AND "
      "c.kind = 2 ORDER BY c.seq DESC LIMIT 1) p ON true LEFT JOIN LATERAL (SELECT c.reason FROM change c WHERE "
      "u.has_note AND c.uid = u.uid AND c.reason <> '' ORDER BY c.seq DESC LIMIT 1) n ON true LEFT JOIN quarantine q "
      "ON q.uid = u.uid",
      values));
  std::unordered_map<Uid, std::size_t> places;
  for (std::size_t i = 0; i < found.size(); ++i) places.emplace(found[i].as<Uid>(0), i);
  for (ScheduleView& view : views) {
    const auto place = places.find(view.state.uid);
    if (place == places.end())
      return fail(ErrorCode::corrupt, "schedule {} has no definition", static_cast<std::int64_t>(view.state.uid));
    const Row row = found[place->second];
    StoredName name = TRY(read_name_row(row, 1));
    const bool is_paused = view.state.paused_at.has_value();
    ScheduleRecord& record = records.emplace_back(ScheduleRecord{.key = std::move(name.key),
                                                                 .view = std::move(view),
                                                                 .document = row.text(5),
                                                                 .created_at = name.created_at,
                                                                 .updated_at = name.created_at,
                                                                 .owner = row.text(6),
                                                                 .pause = {},
                                                                 .quarantine = row.text_if(10)});
    if (!row.is_null(7)) record.updated_at = row.instant(7);
    record.note = row.text_if(11);
    if (is_paused) record.pause = {.reason = row.text(8), .by = row.text(9)};
  }
  return records;
}

}  // namespace carillon::postgres
