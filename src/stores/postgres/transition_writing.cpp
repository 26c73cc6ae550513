#include "stores/postgres/transition_writing.hpp"

#include "base/assertion.hpp"
#include "engine/feed_rules.hpp"
#include "stored_rows/row_changes.hpp"
#include "stored_rows/row_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

namespace carillon::postgres {
namespace {

bool is_creation(const Transition& transition) { return transition.decided_from() == 0; }

/// What the parts of writing a transition share.
struct TransitionWork {
  WriteSet& set;
  const Transition& transition;
  StateRow row;  // as it will be
  rows::LineStamp stamp;

  [[nodiscard]] WriteSet::Place next_place() { return {.seq = set.next_seq(), .uid = row.uid, .at = stamp.at}; }
  [[nodiscard]] WrittenRow written(Seq seq) const { return {.uid = row.uid, .seq = seq, .at = set.now}; }
};

void drop_live(StateRow& row, Seq seq) { std::erase(row.live, seq); }

ScheduleFacts facts_of_changes(const Transition& transition, bool& has_document) {
  const std::string* document = nullptr;
  for (const Change& change : transition.changes)
    if (change.document) document = &*change.document;
  has_document = document != nullptr;
  return has_document ? facts_of(*document) : ScheduleFacts{};
}

/// The new row, or none if the id is taken.
std::optional<StateRow> create_row(WriteSet& set, const Transition& transition) {
  CARILLON_ASSERT(!transition.changes.empty() && transition.changes.front().key);
  const ScheduleKey& key = *transition.changes.front().key;
  const NameBearer* bearer = set.find_bearer(key);
  if (bearer != nullptr && !bearer->is_deleted) return std::nullopt;
  const std::int64_t incarnation = bearer == nullptr ? 1 : bearer->incarnation + 1;
  const Uid uid = set.next_uid();
  bool has_document = false;
  set.add_name(uid, key, incarnation, transition.next.created_at, facts_of_changes(transition, has_document));
  return StateRow{.uid = uid};
}

/// The row that the transition was decided from, or none if it has changed since.
std::optional<StateRow> row_for_writing(WriteSet& set, const Transition& transition) {
  if (is_creation(transition)) return create_row(set, transition);
  const StateRow* row = set.find_state(transition.next.uid);
  if (row == nullptr || row->version != transition.decided_from()) return std::nullopt;
  return *row;
}

/// Runs that are counted are no longer live, and the others are listened to.
void write_live(TransitionWork& work) {
  for (const Seq seq : work.transition.counted) drop_live(work.row, seq);
  if (!work.transition.next.listens) return;
  const auto listen_to = [&](Seq seq) {
    StoredRun* run = work.set.find_run(seq);
    if (run == nullptr || run->row.uid != work.row.uid || rows::has(run->flags, rows::run_flag::listened)) return;
    run->flags |= rows::run_flag::listened;
    work.set.mark_changed(*run);
  };
  for (const Seq seq : work.transition.watched) listen_to(seq);
  for (const Seq seq : work.row.live) listen_to(seq);
}

void resolve_wait(TransitionWork& work, const Resolution& resolution) {
  StoredRun* run = work.set.find_run(resolution.seq);
  if (run == nullptr || run->row.uid != work.row.uid || run->row.run.state != RunState::waiting) return;
  run->revision = work.transition.decided_under;
  if (const auto* starts = std::get_if<Starts>(&resolution.verdict)) {
    rows::take_over(*run, *starts, work.stamp);
    run->flags = rows::with(run->flags, rows::run_flag::listened,
                            work.transition.next.listens || rows::has(run->flags, rows::run_flag::listened));
    work.set.use_queue(starts->queue);
    work.set.change_run(*run, rows::run_of(*starts));
  } else if (const auto* skips = std::get_if<Skips>(&resolution.verdict)) {
    drop_live(work.row, resolution.seq);
    rows::mark_skipped(*run, skips->reason, work.stamp);
    work.set.mark_changed(*run);
  }
  work.set.note(event_of_verdict(work.written(resolution.seq), resolution.verdict));
}

void write_new_ranges(TransitionWork& work) {
  for (const SkippedRange& range : work.transition.ranges) {
    const WriteSet::Place place = work.next_place();
    work.set.add_line(place, range, work.transition.decided_under);
    work.set.note(event_of_skipped_range(work.written(place.seq)));
  }
}

Seq write_new_decision(TransitionWork& work, const Decision& decision) {
  const Seq seq = work.set.next_seq();
  work.set.note(event_of_verdict(work.written(seq), decision.verdict));
  const StoredRun& run = work.set.add_run(rows::decided_row(work.transition, decision, work.row.uid, seq, work.stamp));
  work.row.last = seq;
  if (run.outcome != DecisionOutcome::skipped) work.row.live.push_back(seq);
  return seq;
}

void write_new_changes(TransitionWork& work) {
  for (const Change& change : work.transition.changes) {
    if (change.document) work.set.set_document(work.row.uid, change.revision, *change.document);
    const WriteSet::Place place = work.next_place();
    work.set.add_line(place, change);
    work.set.note(event_of_change(work.written(place.seq), change));
  }
}

void write_all_backfills(TransitionWork& work) {
  if (work.transition.backfills.empty()) return;
  for (const Backfill& record : work.transition.backfills) {
    work.set.put_backfill(work.row.uid, work.stamp.at, record);
    work.set.note(event_of_backfill({.uid = work.row.uid, .at = work.set.now}, record));
  }
  work.row.backfills = work.set.open_backfill_count(work.row.uid);
}

void carry_out_order(TransitionWork& work, const RunOrder& order) {
  StoredRun* run = work.set.find_run(order.seq);
  if (run == nullptr || run->row.uid != work.row.uid) return;
  const bool was_waiting = run->row.run.state == RunState::waiting;
  // What waits ends when that was decided, as its line says, not when it is written.
  const std::optional<Run> next = obey(order, run->row.run, was_waiting ? work.stamp.at : work.set.now);
  if (!next) return;
  if (was_waiting) {
    // There is no run yet whose retries could end.
    if (!is_terminal(next->state)) return;
    // Cancelled before it could start: the decision counts as a start whose run has ended.
    rows::mark_started(*run, work.stamp);
  }
  work.set.change_run(*run, *next);
  work.set.note(event_of_order(work.written(order.seq), order, *next));
  // What is withdrawn stays among the live ones, so that the schedule learns that its start has become a skip.
  rows::follow_order(*run, order, work.stamp);
}

/// Whether a run whose end was waited for has ended already.
bool has_missed_end(TransitionWork& work) {
  return std::ranges::any_of(work.transition.watched, [&](Seq seq) {
    const StoredRun* run = work.set.find_run(seq);
    return run == nullptr || run->row.uid != work.row.uid || run->outcome != DecisionOutcome::started ||
           is_terminal(run->row.run.state) || run->row.run.state == RunState::waiting;
  });
}

void write_row_of_schedule(TransitionWork& work, const Writer& writer) {
  const ScheduleState& next = work.transition.next;
  const bool is_new = is_creation(work.transition);
  const std::int64_t flags_before = work.row.flags;
  if (rows::is_ahead(work.transition, work.stamp.at)) work.row.flags |= rows::state_flag::ahead;
  work.row.wake = has_missed_end(work) ? work.set.now : next.wake;
  work.set.put_state(work.row, next, writer, is_new);
  if (is_new) return;
  if (rows::has(flags_before, rows::state_flag::quarantined)) work.set.end_quarantine(work.row.uid);
  if (rows::has(flags_before, rows::state_flag::deleted)) return;
  if (next.deleted_at) return work.set.mark_deleted(work.row.uid);
  bool has_document = false;
  const ScheduleFacts facts = facts_of_changes(work.transition, has_document);
  if (has_document) work.set.set_facts(work.row.uid, facts);
}

/// How many lines a transition may add.
std::int64_t line_count(const Transition& transition) {
  return static_cast<std::int64_t>(transition.voids.size() + transition.ranges.size() + transition.decisions.size() +
                                   transition.changes.size() + transition.backfills.size());
}

struct Named {
  std::set<Seq> runs;
  std::set<Uid> schedules;
  std::set<Uid> with_backfills;
  std::vector<std::pair<std::string, std::string>> names;  // of creations
  std::int64_t line_count = 0;
};

Named named_by(std::span<const Transition> transitions) {
  Named named;
  for (const Transition& transition : transitions) {
    for (const Resolution& resolution : transition.resolutions) named.runs.insert(resolution.seq);
    for (const RunOrder& order : transition.orders) named.runs.insert(order.seq);
    for (const Seq seq : transition.watched) named.runs.insert(seq);
    named.line_count += line_count(transition);
    if (!transition.backfills.empty()) named.with_backfills.insert(transition.next.uid);
    if (is_creation(transition)) {
      const ScheduleKey& key = transition.changes.front().key.value();
      named.names.emplace_back(key.name_space.text(), compared_id(key.id.text()));
    } else {
      named.schedules.insert(transition.next.uid);
    }
  }
  return named;
}

const std::string& lock_runs_query() {
  static const std::string sql =
      fmt::format("SELECT {} FROM ledger g WHERE g.seq = ANY($1) ORDER BY g.seq FOR UPDATE", run_columns);
  return sql;
}

}  // namespace

void send_locks(Transaction& transaction, std::span<const Transition> transitions) {
  const Named named = named_by(transitions);
  if (!named.runs.empty()) {
    Parameters values;
    values.array(named.runs);
    transaction.send(lock_runs_query(), values);
  }
  if (!named.schedules.empty()) {
    Parameters values;
    values.array(named.schedules);
    transaction.send(
        "SELECT uid, version, wake_at, last_seq, live, backfills, flags FROM state WHERE uid = ANY($1) ORDER BY uid "
        "FOR UPDATE",
        values);
  }
  if (!named.with_backfills.empty()) {
    Parameters values;
    values.array(named.with_backfills);
    transaction.send("SELECT uid, number, state FROM backfill WHERE uid = ANY($1)", values);
  }
  if (!named.names.empty()) {
    Parameters values;
    values.column(named.names, [](const auto& name) { return std::string_view{name.first}; });
    values.column(named.names, [](const auto& name) { return std::string_view{name.second}; });
    transaction.send(
        "SELECT u.namespace, u.id, s.uid, s.incarnation, s.is_deleted FROM unnest($1, $2) AS u(namespace, id) "
        "CROSS JOIN LATERAL (SELECT uid, incarnation, is_deleted FROM schedule s WHERE s.namespace = u.namespace "
        "AND lower(s.id) = u.id ORDER BY incarnation DESC LIMIT 1) s",
        values);
    transaction.send(uids_query, Parameters{named.names.size()});
  }
  if (named.line_count > 0) transaction.send(seqs_query, Parameters{named.line_count});
}

Result<> take_locked(Transaction& transaction, std::span<const Transition> transitions, WriteSet& set,
                     const std::vector<ResultRows>& answers, std::size_t& place) {
  const Named named = named_by(transitions);
  if (!named.runs.empty()) TRY(set.add_runs(answers.at(place++)));
  if (!named.schedules.empty()) set.add_states(answers.at(place++));
  if (!named.with_backfills.empty()) set.add_backfills(answers.at(place++));
  if (!named.names.empty()) {
    set.add_bearers(answers.at(place++));
    set.add_uids(answers.at(place++));
  }
  if (named.line_count > 0) set.add_seqs(answers.at(place++));
  // One that begins to listen hears of all its runs, also of those that it does not watch: they wait, or have ended.
  std::set<Seq> unknown;
  for (const Transition& transition : transitions) {
    const StateRow* row = set.find_state(transition.next.uid);
    const bool begins = row != nullptr && transition.next.listens && row->version == transition.decided_from() &&
                        !rows::has(row->flags, rows::state_flag::listens);
    if (!begins) continue;
    for (const Seq seq : row->live)
      if (!set.has_loaded(seq)) unknown.insert(seq);
  }
  if (unknown.empty()) return {};
  Parameters values;
  values.array(unknown);
  return set.add_runs(TRY(transaction.query(lock_runs_query(), values)));
}

Result<WriteOutcome> write_transition(WriteSet& set, const Writer& writer, const Transition& transition) {
  if (transition.is_ahead_of(set.now)) return WriteOutcome{};
  auto row = row_for_writing(set, transition);
  if (!row) return WriteOutcome{};
  WriteOutcome written{.outcome = WriteOutcome::Outcome::written, .uid = row->uid, .decisions = {}};
  TransitionWork work{.set = set,
                      .transition = transition,
                      .row = *std::move(row),
                      .stamp = {.server = writer.server, .at = std::min(transition.decided_at, set.now)}};
  write_live(work);
  for (const VoidedRange& range : transition.voids) set.add_line(work.next_place(), range);
  for (const Resolution& resolution : transition.resolutions) resolve_wait(work, resolution);
  write_new_ranges(work);
  for (const Decision& decision : transition.decisions) written.decisions.push_back(write_new_decision(work, decision));
  write_new_changes(work);
  write_all_backfills(work);
  for (const RunOrder& order : transition.orders) carry_out_order(work, order);
  write_row_of_schedule(work, writer);
  if (transition.request != 0)
    set.remember(transition.request, {.uid = written.uid,
                                      .revision = transition.next.revision,
                                      .decision = written.decisions.empty() ? Seq{} : written.decisions.back()});
  return written;
}

}  // namespace carillon::postgres
