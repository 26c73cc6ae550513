#include "stores/sqlite/forgetting.hpp"

#include "definitions/words.hpp"
#include "stores/sqlite/shared_rows.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

namespace carillon::sqlite {
namespace {

// Whether nothing depends on a decision g of a schedule with the state s, whose details are forgotten up to f.
#define CARILLON_MAY_GO                                                                                         \
  "(g.outcome = 2 OR (g.outcome = 1 AND g.state >= 4 AND (g.uid = 0 OR s.flags & 2 <> 0 OR g.seq <= f.seq))) "  \
  "AND (g.uid = 0 OR s.flags & 2 <> 0 OR (s.last_seq <> g.seq AND s.run_seq <> g.seq AND NOT EXISTS (SELECT 1 " \
  "FROM live l WHERE l.uid = g.uid AND l.seq = g.seq))) "
#define CARILLON_DECISIONS "FROM ledger g LEFT JOIN state s ON s.uid = g.uid LEFT JOIN forgotten f ON f.uid = g.uid "

/// The state of a run that has ended, from its number.
std::optional<RunState> ended_state(std::int64_t number) {
  if (number < static_cast<int>(RunState::succeeded) || number > static_cast<int>(RunState::expired))
    return std::nullopt;
  return static_cast<RunState>(number);
}

Result<> add_lines(Cursor rows, std::vector<RetentionCandidate>& lines) {
  while (TRY(rows.next()))
    lines.push_back({.seq = rows.as<Seq>(0),
                     .uid = rows.as<Uid>(1),
                     .at = rows.instant(2),
                     .has_run = rows.flag(3),
                     .ended = ended_state(rows.number(5)),
                     .may_go = rows.flag(4)});
  return {};
}

}  // namespace

Forgetting::Forgetting(Connection& connection)
    : decisions_{connection,
                 "SELECT g.seq, g.uid, max(g.at, coalesce(g.ended_at, g.at)), g.outcome = 1, "
                 "coalesce(" CARILLON_MAY_GO ", 0), CASE WHEN g.outcome = 1 THEN g.state ELSE 0 END " CARILLON_DECISIONS
                 "WHERE g.seq > ?1 ORDER BY g.seq LIMIT ?2"},
      // An attempt goes when its run has gone.
      attempts_{connection,
                "SELECT a.seq, a.uid, a.at, 0, g.seq IS NULL, 0 FROM attempt a LEFT JOIN ledger g ON g.seq = a.run_seq "
                "WHERE a.seq > ?1 ORDER BY a.seq LIMIT ?2"},
      ranges_{connection, "SELECT seq, uid, at, 0, 1, 0 FROM skipped_range WHERE seq > ?1 ORDER BY seq LIMIT ?2"},
      voids_{connection, "SELECT seq, uid, at, 0, 1, 0 FROM voided_range WHERE seq > ?1 ORDER BY seq LIMIT ?2"},
      newest_{connection,
              "SELECT s.last_seq, coalesce(f.seq, 0) FROM state s LEFT JOIN forgotten f ON f.uid = s.uid "
              "WHERE s.uid = ?1"},
      chained_{connection, "SELECT outcome, state, prev_seq FROM ledger WHERE seq = ?1"},
      mark_{connection, "INSERT INTO forgotten VALUES (?1, ?2) ON CONFLICT DO UPDATE SET seq = max(seq, excluded.seq)"},
      drop_result_{connection, "DELETE FROM result WHERE seq = ?1"},
      old_decision_{connection,
                    "SELECT g.uid, g.nominal, g.flags, coalesce(s.flags, 0), EXISTS (SELECT 1 FROM result r "
                    "WHERE r.seq = g.seq) " CARILLON_DECISIONS "WHERE g.seq = ?1 AND " CARILLON_MAY_GO},
      body_{connection, "SELECT body FROM state WHERE uid = ?1"},
      drop_decision_{connection, "DELETE FROM ledger WHERE seq = ?1"},
      drop_job_{connection, "DELETE FROM job WHERE name = (SELECT trigger FROM extra WHERE seq = ?1)"},
      drop_extra_{connection, "DELETE FROM extra WHERE seq = ?1"},
      drop_past_{connection, "DELETE FROM past WHERE uid = ?1 AND nominal = ?2 AND seq = ?3"},
      drop_attempt_{connection,
                    "DELETE FROM attempt WHERE seq = ?1 AND NOT EXISTS "
                    "(SELECT 1 FROM ledger g WHERE g.seq = attempt.run_seq)"},
      drop_range_{connection, "DELETE FROM skipped_range WHERE seq = ?1"},
      drop_void_{connection, "DELETE FROM voided_range WHERE seq = ?1"} {
  static_assert(static_cast<int>(DecisionOutcome::started) == 1 && static_cast<int>(DecisionOutcome::skipped) == 2);
  static_assert(static_cast<int>(RunState::succeeded) == 4 && is_terminal(RunState::succeeded));
}

Result<std::vector<RetentionCandidate>> Forgetting::read_lines(Seq after, std::size_t count_max) {
  const auto limit = std::min<std::size_t>(count_max, std::numeric_limits<std::int64_t>::max());
  std::vector<RetentionCandidate> lines;
  for (Statement* const kind : {&decisions_, &attempts_, &ranges_, &voids_})
    TRY(add_lines(kind->query(after, limit), lines));
  std::ranges::sort(lines, {}, &RetentionCandidate::seq);
  if (lines.size() > count_max) lines.resize(count_max);
  return lines;
}

Result<PrunableRuns> Forgetting::read_prunable_runs(Uid uid, std::int64_t keep) {
  PrunableRuns beyond;
  Cursor newest = newest_.query(uid);
  if (!TRY(newest.next())) return beyond;
  const auto forgotten = newest.as<Seq>(1);
  std::int64_t count = 0;
  for (auto seq = newest.as<Seq>(0); seq > forgotten;) {
    Cursor row = chained_.query(seq);
    if (!TRY(row.next())) break;
    if (row.one_of(0, DecisionOutcome::skipped) == DecisionOutcome::started && ++count > keep) {
      beyond.newest = std::max(beyond.newest, seq);
      if (is_terminal(row.one_of(1, RunState::expired))) beyond.runs.push_back(seq);
    }
    TRY(row.check());
    const auto previous = row.as<Seq>(2);
    if (previous >= seq)
      return fail(ErrorCode::corrupt, "decision {} follows {}", static_cast<std::int64_t>(seq), row.number(2));
    seq = previous;
  }
  return beyond;
}

Result<Seq> Forgetting::last_success_of(Uid uid) {
  Cursor row = body_.query(uid);
  ScheduleState state;
  if (TRY(row.next())) TRY(read_body(row.bytes(0), state));
  return state.last_success;
}

Result<> Forgetting::forget_details(Uid uid, const PrunableRuns& beyond) {
  const Seq last_success = TRY(last_success_of(uid));
  for (const Seq run : beyond.runs)
    if (run != last_success) TRY(drop_result_.run(run));
  return beyond.newest == Seq{} ? Result<>{} : mark_.run(uid, beyond.newest);
}

Result<> Forgetting::forget_line(Seq seq) {
  Cursor decision = old_decision_.query(seq);
  if (TRY(decision.next())) {
    const auto uid = decision.as<Uid>(0);
    // Its result is still to be given to the next run.
    const bool is_deleted = has(decision.number(3), state_flag::deleted);
    if (decision.flag(4) && !is_deleted && TRY(last_success_of(uid)) == seq) return {};
    if (has(decision.number(2), run_flag::has_extra)) {
      if (uid == Uid{}) TRY(drop_job_.run(seq));
      TRY(drop_extra_.run(seq));
    }
    if (has(decision.number(3), state_flag::tracked)) TRY(drop_past_.run(uid, decision.instant(1), seq));
    TRY(drop_result_.run(seq));
    return drop_decision_.run(seq);
  }
  TRY(drop_attempt_.run(seq));
  TRY(drop_range_.run(seq));
  return drop_void_.run(seq);
}

}  // namespace carillon::sqlite
