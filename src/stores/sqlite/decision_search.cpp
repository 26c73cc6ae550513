#include "stores/sqlite/decision_search.hpp"

#include "stores/sqlite/shared_rows.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace carillon::sqlite {
namespace {

/// More decisions than a schedule keeps, unless it starts every second; and a second's work.
constexpr std::size_t look_count_max = 1'000'000;

std::string tail_of_name(Source source, std::string_view detail) {
  switch (source) {
    case Source::trigger: return fmt::format("+trigger-{}", detail);
    case Source::backfill: return fmt::format("+backfill-{}", detail);
    case Source::chain: return fmt::format("+chain-{}", detail);
    default: return {};
  }
}

/// Columns: seq, at, revision, kind, by, reason, until.
ChangeLine change_in(const Cursor& row, LineHead head) {
  return {.head = std::move(head),
          .revision = row.count(2),
          .kind = row.one_of(3, ChangeKind::reset),
          .by = row.free_text(4),
          .document = {},
          .reason = row.free_text(5),
          .until = row.instant_if(6)};
}

}  // namespace

DecisionSearch::DecisionSearch(Connection& connection, DecisionWalk& walk, RunRecords& records)
    : walk_{walk},
      records_{records},
      job_{connection,
           "SELECT j.seq FROM job j CROSS JOIN extra e ON e.seq = j.seq "
           "WHERE j.name = ?1 AND coalesce(e.namespace, 'default') = ?2"},
      bearers_{connection,
               "SELECT uid FROM schedule WHERE namespace = ?1 AND id = ?2 COLLATE NOCASE ORDER BY incarnation DESC"},
      flags_{connection, "SELECT flags FROM state WHERE uid = ?1"},
      tail_{connection,
            "SELECT g.source, CASE g.source "
            "WHEN 3 THEN (SELECT b.id FROM backfill b WHERE b.uid = g.uid AND b.number = g.backfill) "
            "ELSE (SELECT e.trigger FROM extra e WHERE e.seq = g.seq) END FROM ledger g WHERE g.seq = ?1"},
      ranges_{connection,
              "SELECT seq, at, revision, first, last, count, reason FROM skipped_range "
              "WHERE uid = ?1 AND first < ?3 AND last >= ?2 ORDER BY seq DESC LIMIT ?4"},
      voids_{connection,
             "SELECT seq, at, first, last FROM voided_range "
             "WHERE uid = ?1 AND first < ?3 AND last >= ?2 ORDER BY seq DESC LIMIT ?4"},
      changes_{connection,
               "SELECT seq, at, revision, kind, by, reason, until FROM change WHERE uid = ?1 AND at < ?2 ORDER BY seq "
               "DESC LIMIT ?3"},
      revisions_{connection,
                 "SELECT seq, at, revision, kind, by, reason, until FROM change WHERE uid = ?1 AND revision < ?2 AND "
                 "has_document >= ?3 ORDER BY seq DESC LIMIT ?4"} {
  static_assert(static_cast<int>(Source::backfill) == 3);
}

Result<std::optional<Seq>> DecisionSearch::find_run(const std::string& name_space, const std::string& name) {
  if (name.starts_with('~')) return find_job(name_space, name);
  const auto parts = parse_run_name(name);
  if (!parts) return std::nullopt;
  Cursor bearer = bearers_.query(name_space, parts->schedule);
  while (TRY(bearer.next()))
    if (const auto run = TRY(find_run_of(bearer.as<Uid>(0), *parts))) return run;
  return std::nullopt;
}

Result<std::optional<Seq>> DecisionSearch::find_job(const std::string& name_space, const std::string& name) {
  Cursor row = job_.query(name, name_space);
  if (!TRY(row.next())) return std::nullopt;
  return row.as<Seq>(0);
}

Result<std::optional<Seq>> DecisionSearch::find_run_of(Uid uid, const RunNameParts& name) {
  const bool is_ahead = TRY(may_be_ahead(uid));
  std::optional<Seq> found;
  TRY(walk_.of(uid, std::nullopt, look_count_max, [&](const WalkedDecision& decision) -> Result<bool> {
    if (decision.at < name.nominal && !is_ahead) return false;
    if (decision.nominal != name.nominal || decision.outcome == DecisionOutcome::skipped) return true;
    if (TRY(tail_of(decision.seq)) == name.tail) found = decision.seq;
    return !found;
  }));
  return found;
}

Result<std::string> DecisionSearch::tail_of(Seq run) {
  Cursor row = tail_.query(run);
  if (!TRY(row.next())) return std::string{};
  return tail_of_name(row.one_of(0, Source::adhoc), row.text(1));
}

// Else nothing is decided before its nominal time, so that what was decided before a time is about earlier ones.
Result<bool> DecisionSearch::may_be_ahead(Uid uid) {
  Cursor row = flags_.query(uid);
  return TRY(row.next()) && has(row.number(0), state_flag::ahead);
}

Result<PastDecisions> DecisionSearch::read(Uid uid, Instant from, Instant to, std::size_t count_max, Names& names) {
  PastDecisions past;
  const bool is_ahead = TRY(may_be_ahead(uid));
  TRY(walk_.of(uid, std::nullopt, look_count_max, [&](const WalkedDecision& decision) -> Result<bool> {
    if ((decision.at < from && !is_ahead) || past.rows.size() >= count_max) return false;
    if (decision.nominal < from || decision.nominal >= to) return true;
    if (auto record = TRY(records_.read(decision.seq, names))) past.rows.push_back(*std::move(record));
    return true;
  }));
  std::ranges::sort(past.rows, {}, [](const RunRecordRow& record) { return std::pair{record.nominal, record.seq}; });

  const auto head = [&](const Cursor& row) { return names.head_of(uid, row.as<Seq>(0), row.instant(1)); };
  const std::int64_t limit = limit_of(count_max);
  Cursor range = ranges_.query(uid, from, to, limit);
  while (TRY(range.next()))
    past.ranges.push_back({.head = TRY(head(range)),
                           .revision = range.count(2),
                           .from = range.instant(3),
                           .to = range.instant(4),
                           .count = range.count(5),
                           .reason = range.one_of(6, SkipReason::outage)});
  Cursor voided = voids_.query(uid, from, to, limit);
  while (TRY(voided.next()))
    past.voids.push_back({.head = TRY(head(voided)), .from = voided.instant(2), .to = voided.instant(3)});
  Cursor change = changes_.query(uid, to, limit);
  while (TRY(change.next())) past.changes.push_back(change_in(change, TRY(head(change))));
  std::ranges::reverse(past.ranges);
  std::ranges::reverse(past.voids);
  std::ranges::reverse(past.changes);
  return past;
}

Result<std::vector<ChangeLine>> DecisionSearch::read_revisions(Uid uid, const RevisionListRequest& request,
                                                               Names& names) {
  std::vector<ChangeLine> revisions;
  Cursor change =
      revisions_.query(uid, request.before.value_or(std::numeric_limits<std::int64_t>::max()),
                       static_cast<std::int64_t>(request.definitions_only ? 1 : 0), limit_of(request.count_max));
  while (TRY(change.next()))
    revisions.push_back(change_in(change, TRY(names.head_of(uid, change.as<Seq>(0), change.instant(1)))));
  return revisions;
}

}  // namespace carillon::sqlite
