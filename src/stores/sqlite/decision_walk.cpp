#include "stores/sqlite/decision_walk.hpp"

#include <limits>

namespace carillon::sqlite {
namespace {

#define CARILLON_WALK_QUERY \
  "SELECT seq, uid, prev_seq, at, nominal, source, outcome, state, queue, queued_at FROM ledger "

constexpr auto end_of_ledger = static_cast<Seq>(std::numeric_limits<std::int64_t>::max());

Result<WalkedDecision> read_walked(const Cursor& row) {
  const WalkedDecision decision{.seq = row.as<Seq>(0),
                                .uid = row.as<Uid>(1),
                                .previous = row.as<Seq>(2),
                                .at = row.instant(3),
                                .nominal = row.instant(4),
                                .source = row.one_of(5, Source::adhoc),
                                .outcome = row.one_of(6, DecisionOutcome::skipped),
                                .state = row.one_of_if(7, RunState::expired),
                                .queue = row.number(8),
                                .queued_at = row.instant_if(9)};
  TRY(row.check());
  if (decision.previous >= decision.seq)
    return fail(ErrorCode::corrupt, "decision {} follows {}", row.number(0), row.number(2));
  return decision;
}

}  // namespace

DecisionWalk::DecisionWalk(Connection& connection)
    : find_{connection, CARILLON_WALK_QUERY "WHERE seq = ?1"},
      before_{connection, CARILLON_WALK_QUERY "WHERE seq < ?1 ORDER BY seq DESC"},
      newest_{connection, "SELECT last_seq FROM state WHERE uid = ?1"} {}

Result<std::optional<Seq>> DecisionWalk::all(std::optional<Seq> before, std::size_t look_count_max,
                                             const Visit& visit) {
  Seq looked_at = before.value_or(end_of_ledger);
  Cursor row = before_.query(looked_at);
  for (std::size_t looks = 0; TRY(row.next()); ++looks) {
    if (looks == look_count_max) return looked_at;
    const WalkedDecision decision = TRY(read_walked(row));
    looked_at = decision.seq;
    if (!TRY(visit(decision))) return std::nullopt;
  }
  return std::nullopt;
}

Result<std::optional<Seq>> DecisionWalk::of(Uid uid, std::optional<Seq> before, std::size_t look_count_max,
                                            const Visit& visit) {
  Seq bound = before.value_or(end_of_ledger);  // all that is left stands before it
  std::size_t looks_left = look_count_max;
  std::optional<Seq> link = TRY(first_link(uid, bound));
  while (link != Seq{}) {
    auto decision = link ? TRY(find(*link)) : std::nullopt;
    if (decision) {
      if (looks_left == 0) return bound;
      --looks_left;
    } else {
      // Lines in the middle of a chain may have been forgotten while older ones with a run are kept.
      bound = link.value_or(bound);
      decision = TRY(search(uid, bound, looks_left));
      if (!decision) return looks_left == 0 ? std::optional{bound} : std::nullopt;
    }
    bound = decision->seq;
    link = decision->previous;
    if (!TRY(visit(*decision))) break;
  }
  return std::nullopt;
}

// None: it is not known without searching.
Result<std::optional<Seq>> DecisionWalk::first_link(Uid uid, Seq bound) {
  Cursor row = newest_.query(uid);
  const Seq newest = TRY(row.next()) ? row.as<Seq>(0) : Seq{};
  if (newest < bound) return newest;
  const auto last = TRY(find(bound));
  return last && last->uid == uid ? std::optional{last->previous} : std::nullopt;
}

// The next one of a schedule before the bound, which moves with what is looked at.
Result<std::optional<WalkedDecision>> DecisionWalk::search(Uid uid, Seq& bound, std::size_t& looks_left) {
  Cursor row = before_.query(bound);
  while (looks_left > 0 && TRY(row.next())) {
    --looks_left;
    const WalkedDecision decision = TRY(read_walked(row));
    bound = decision.seq;
    if (decision.uid == uid) return decision;
  }
  return std::nullopt;
}

Result<std::optional<WalkedDecision>> DecisionWalk::find(Seq seq) {
  Cursor row = find_.query(seq);
  if (!TRY(row.next())) return std::nullopt;
  return TRY(read_walked(row));
}

}  // namespace carillon::sqlite
