#include "stores/memory/commit.hpp"

#include "base/assertion.hpp"
#include "engine/run_name.hpp"
#include "stores/memory/feed.hpp"
#include "stores/memory/run_changes.hpp"

#include <algorithm>
#include <utility>

namespace carillon::memory {
namespace {

/// The new row, or none if the id is taken.
StoredSchedule* create(Tables& tables, const Transition& transition) {
  CARILLON_ASSERT(!transition.changes.empty() && transition.changes.front().key);
  const ScheduleKey& key = *transition.changes.front().key;
  std::vector<Uid>& bearers = tables.names[name_key_of(key)];
  if (!bearers.empty() && !tables.schedules.at(bearers.back()).state.deleted_at) return nullptr;
  const auto uid = static_cast<Uid>(tables.schedules.size() + 1);
  bearers.push_back(uid);
  const auto incarnation = static_cast<std::int64_t>(bearers.size());
  StoredSchedule schedule{.key = key, .incarnation = incarnation, .state = {}};
  schedule.state.uid = uid;
  return &tables.schedules.emplace(uid, std::move(schedule)).first->second;
}

/// The row that the transition was decided from, or none if it has changed since.
StoredSchedule* take_for_writing(Tables& tables, const Transition& transition) {
  if (transition.decided_from() == 0) return create(tables, transition);
  StoredSchedule* schedule = tables.find_schedule(transition.next.uid);
  const bool is_same = schedule && schedule->state.version == transition.decided_from();
  return is_same ? schedule : nullptr;
}

std::string backfill_id(const Writing& writing, std::int64_t number) {
  const auto is_same = [number](const Backfill& backfill) { return backfill.number == number; };
  // A new backfill may come with its first runs, which stand before it.
  const auto& changed = writing.transition.backfills;
  const auto found = std::ranges::find_if(changed, is_same);
  if (found != changed.end()) return found->id;
  const auto& stored = writing.schedule.backfills;
  return stored.contains(number) ? stored.at(number).record.id : std::string{};
}

void write_voids(Writing& writing) {
  for (const VoidedRange& range : writing.transition.voids)
    writing.tables.ledger.append(
        VoidLine{.head = head_of(writing.schedule, writing.at), .from = range.from, .to = range.to});
}

void write_resolutions(Writing& writing) {
  for (const Resolution& resolution : writing.transition.resolutions) {
    StoredRun* run = writing.tables.find_run(resolution.seq);
    const bool is_ours = run && run->row.uid == writing.schedule.state.uid;
    if (!is_ours || run->row.run.state != RunState::waiting) continue;
    writing.tables.ledger.line<DecisionLine>(resolution.seq).revision = writing.transition.decided_under;
    note(writing.tables, event_of_verdict(written_row(run->row, writing.now), resolution.verdict));
    if (const auto* starts = std::get_if<Starts>(&resolution.verdict)) {
      start_run(writing, *run, *starts);
    } else if (const auto* skips = std::get_if<Skips>(&resolution.verdict)) {
      writing.schedule.live.erase(resolution.seq);
      mark_skipped(writing, *run, skips->reason);
    }
  }
}

void write_ranges(Writing& writing) {
  for (const SkippedRange& range : writing.transition.ranges) {
    const Seq seq = writing.tables.ledger.append(RangeLine{.head = head_of(writing.schedule, writing.at),
                                                           .revision = writing.transition.decided_under,
                                                           .from = range.from,
                                                           .to = range.to,
                                                           .count = range.count,
                                                           .reason = range.reason});
    note(writing.tables, event_of_skipped_range({.uid = writing.schedule.state.uid, .seq = seq, .at = writing.now}));
  }
}

DecisionLine line_of(const Writing& writing, const Decision& decision) {
  DecisionLine line{.head = head_of(writing.schedule, writing.at),
                    .server = writing.server,
                    .revision = writing.transition.decided_under,
                    .version = writing.transition.decided_from(),
                    .nominal = decision.nominal,
                    .due = decision.due,
                    .source = decision.source,
                    .reason = {},
                    .run = {},
                    .waited_from = {},
                    .ended_at = {}};
  if (const auto* skips = std::get_if<Skips>(&decision.verdict)) {
    line.outcome = DecisionOutcome::skipped;
    line.reason = skips->reason;
  }
  if (std::holds_alternative<Waits>(decision.verdict)) line.waited_from = writing.at;
  return line;
}

QueuedRun row_of(const Writing& writing, Seq seq, const Decision& decision) {
  return {.seq = seq,
          .uid = writing.schedule.state.uid,
          .revision = writing.transition.decided_under,
          .nominal = decision.nominal,
          .due = decision.due,
          .source = decision.source,
          .backfill = decision.backfill,
          .trigger = decision.trigger,
          .payload = decision.payload,
          .rules = {},
          .queue = {},
          .run = {.state = RunState::waiting, .queued_at = writing.at, .claimable_from = writing.at}};
}

/// Keeps what a run needs, and lets it wait.
StoredRun& put_waiting(Writing& writing, Seq seq, const Decision& decision) {
  writing.schedule.live.emplace(seq, LiveRun{.seq = seq,
                                             .nominal = decision.nominal,
                                             .due = decision.due,
                                             .source = decision.source,
                                             .state = RunState::waiting,
                                             .overlap = decision.overlap,
                                             .holds_slot = decision.holds_slot,
                                             .backfill = decision.backfill});
  return writing.tables.runs.emplace(seq, StoredRun{.row = row_of(writing, seq, decision)}).first->second;
}

void write_decisions(Writing& writing, std::vector<Seq>& seqs) {
  for (const Decision& decision : writing.transition.decisions) {
    const Seq seq = writing.tables.ledger.append(line_of(writing, decision));
    seqs.push_back(seq);
    writing.schedule.last_decision = seq;
    note(writing.tables,
         event_of_verdict({.uid = writing.schedule.state.uid, .seq = seq, .at = writing.now}, decision.verdict));
    if (std::holds_alternative<Skips>(decision.verdict)) {
      writing.tables.skips.emplace(seq, row_of(writing, seq, decision));
      continue;
    }
    StoredRun& run = put_waiting(writing, seq, decision);
    if (const auto* starts = std::get_if<Starts>(&decision.verdict)) start_run(writing, run, *starts);
  }
}

void note_change(Writing& writing, const Change& change, Seq seq) {
  StoredSchedule& schedule = writing.schedule;
  if (change.kind == ChangeKind::created) schedule.owner = change.by;
  if (change.kind == ChangeKind::paused) schedule.newest_pause = {.reason = change.reason, .by = change.by};
  if (!change.reason.empty()) schedule.newest_note = change.reason;
  schedule.updated_at = writing.at;
  note(writing.tables, event_of_change({.uid = schedule.state.uid, .seq = seq, .at = writing.now}, change));
}

void write_changes(Writing& writing) {
  for (const Change& change : writing.transition.changes) {
    if (change.document) writing.schedule.documents[change.revision] = *change.document;
    const Seq seq = writing.tables.ledger.append(ChangeLine{.head = head_of(writing.schedule, writing.at),
                                                            .revision = change.revision,
                                                            .kind = change.kind,
                                                            .by = change.by,
                                                            .document = change.document,
                                                            .reason = change.reason,
                                                            .until = change.until});
    note_change(writing, change, seq);
  }
}

void write_backfills(Writing& writing) {
  for (const Backfill& record : writing.transition.backfills) {
    StoredBackfill& stored = writing.schedule.backfills[record.number];
    stored.record = record;
    if (is_open(record.state)) {
      writing.schedule.open_backfills.insert(record.number);
    } else {
      writing.schedule.open_backfills.erase(record.number);
    }
    BackfillLine line{.head = head_of(writing.schedule, writing.at),
                      .id = record.id,
                      .from = record.from,
                      .to = record.to,
                      .state = record.state,
                      .done = record.done,
                      .total = record.total};
    if (stored.line == Seq{}) {
      stored.line = writing.tables.ledger.append(std::move(line));
    } else {
      line.head.seq = stored.line;
      writing.tables.ledger.line<BackfillLine>(stored.line) = std::move(line);
    }
    note(writing.tables, event_of_backfill({.uid = writing.schedule.state.uid, .at = writing.now}, record));
  }
}

bool is_open_still(const Writing& writing, Seq seq) {
  const auto live = writing.schedule.live.find(seq);
  return live != writing.schedule.live.end() && is_open(live->second);
}

void write_state(Writing& writing, const Writer& writer) {
  StoredSchedule& schedule = writing.schedule;
  const Uid uid = schedule.state.uid;
  const auto is_over = [&](Seq seq) { return !is_open_still(writing, seq); };
  const bool has_missed_an_end = std::ranges::any_of(writing.transition.watched, is_over);
  for (const Seq seq : writing.transition.counted) schedule.live.erase(seq);
  const auto wake_before = schedule.state.wake;
  schedule.state = writing.transition.next;
  schedule.state.uid = uid;
  schedule.state.writer = writer;
  schedule.state.wake = wake_before;
  writing.tables.set_wake(schedule, has_missed_an_end ? writing.now : writing.transition.next.wake);
  schedule.quarantine.reset();
}

}  // namespace

void start_run(Writing& writing, StoredRun& run, const Starts& starts) {
  run.row.revision = starts.revision;
  run.row.last_success = starts.last_success;
  run.row.last_failure = starts.last_failure;
  run.row.repeat_number = starts.repeat_number;
  run.row.queue = starts.queue;
  run.row.priority = starts.priority;
  const Run next{.queued_at = starts.queued_at, .claimable_from = starts.queued_at, .expires_at = starts.expires_at};
  mark_started(writing, run);
  change_run(writing.tables, run, next, writing.now);
}

void mark_started(Writing& writing, const StoredRun& run) {
  const QueuedRun& row = run.row;
  const std::string detail = row.source == Source::backfill ? backfill_id(writing, row.backfill) : row.trigger;
  auto& line = writing.tables.ledger.line<DecisionLine>(row.seq);
  line.head.at = writing.at;
  line.server = writing.server;
  line.outcome = DecisionOutcome::started;
  line.run = run_name(writing.schedule.key.id, row.nominal, row.source, detail);
  writing.schedule.started[row.nominal].insert(row.seq);
}

void mark_skipped(Writing& writing, const StoredRun& run, SkipReason reason) {
  auto& line = writing.tables.ledger.line<DecisionLine>(run.row.seq);
  line.head.at = writing.at;
  line.server = writing.server;
  line.outcome = DecisionOutcome::skipped;
  line.reason = reason;
  line.run.reset();
  line.ended_at.reset();
  const Seq seq = run.row.seq;
  writing.tables.skips.emplace(seq, run.row);
  writing.tables.runs.erase(seq);
}

WriteOutcome write_transition(Tables& tables, const Writer& writer, const Transition& transition, Instant now) {
  StoredSchedule* schedule = transition.is_ahead_of(now) ? nullptr : take_for_writing(tables, transition);
  if (!schedule) return {.outcome = WriteOutcome::Outcome::refused, .uid = {}, .decisions = {}};
  WriteOutcome written{.outcome = WriteOutcome::Outcome::written, .uid = schedule->state.uid, .decisions = {}};
  Writing writing{.tables = tables,
                  .schedule = *schedule,
                  .transition = transition,
                  .server = std::to_string(writer.server),
                  .at = std::min(transition.decided_at, now),
                  .now = now};
  write_voids(writing);
  write_resolutions(writing);
  write_ranges(writing);
  write_decisions(writing, written.decisions);
  write_changes(writing);
  write_backfills(writing);
  carry_out_orders(writing);
  write_state(writing, writer);
  tables.remember_request(transition.request,
                          {.uid = written.uid,
                           .revision = transition.next.revision,
                           .decision = written.decisions.empty() ? Seq{} : written.decisions.back()},
                          now);
  return written;
}

}  // namespace carillon::memory
