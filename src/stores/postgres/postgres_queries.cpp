#include "engine/run_name.hpp"
#include "stores/postgres/run_records.hpp"
#include "stores/postgres/schedule_views.hpp"
#include "stores/postgres/store_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

namespace carillon {
namespace {

using postgres::Parameters;
using postgres::RecordDetail;
using postgres::ResultRows;
using postgres::Row;
using postgres::Transaction;
using postgres::WalkedDecision;

struct ListedUids {
  std::vector<Uid> uids;
  std::int64_t total = 0;
  bool has_more = false;

  void add(Uid uid, std::size_t count_max) {
    has_more = uids.size() == count_max;
    if (!has_more) uids.push_back(uid);
  }
};

std::pair<std::string, std::string> place_of_key(const std::optional<ScheduleKey>& key) {
  if (!key) return {};
  return {std::string{key->name_space.text()}, postgres::compared_id(key->id.text())};
}

Result<ListedUids> list_by_name(Transaction& transaction, const ScheduleListRequest& request) {
  const auto& name_space = request.filter.name_space;
  const auto [after_namespace, after_id] = place_of_key(request.after);
  const char* const inside = name_space ? "AND namespace = $1" : "AND $1::text IS NULL";
  transaction.send(fmt::format("SELECT count(*) FROM schedule WHERE NOT is_deleted {}", inside),
                   Parameters{name_space});
  // One more than asked for tells whether there are more.
  transaction.send(fmt::format("SELECT uid FROM schedule WHERE NOT is_deleted {} AND (namespace, lower(id)) > ($2, $3) "
                               "ORDER BY namespace, lower(id) LIMIT $4 OFFSET $5",
                               inside),
                   Parameters{name_space, after_namespace, after_id, postgres::row_limit(request.count_max) + 1,
                              postgres::row_limit(request.offset)});
  const auto answers = TRY(transaction.collect());
  ListedUids listed;
  listed.total = answers[0][0].number(0);
  for (const Row row : answers[1]) listed.add(row.as<Uid>(0), request.count_max);
  return listed;
}

Result<ListedUids> list_by_filter(Transaction& transaction, const ScheduleListRequest& request) {
  const ScheduleFilter& filter = request.filter;
  const ScheduleMatcher matcher{filter};
  const auto after = place_of_key(request.after);
  const auto rows = TRY(transaction.query(
      fmt::format("SELECT n.uid, n.namespace, n.id, (s.flags >> 5) & 7, n.name, n.action, n.labels, n.workflow, "
                  "s.wake_at, {} FROM schedule n JOIN state s ON s.uid = n.uid WHERE NOT n.is_deleted {} ORDER BY "
                  "n.namespace, lower(n.id)",
                  // Few searches ask for time zones, which only documents have.
                  asks_for_timezones(filter) ? "coalesce((SELECT d.document::jsonb -> 'spec' ->> 'timezone' FROM "
                                               "definition d WHERE d.uid = n.uid ORDER BY d.revision DESC LIMIT 1), '')"
                                             : "''::text",
                  filter.name_space ? "AND n.namespace = $1" : "AND $1::text IS NULL"),
      Parameters{filter.name_space}));
  ListedUids listed;
  std::size_t passed = 0;  // of those after the key
  for (const Row row : rows) {
    const std::string id = row.text(2);
    const ListedSchedule one{.name_space = row.bytes(1),
                             .id = id,
                             .status = row.one_of(3, ScheduleStatus::dead),
                             .name = row.bytes(4),
                             .action = row.bytes(5),
                             .labels = row.bytes(6),
                             .workflow = row.bytes(7),
                             .timezone = row.bytes(9)};
    const auto wake = row.instant_if(8);
    if (!matcher.matches(one) || (filter.next_before && (!wake || *wake >= *filter.next_before))) continue;
    ++listed.total;
    const bool is_after = !request.after || std::pair{row.text(1), postgres::compared_id(id)} > after;
    if (!is_after || ++passed <= request.offset) continue;
    listed.add(row.as<Uid>(0), request.count_max);
  }
  return listed;
}

template <typename Value>
bool is_among(const std::vector<Value>& values, Value value) {
  return std::ranges::find(values, value) != values.end();
}

/// What can be told without knowing the schedule's name.
bool fits_filter(const WalkedDecision& decision, const RunFilter& filter) {
  if (!filter.with_decisions && decision.outcome != DecisionOutcome::started) return false;
  const bool has_run = decision.outcome != DecisionOutcome::skipped;
  if (!filter.states.empty() && (!has_run || !is_among(filter.states, decision.state.value_or(RunState::waiting))))
    return false;
  if (!filter.sources.empty() && !is_among(filter.sources, decision.source)) return false;
  if (!filter.queue.empty() && (!has_run || queue_of_lane(decision.queue) != filter.queue)) return false;
  const Instant queued_at = has_run ? decision.queued_at.value_or(decision.at) : decision.at;
  return (!filter.since || queued_at >= *filter.since) && (!filter.until || queued_at < *filter.until);
}

std::string run_name_tail(Source source, std::string_view detail) {
  switch (source) {
    case Source::trigger: return fmt::format("+trigger-{}", detail);
    case Source::backfill: return fmt::format("+backfill-{}", detail);
    case Source::chain: return fmt::format("+chain-{}", detail);
    default: return {};
  }
}

Result<std::unordered_set<std::int64_t>> uids_in(Transaction& transaction, const std::string& name_space) {
  std::unordered_set<std::int64_t> uids;
  const auto found = TRY(transaction.query("SELECT uid FROM schedule WHERE namespace = $1", Parameters{name_space}));
  for (const Row row : found) uids.insert(row.number(0));
  return uids;
}

std::vector<RunRecordRow> those_found(std::vector<std::optional<RunRecordRow>> records) {
  std::vector<RunRecordRow> found;
  for (auto& record : records)
    if (record) found.push_back(*std::move(record));
  return found;
}

/// Every line begins with its seq and its time.
template <typename Name>
LineHead head_in(const Row& row, const Name& name) {
  return {.seq = row.as<Seq>(0),
          .at = row.instant(1),
          .name_space = name.key.name_space,
          .schedule = name.key.id,
          .incarnation = name.incarnation};
}

/// Columns: seq, at, revision, kind, by, reason, until.
ChangeLine change_in(const Row& row, LineHead head) {
  return {.head = std::move(head),
          .revision = row.count(2),
          .kind = row.one_of(3, ChangeKind::reset),
          .by = row.text(4),
          .document = {},
          .reason = row.text(5),
          .until = row.instant_if(6)};
}

}  // namespace

Result<std::optional<ScheduleRecord>> PostgresStore::read_schedule(const ScheduleKey& key) {
  using Answer = std::optional<ScheduleRecord>;
  return read<Answer>([&](Transaction& transaction) -> Result<Answer> {
    const auto found = TRY(transaction.query(postgres::bearer_query,
                                             Parameters{key.name_space.text(), postgres::compared_id(key.id.text())}));
    if (found.empty()) return std::nullopt;
    const Uid uid = found[0].as<Uid>(0);
    auto records = TRY(postgres::read_schedule_records(transaction, std::span{&uid, 1}));
    return records.empty() ? Answer{} : Answer{std::move(records.front())};
  });
}

Result<std::optional<ScheduleRecord>> PostgresStore::read_schedule(Uid uid) {
  using Answer = std::optional<ScheduleRecord>;
  return read<Answer>([&](Transaction& transaction) -> Result<Answer> {
    auto records = TRY(postgres::read_schedule_records(transaction, std::span{&uid, 1}));
    return records.empty() ? Answer{} : Answer{std::move(records.front())};
  });
}

Result<ScheduleList> PostgresStore::list_schedules(const ScheduleListRequest& request) {
  return read<ScheduleList>([&](Transaction& transaction) -> Result<ScheduleList> {
    const auto listed = has_conditions(request.filter) ? TRY(list_by_filter(transaction, request))
                                                       : TRY(list_by_name(transaction, request));
    ScheduleList list{.store_now = TRY(read_moment(transaction)).now,
                      .items = TRY(postgres::read_schedule_records(transaction, listed.uids)),
                      .total = listed.total,
                      .has_more = listed.has_more};
    if (request.recent_count_max == 0) return list;
    for (ScheduleRecord& record : list.items) {
      const auto newest =
          TRY(transaction.query("SELECT seq FROM ledger WHERE uid = $1 AND outcome = 1 ORDER BY seq DESC LIMIT $2",
                                Parameters{record.view.state.uid, postgres::row_limit(request.recent_count_max)}));
      std::vector<Seq> seqs;
      for (const Row row : newest) seqs.push_back(row.as<Seq>(0));
      record.recent = those_found(TRY(postgres::read_run_rows(transaction, seqs, RecordDetail::attempts)));
    }
    return list;
  });
}

Result<RunList> PostgresStore::list_runs(const RunListRequest& request) {
  return read<RunList>([&](Transaction& transaction) -> Result<RunList> {
    const RunFilter& filter = request.filter;
    RunList list{.store_now = TRY(read_moment(transaction)).now, .items = {}, .next = {}};
    std::unordered_set<std::int64_t> inside;
    if (filter.name_space) inside = TRY(uids_in(transaction, *filter.name_space));
    const auto is_inside = [&](Uid uid) { return inside.contains(static_cast<std::int64_t>(uid)); };
    if (filter.name_space && filter.uid && !is_inside(*filter.uid)) return list;
    std::vector<Seq> found;
    // One more than asked for tells whether there are more.
    const auto visit = [&](const WalkedDecision& decision) -> Result<bool> {
      const bool is_here = !filter.name_space || (decision.uid == Uid{} ? decision.name_space == *filter.name_space
                                                                        : is_inside(decision.uid));
      if (is_here && fits_filter(decision, filter)) found.push_back(decision.seq);
      return found.size() <= request.count_max;
    };
    list.next = TRY(postgres::walk_decisions(transaction, filter.uid, request.before, request.scan_max, visit));
    if (found.size() > request.count_max) {
      found.pop_back();
      list.next = found.empty() ? request.before : found.back();
    }
    list.items = those_found(TRY(postgres::read_run_rows(transaction, found, RecordDetail::plain)));
    return list;
  });
}

Result<std::vector<std::optional<RunRecordRow>>> PostgresStore::read_run_records(std::span<const Seq> seqs) {
  return read<std::vector<std::optional<RunRecordRow>>>([&](Transaction& transaction) {
    return postgres::read_run_rows(transaction, seqs, RecordDetail::attempts_and_result);
  });
}

Result<std::optional<Seq>> PostgresStore::find_run(const std::string& name_space, const std::string& name) {
  using Answer = std::optional<Seq>;
  return read<Answer>([&](Transaction& transaction) -> Result<Answer> {
    if (name.starts_with('~')) {
      const auto job = TRY(transaction.query("SELECT seq FROM ledger WHERE uid = 0 AND trigger = $1 AND namespace = $2",
                                             Parameters{name, name_space}));
      return job.empty() ? Answer{} : Answer{job[0].as<Seq>(0)};
    }
    const auto parts = parse_run_name(name);
    if (!parts) return std::nullopt;
    const auto found = TRY(transaction.query(
        "SELECT g.seq, g.source, CASE g.source WHEN 3 THEN (SELECT b.id FROM backfill b WHERE b.uid = g.uid AND "
        "b.number "
        "= g.backfill) ELSE g.trigger END FROM schedule s JOIN ledger g ON g.uid = s.uid WHERE s.namespace = $1 AND "
        "lower(s.id) = $2 AND g.nominal = $3 AND g.outcome <> 2 ORDER BY s.incarnation DESC, g.seq DESC",
        Parameters{name_space, postgres::compared_id(parts->schedule), parts->nominal}));
    for (const Row row : found)
      if (run_name_tail(row.one_of(1, Source::adhoc), row.text(2)) == parts->tail) return Answer{row.as<Seq>(0)};
    return std::nullopt;
  });
}

Result<PastDecisions> PostgresStore::read_decisions(Uid uid, Instant from, Instant to, std::size_t count_max) {
  return read<PastDecisions>([&](Transaction& transaction) -> Result<PastDecisions> {
    PastDecisions past;
    const std::int64_t limit = postgres::row_limit(count_max);
    transaction.send(
        "SELECT seq FROM ledger WHERE uid = $1 AND nominal >= $2 AND nominal < $3 ORDER BY seq DESC LIMIT $4",
        Parameters{uid, from, to, limit});
    transaction.send(
        "SELECT seq, at, revision, first, last, count, reason FROM skipped_range WHERE uid = $1 AND first < $3 AND "
        "last "
        ">= $2 ORDER BY seq DESC LIMIT $4",
        Parameters{uid, from, to, limit});
    transaction.send(
        "SELECT seq, at, first, last FROM voided_range WHERE uid = $1 AND first < $3 AND last >= $2 ORDER BY seq DESC "
        "LIMIT $4",
        Parameters{uid, from, to, limit});
    transaction.send(
        "SELECT seq, at, revision, kind, by, reason, until FROM change WHERE uid = $1 AND at < $2 ORDER BY seq DESC "
        "LIMIT $3",
        Parameters{uid, to, limit});
    const auto answers = TRY(transaction.collect());
    std::vector<Seq> seqs;
    for (const Row row : answers[0]) seqs.push_back(row.as<Seq>(0));
    past.rows = those_found(TRY(postgres::read_run_rows(transaction, seqs, RecordDetail::plain)));
    std::ranges::sort(past.rows, {}, [](const RunRecordRow& record) { return std::pair{record.nominal, record.seq}; });
    const auto names = TRY(postgres::read_names(transaction, {uid}));
    const auto name = names.find(uid);
    if (name == names.end()) return past;
    const auto head = [&](const Row& row) { return head_in(row, name->second); };
    for (const Row row : answers[1])
      past.ranges.push_back({.head = head(row),
                             .revision = row.count(2),
                             .from = row.instant(3),
                             .to = row.instant(4),
                             .count = row.count(5),
                             .reason = row.one_of(6, SkipReason::outage)});
    for (const Row row : answers[2])
      past.voids.push_back({.head = head(row), .from = row.instant(2), .to = row.instant(3)});
    for (const Row row : answers[3]) past.changes.push_back(change_in(row, head(row)));
    std::ranges::reverse(past.ranges);
    std::ranges::reverse(past.voids);
    std::ranges::reverse(past.changes);
    return past;
  });
}

Result<std::vector<ChangeLine>> PostgresStore::read_revisions(Uid uid, const RevisionListRequest& request) {
  using Lines = std::vector<ChangeLine>;
  return read<Lines>([&](Transaction& transaction) -> Result<Lines> {
    const auto names = TRY(postgres::read_names(transaction, {uid}));
    const auto name = names.find(uid);
    if (name == names.end()) return Lines{};
    const auto rows = TRY(transaction.query(
        fmt::format("SELECT seq, at, revision, kind, by, reason, until FROM change WHERE uid = $1 AND revision < $2 {} "
                    "ORDER BY seq DESC LIMIT $3",
                    request.definitions_only ? "AND has_document" : ""),
        Parameters{uid, request.before.value_or(std::numeric_limits<std::int64_t>::max()),
                   postgres::row_limit(request.count_max)}));
    Lines lines;
    for (const Row row : rows) lines.push_back(change_in(row, head_in(row, name->second)));
    return lines;
  });
}

Result<std::vector<Backfill>> PostgresStore::read_backfills(Uid uid) {
  using Records = std::vector<Backfill>;
  return read<Records>([&](Transaction& transaction) -> Result<Records> {
    const auto found = TRY(transaction.query(
        fmt::format("SELECT {} FROM backfill WHERE uid = $1 ORDER BY number DESC", postgres::backfill_columns),
        Parameters{uid}));
    Records records;
    for (const Row row : found) records.push_back(postgres::read_backfill_row(row, 1));
    return records;
  });
}

Result<BackfillList> PostgresStore::list_backfills(const BackfillListRequest& request) {
  return read<BackfillList>([&](Transaction& transaction) -> Result<BackfillList> {
    const auto before =
        static_cast<std::int64_t>(request.before.value_or(Seq{std::numeric_limits<std::int64_t>::max()}));
    const auto found = TRY(transaction.query(
        fmt::format("SELECT b.*, n.namespace, n.id, n.incarnation, n.created_at FROM (SELECT seq, {} FROM backfill "
                    "WHERE seq < $1 {}) b JOIN schedule n ON n.uid = b.uid WHERE NOT n.is_deleted {} ORDER BY b.seq "
                    "DESC LIMIT $3",
                    postgres::backfill_columns, request.is_open_only ? "AND state <= 1" : "",
                    request.name_space ? "AND n.namespace = $2" : "AND $2::text IS NULL"),
        Parameters{before, request.name_space, postgres::row_limit(request.count_max) + 1}));
    BackfillList list;
    constexpr int name_column = 16;
    for (const Row row : found) {
      if (list.items.size() == request.count_max) {
        list.next = list.items.empty() ? request.before : list.items.back().seq;
        break;
      }
      list.items.push_back({.key = TRY(postgres::read_name_row(row, name_column)).key,
                            .backfill = postgres::read_backfill_row(row, 2),
                            .seq = row.as<Seq>(0)});
    }
    return list;
  });
}

Result<std::vector<ScheduleRecord>> PostgresStore::read_waking(const std::optional<std::string>& name_space,
                                                               Instant before, std::size_t count_max) {
  using Records = std::vector<ScheduleRecord>;
  return read<Records>([&](Transaction& transaction) -> Result<Records> {
    const auto found = TRY(transaction.query(
        fmt::format("SELECT s.uid FROM state s JOIN schedule n ON n.uid = s.uid WHERE s.wake_at < $2 AND s.flags & 2 = "
                    "0 {} ORDER BY s.wake_at, s.uid LIMIT $3",
                    name_space ? "AND n.namespace = $1" : "AND $1::text IS NULL"),
        Parameters{name_space, before, postgres::row_limit(count_max)}));
    std::vector<Uid> uids;
    for (const Row row : found) uids.push_back(row.as<Uid>(0));
    return postgres::read_schedule_records(transaction, uids);
  });
}

Result<std::vector<Outage>> PostgresStore::read_outages(Instant from, Instant to, std::size_t count_max) {
  using Outages = std::vector<Outage>;
  return read<Outages>([&](Transaction& transaction) -> Result<Outages> {
    return postgres::read_outage_rows(TRY(transaction.query(
        "SELECT seq, first, last, cause FROM outage WHERE first < $2 AND last > $1 ORDER BY seq DESC LIMIT $3",
        Parameters{from, to, postgres::row_limit(count_max)})));
  });
}

Result<std::vector<QueueRecord>> PostgresStore::read_queues() {
  using Records = std::vector<QueueRecord>;
  return read<Records>([&](Transaction& transaction) -> Result<Records> {
    const auto found = TRY(transaction.query(
        "WITH clock AS MATERIALIZED (SELECT store_now() AS now), waiting AS (SELECT split_part(queue, '|', 1) AS name, "
        "count(*), min(claimable_from) FILTER (WHERE claimable_from <= (SELECT now FROM clock)) AS oldest FROM ledger "
        "WHERE state IN (1, 3) GROUP BY 1), running AS (SELECT split_part(queue, '|', 1) AS name, count(*) FROM ledger "
        "WHERE state = 2 GROUP BY 1), dead AS (SELECT split_part(queue, '|', 1) AS name, count(*) FROM ledger WHERE "
        "flags & 32 <> 0 GROUP BY 1) SELECT q.name, q.is_paused, coalesce(w.count, 0), w.oldest, coalesce(r.count, 0), "
        "q.run_limit, q.keeps_failed, coalesce(d.count, 0) FROM queue q LEFT JOIN waiting w ON w.name = q.name LEFT "
        "JOIN "
        "running r ON r.name = q.name LEFT JOIN dead d ON d.name = q.name ORDER BY q.name"));
    Records records;
    for (const Row row : found)
      records.push_back({.name = row.text(0),
                         .depth = row.count(2),
                         .oldest = row.instant_if(3),
                         .running = row.count(4),
                         .is_paused = row.flag(1),
                         .limit = row.number_if(5),
                         .keeps_failed = row.flag(6),
                         .dead = row.count(7)});
    return records;
  });
}

Result<std::vector<Seq>> PostgresStore::read_dead_letters(std::optional<Seq> before, std::size_t count_max) {
  using Seqs = std::vector<Seq>;
  return read<Seqs>([&](Transaction& transaction) -> Result<Seqs> {
    Seqs found;
    for (const Row row : TRY(transaction.query("SELECT seq FROM ledger WHERE flags & 32 <> 0 AND ($1::int8 IS NULL OR "
                                               "seq < $1) ORDER BY seq DESC LIMIT $2",
                                               Parameters{before, postgres::row_limit(count_max)})))
      found.push_back(row.as<Seq>(0));
    return found;
  });
}

Result<std::vector<std::string>> PostgresStore::read_paused_queues() {
  using Names = std::vector<std::string>;
  return read<Names>([&](Transaction& transaction) -> Result<Names> {
    Names names;
    for (const Row row : TRY(transaction.query("SELECT name FROM queue WHERE is_paused ORDER BY name")))
      names.push_back(row.text(0));
    return names;
  });
}

Result<std::vector<WorkerRecord>> PostgresStore::read_workers(std::size_t count_max) {
  using Records = std::vector<WorkerRecord>;
  return read<Records>([&](Transaction& transaction) -> Result<Records> {
    const auto found = TRY(transaction.query(
        "SELECT s.worker, s.lease_until, (SELECT count(*) FROM ledger g WHERE g.session = s.id AND g.state = 2) FROM "
        "session s WHERE s.phase = 0 AND s.lease_until > store_now() ORDER BY s.worker COLLATE \"C\", s.id LIMIT $1",
        Parameters{postgres::row_limit(count_max)}));
    Records records;
    for (const Row row : found)
      records.push_back({.name = row.text(0), .lease_until = row.instant(1), .running = row.count(2)});
    return records;
  });
}

Result<Totals> PostgresStore::read_totals() {
  return read<Totals>([&](Transaction& transaction) -> Result<Totals> {
    const auto found = TRY(transaction.query(
        "SELECT (SELECT count(*) FROM schedule WHERE NOT is_deleted), (SELECT count(*) FROM ledger WHERE state IN (1, "
        "3)), (SELECT count(*) FROM ledger WHERE state = 2), (SELECT wake_at FROM state WHERE wake_at IS NOT NULL AND "
        "flags & 2 = 0 ORDER BY wake_at, uid LIMIT 1)"));
    const Row row = found[0];
    return Totals{
        .schedules = row.count(0), .ready = row.count(1), .running = row.count(2), .next_wake = row.instant_if(3)};
  });
}

}  // namespace carillon
