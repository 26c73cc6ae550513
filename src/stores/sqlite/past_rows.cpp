#include "stores/sqlite/past_rows.hpp"

#include "engine/schedule_state.hpp"
#include "stores/sqlite/shared_rows.hpp"

#include <map>

namespace carillon::sqlite {
namespace {

PastRun read_past(const Cursor& row, int first) {
  return {.nominal = row.instant(first),
          .state = row.one_of(first + 1, RunState::expired),
          .is_automatic = is_automatic(row.one_of(first + 2, Source::adhoc))};
}

bool is_decision_with_run(const Cursor& row) {
  return row.one_of(3, DecisionOutcome::skipped) != DecisionOutcome::skipped;
}

}  // namespace

PastRows::PastRows(Connection& connection)
    : state_{connection, "SELECT last_seq, flags FROM state WHERE uid = ?1"},
      tracked_{connection,
               "SELECT p.nominal, g.state, g.source FROM past p CROSS JOIN ledger g ON g.seq = p.seq "
               "WHERE p.uid = ?1 AND p.nominal >= ?2 AND p.nominal < ?3 AND g.outcome = 1 ORDER BY p.nominal, p.seq"},
      chained_{connection, "SELECT nominal, state, source, outcome, prev_seq FROM ledger WHERE seq = ?1"},
      add_{connection, "INSERT INTO past VALUES (?1, ?2, ?3)"} {
  static_assert(static_cast<int>(DecisionOutcome::started) == 1);
}

Result<std::vector<PastRun>> PastRows::read(Uid uid, Instant from, Instant to) {
  Cursor state = state_.query(uid);
  if (!TRY(state.next())) return std::vector<PastRun>{};
  if (has(state.number(1), state_flag::tracked)) return read_tracked(uid, from, to);
  return read_chain(state.as<Seq>(0), from, to);
}

Result<std::vector<PastRun>> PastRows::read_tracked(Uid uid, Instant from, Instant to) {
  std::vector<PastRun> past;
  Cursor row = tracked_.query(uid, from, to);
  while (TRY(row.next())) {
    PastRun run = read_past(row, 0);
    if (!past.empty() && past.back().nominal == run.nominal) {
      run.is_automatic |= past.back().is_automatic;
      past.back() = run;
    } else {
      past.push_back(run);
    }
  }
  return past;
}

Result<std::vector<PastRun>> PastRows::read_chain(Seq last, Instant from, Instant to) {
  std::map<Instant, PastRun> newest;
  TRY(walk(last, [&](Seq, const Cursor& row) -> Result<> {
    const Instant nominal = row.instant(0);
    if (nominal < from || nominal >= to) return {};
    if (row.one_of(3, DecisionOutcome::skipped) != DecisionOutcome::started) return {};
    const PastRun run = read_past(row, 0);
    const auto [known, is_first] = newest.emplace(nominal, run);
    known->second.is_automatic |= run.is_automatic;
    return row.check();
  }));
  std::vector<PastRun> past;
  for (const auto& [nominal, run] : newest) past.push_back(run);
  return past;
}

Result<> PastRows::track(StateRow& row) {
  if (has(row.flags, state_flag::tracked)) return {};
  row.flags |= state_flag::tracked;
  return walk(row.last, [&](Seq seq, const Cursor& decision) -> Result<> {
    if (!is_decision_with_run(decision)) return {};
    return add(row.uid, decision.instant(0), seq);
  });
}

Result<> PastRows::add(Uid uid, Instant nominal, Seq seq) { return add_.run(uid, nominal, seq); }

// From the newest decision back. What has been pruned ends the chain.
Result<> PastRows::walk(Seq last, const std::function<Result<>(Seq, const Cursor&)>& visit) {
  for (Seq seq = last; seq != Seq{};) {
    Cursor row = chained_.query(seq);
    if (!TRY(row.next())) return {};
    TRY(visit(seq, row));
    const auto previous = row.as<Seq>(4);
    if (previous >= seq)
      return fail(ErrorCode::corrupt, "decision {} follows {}", static_cast<std::int64_t>(seq), row.number(4));
    seq = previous;
  }
  return {};
}

}  // namespace carillon::sqlite
