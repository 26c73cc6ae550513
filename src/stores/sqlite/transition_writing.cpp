#include "stores/sqlite/transition_writing.hpp"

#include "base/assertion.hpp"
#include "stores/sqlite/run_changes.hpp"
#include "stores/sqlite/shared_rows.hpp"

#include <algorithm>
#include <utility>

namespace carillon::sqlite {
namespace {

/// The new row, or none if the id is taken.
Result<std::optional<StateRow>> create(Tables& tables, const Transition& transition) {
  CARILLON_ASSERT(!transition.changes.empty() && transition.changes.front().key);
  const ScheduleKey& key = *transition.changes.front().key;
  const auto bearer = TRY(tables.definitions.find(key));
  if (bearer) {
    const auto namesake = TRY(tables.states.find(bearer->uid));
    if (!namesake || !has(namesake->flags, state_flag::deleted)) return std::nullopt;
  }
  const Uid uid = tables.counters.next_uid();
  TRY(tables.definitions.add_name(
      uid,
      {.key = key, .incarnation = bearer ? bearer->incarnation + 1 : 1, .created_at = transition.next.created_at}));
  return StateRow{.place = place_of(uid, transition.next.wake), .uid = uid};
}

/// The row that the transition was decided from, or none if it has changed since.
Result<std::optional<StateRow>> take_for_writing(Tables& tables, const Transition& transition) {
  if (transition.decided_from() == 0) return create(tables, transition);
  auto row = TRY(tables.states.find(transition.next.uid));
  if (row && row->version != transition.decided_from()) row.reset();
  return row;
}

LinePlace next_line(Writing& writing) {
  return {.seq = writing.tables.counters.next_seq(), .uid = writing.row.uid, .at = writing.at};
}

/// The place of runs that are counted is free for those to come, and the others are listened to.
Result<> write_live(Writing& writing) {
  for (const Seq seq : writing.transition.counted) TRY(writing.tables.states.drop_live(writing.row, seq));
  const bool listens_anew = writing.transition.next.listens && !has(writing.row.flags, state_flag::listens);
  if (listens_anew) TRY(writing.tables.states.listen_to_live(writing.row));
  return {};
}

Result<> write_voids(Writing& writing) {
  for (const VoidedRange& range : writing.transition.voids) TRY(writing.tables.lines.add(next_line(writing), range));
  return {};
}

Result<> resolve(Writing& writing, const Resolution& resolution) {
  auto run = TRY(writing.tables.runs.find(resolution.seq));
  if (!run || run->row.uid != writing.row.uid || run->row.run.state != RunState::waiting) return {};
  run->revision = writing.transition.decided_under;
  if (const auto* starts = std::get_if<Starts>(&resolution.verdict)) {
    rows::take_over(*run, *starts, writing.stamp());
    run->queue = TRY(writing.tables.queues.number_of(starts->queue));
    TRY(change_run(writing.tables, *run, rows::run_of(*starts), writing.now));
  } else if (const auto* skips = std::get_if<Skips>(&resolution.verdict)) {
    TRY(writing.tables.states.drop_live(writing.row, resolution.seq));
    rows::mark_skipped(*run, skips->reason, writing.stamp());
  }
  writing.tables.feed.note(event_of_verdict(written_row(*run, writing.now), resolution.verdict));
  return writing.tables.runs.save_decision(*run);
}

Result<> write_resolutions(Writing& writing) {
  for (const Resolution& resolution : writing.transition.resolutions) TRY(resolve(writing, resolution));
  return {};
}

Result<> write_ranges(Writing& writing) {
  for (const SkippedRange& range : writing.transition.ranges) {
    const LinePlace place = next_line(writing);
    TRY(writing.tables.lines.add(place, range, writing.transition.decided_under));
    writing.tables.feed.note(event_of_skipped_range({.uid = place.uid, .seq = place.seq, .at = writing.now}));
  }
  return {};
}

Result<> write_decision(Writing& writing, const Decision& decision, Seq seq) {
  Tables& tables = writing.tables;
  StoredRun run = rows::decided_row(writing.transition, decision, writing.row.uid, seq, writing.stamp());
  const auto* starts = std::get_if<Starts>(&decision.verdict);
  if (starts != nullptr) run.queue = TRY(tables.queues.number_of(starts->queue));
  tables.feed.note(event_of_verdict(written_row(run, writing.now), decision.verdict));
  const Seq previous = std::exchange(writing.row.last, seq);
  if (starts == nullptr) TRY(tables.runs.insert(run, previous));
  if (run.outcome == DecisionOutcome::skipped) return {};
  if (starts != nullptr) writing.fresh.push_back({.run = std::move(run), .previous = previous});
  if (has(writing.row.flags, state_flag::tracked)) TRY(tables.past.add(writing.row.uid, decision.nominal, seq));
  return tables.states.add_live(writing.row, seq);
}

Result<> write_decisions(Writing& writing, std::vector<Seq>& seqs) {
  seqs.reserve(writing.transition.decisions.size());
  for (const Decision& decision : writing.transition.decisions) {
    seqs.push_back(writing.tables.counters.next_seq());
    TRY(write_decision(writing, decision, seqs.back()));
  }
  return {};
}

Result<> write_changes(Writing& writing) {
  for (const Change& change : writing.transition.changes) {
    if (change.document)
      TRY(writing.tables.definitions.set_document(writing.row.uid, change.revision, *change.document));
    const LinePlace place = next_line(writing);
    TRY(writing.tables.lines.add(place, change));
    writing.tables.feed.note(event_of_change({.uid = place.uid, .seq = place.seq, .at = writing.now}, change));
  }
  return {};
}

Result<> write_backfills(Writing& writing) {
  if (writing.transition.backfills.empty()) return {};
  for (const Backfill& record : writing.transition.backfills) {
    if (!TRY(writing.tables.lines.change(writing.row.uid, writing.at, record)))
      TRY(writing.tables.lines.add(next_line(writing), record));
    writing.tables.feed.note(event_of_backfill({.uid = writing.row.uid, .at = writing.now}, record));
  }
  writing.row.backfills = TRY(writing.tables.lines.open_backfill_count(writing.row.uid));
  return {};
}

Result<bool> has_missed_an_end(Writing& writing) {
  for (const Seq seq : writing.transition.watched)
    if (!TRY(writing.tables.runs.is_open(writing.row.uid, seq))) return true;
  return false;
}

Result<> write_state(Writing& writing, const Writer& writer, const std::optional<StateRow>& before) {
  const ScheduleState& next = writing.transition.next;
  if (rows::is_ahead(writing.transition, writing.at)) writing.row.flags |= state_flag::ahead;
  writing.row.wake = TRY(has_missed_an_end(writing)) ? writing.now : next.wake;
  if (before) return writing.tables.states.replace(*before, writing.row, next, writer);
  return writing.tables.states.insert(writing.row, next, writer);
}

/// Lists show who lives, what it does and how it stands.
Result<> write_listing(Writing& writing, const std::optional<StateRow>& before) {
  ListingRows& listing = writing.tables.listing;
  const ScheduleState& next = writing.transition.next;
  const auto& changes = writing.transition.changes;
  const Uid uid = writing.row.uid;
  if (before && has(before->flags, state_flag::deleted)) return {};
  if (before && next.deleted_at) return listing.drop(uid);
  const std::string* document = nullptr;
  for (const Change& change : changes)
    if (change.document) document = &*change.document;
  const ScheduleFacts facts = document == nullptr ? ScheduleFacts{} : facts_of(*document);
  if (!before) return listing.add(uid, *changes.front().key, next.status, facts);
  if (document != nullptr) TRY(listing.set_facts(uid, facts));
  const bool is_as_before = (before->flags & state_flag::status) == status_flags(next.status);
  return is_as_before ? Result<>{} : listing.set_status(uid, next.status);
}

}  // namespace

Result<WriteOutcome> write_transition(Tables& tables, const Writer& writer, const Transition& transition,
                                      std::vector<FreshRun>& fresh, Instant now) {
  if (transition.is_ahead_of(now)) return WriteOutcome{};
  const auto row = TRY(take_for_writing(tables, transition));
  if (!row) return WriteOutcome{};
  // The second transition of a schedule in one batch finds the rows of the first.
  const bool is_repeated = !fresh.empty() && row->last >= fresh.front().run.row.seq;
  if (is_repeated) TRY(queue_fresh(tables, fresh, now));
  const bool is_new = transition.decided_from() == 0;
  WriteOutcome written{.outcome = WriteOutcome::Outcome::written, .uid = row->uid, .decisions = {}};
  Writing writing{.tables = tables,
                  .transition = transition,
                  .fresh = fresh,
                  .row = *row,
                  .server = writer.server,
                  .at = std::min(transition.decided_at, now),
                  .now = now};
  TRY(write_live(writing));
  TRY(write_voids(writing));
  // Those that have a backfill are asked for their past all the time.
  if (!transition.backfills.empty()) TRY(tables.past.track(writing.row));
  TRY(write_resolutions(writing));
  TRY(write_ranges(writing));
  TRY(write_decisions(writing, written.decisions));
  TRY(write_changes(writing));
  TRY(write_backfills(writing));
  TRY(carry_out_orders(writing));
  const auto before = is_new ? std::nullopt : row;
  TRY(write_state(writing, writer, before));
  TRY(write_listing(writing, before));
  TRY(tables.definitions.remember(transition.request,
                                  {.uid = written.uid,
                                   .revision = transition.next.revision,
                                   .decision = written.decisions.empty() ? Seq{} : written.decisions.back()},
                                  now));
  return written;
}

}  // namespace carillon::sqlite
