#include "conformance/model.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <tuple>

namespace carillon::conformance {
namespace {

LiveRun* live_of(Model::Schedule& schedule, Seq seq) {
  for (LiveRun& live : schedule.live) {
    if (live.seq == seq) return &live;
  }
  return nullptr;
}

}  // namespace

std::string folded(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string name_of(const Model::Schedule& schedule, const QueuedRun& run) {
  std::string name = schedule.key.id.text() + "@" + to_text(run.nominal);
  if (run.source == Source::trigger) name += "+trigger-" + run.trigger;
  for (const Backfill& backfill : schedule.backfills) {
    if (run.source == Source::backfill && backfill.number == run.backfill) name += "+backfill-" + backfill.id;
  }
  return name;
}

bool has_equal_name(const ScheduleKey& left, const ScheduleKey& right) {
  return left.name_space == right.name_space && folded(left.id.text()) == folded(right.id.text());
}

Model::Schedule* Model::schedule(Uid uid) {
  for (Schedule& schedule : schedules) {
    if (schedule.state.uid == uid) return &schedule;
  }
  return nullptr;
}
const Model::Schedule* Model::schedule(Uid uid) const { return const_cast<Model*>(this)->schedule(uid); }

const Model::Schedule* Model::find(const ScheduleKey& key) const {
  const Schedule* found = nullptr;
  for (const Schedule& schedule : schedules) {
    // Uids ascend: the living one, if there is one, is the last.
    if (has_equal_name(schedule.key, key)) found = &schedule;
  }
  return found;
}

std::vector<const Model::Schedule*> Model::living() const {
  std::vector<const Schedule*> found;
  for (const Schedule& schedule : schedules) {
    if (!schedule.state.deleted_at) found.push_back(&schedule);
  }
  return found;
}

std::vector<const Model::Schedule*> Model::due(ServerShare share, ZoneEdition rules) const {
  std::vector<const Schedule*> found;
  for (const Schedule* schedule : living()) {
    const ScheduleState& state = schedule->state;
    if (!state.wake || *state.wake > now) continue;
    if (!is_in(share, state.uid) && now - *state.wake < overdue_for_all) continue;
    if (state.zone_edition != ZoneEdition::none && rules != zone_edition) continue;
    found.push_back(schedule);
  }
  std::ranges::sort(found, {}, [&](const Schedule* schedule) {
    const ScheduleState& state = schedule->state;
    return std::tuple{!is_in(share, state.uid), *state.wake, state.uid};
  });
  return found;
}

std::vector<PastRun> Model::past_runs(Uid uid) const {
  std::map<Instant, PastRun> newest;
  for (const Row& row : rows) {
    if (row.run.uid != uid || row.outcome != DecisionOutcome::started) continue;
    const bool was_automatic = newest.contains(row.run.nominal) && newest.at(row.run.nominal).is_automatic;
    newest.insert_or_assign(row.run.nominal, PastRun{.nominal = row.run.nominal,
                                                     .state = row.run.run.state,
                                                     .is_automatic = was_automatic || is_automatic(row.run.source)});
  }
  std::vector<PastRun> found;
  for (const auto& [nominal, past] : newest) found.push_back(past);
  return found;
}

bool Model::accepts(const Transition& transition) const {
  if (transition.decided_from() == 0) {
    const Schedule* namesake = find(transition.changes.at(0).key.value());
    return !namesake || namesake->state.deleted_at.has_value();
  }
  const Schedule* known = schedule(transition.next.uid);
  return known && known->state.version == transition.decided_from();
}

void Model::write(const Transition& transition, const Writer& writer, const WriteOutcome& given) {
  if (transition.decided_from() == 0) {
    Schedule fresh{.key = transition.changes[0].key.value(),
                   .state = {},
                   .live = {},
                   .backfills = {},
                   .definitions = {},
                   .quarantine = {}};
    fresh.state.uid = given.uid;
    schedules.push_back(fresh);
  }
  Schedule& changed = *schedule(transition.decided_from() == 0 ? given.uid : transition.next.uid);
  const Uid uid = changed.state.uid;
  changed.state = transition.next;
  changed.state.uid = uid;
  changed.state.writer = writer;
  changed.quarantine.reset();

  for (const VoidedRange& range : transition.voids) {
    ledger.push_back({uid, VoidLine{head_of(changed), range.from, range.to}});
  }
  for (const Resolution& resolution : transition.resolutions) resolve(changed, resolution);
  for (const SkippedRange& range : transition.ranges) {
    ledger.push_back(
        {uid, RangeLine{head_of(changed), transition.decided_under, range.from, range.to, range.count, range.reason}});
    tell(FeedKind::occurrence_skipped, uid);
  }
  for (std::size_t i = 0; i < transition.decisions.size(); ++i) {
    decide(changed, transition, transition.decisions[i], given.decisions.at(i));
  }
  for (const Change& change : transition.changes) keep(changed, change);
  for (const Backfill& backfill : transition.backfills) keep(changed, backfill);
  for (const RunOrder& order : transition.orders) obey(changed, order);
  for (const Seq seq : transition.counted) {
    std::erase_if(changed.live, [&](const LiveRun& live) { return live.seq == seq; });
  }
  for (const Seq seq : transition.watched) {
    if (is_terminal(row(seq)->run.run.state)) changed.state.wake = now;
  }
  if (transition.request != 0) requests[transition.request] = true;
}

void Model::start(Row& row, const Starts& how) {
  row.outcome = DecisionOutcome::started;
  row.run.revision = how.revision;
  row.run.last_success = how.last_success;
  row.run.last_failure = how.last_failure;
  row.run.repeat_number = how.repeat_number;
  row.run.queue = how.queue;
  row.run.priority = how.priority;
  row.run.run = Run{};
  row.run.run.queued_at = how.queued_at;
  row.run.run.claimable_from = how.queued_at;
  row.run.run.expires_at = how.expires_at;
  queues.try_emplace(how.queue, false);
  tell(FeedKind::run_queued, row);
}

void Model::skip(Row& row, SkipReason reason) {
  row.outcome = DecisionOutcome::skipped;
  line_of(row.seq).reason = reason;
  tell(FeedKind::occurrence_skipped, row);
}

void Model::decide(Schedule& schedule, const Transition& transition, const Decision& decision, Seq seq) {
  Row made;
  made.seq = seq;
  made.run.seq = seq;
  made.run.uid = schedule.state.uid;
  made.run.nominal = decision.nominal;
  made.run.due = decision.due;
  made.run.source = decision.source;
  made.run.backfill = decision.backfill;
  made.run.trigger = decision.trigger;
  made.run.payload = decision.payload;
  rows.push_back(made);

  DecisionLine line{.head = head_of(schedule),
                    .server = {},
                    .revision = transition.decided_under,
                    .version = transition.decided_from(),
                    .nominal = decision.nominal,
                    .due = decision.due,
                    .source = decision.source,
                    .outcome = DecisionOutcome::waiting,
                    .reason = {},
                    .run = {},
                    .waited_from = {},
                    .ended_at = {}};
  line.head.seq = seq;
  ledger.push_back({schedule.state.uid, line});

  Row& added = rows.back();
  if (const auto* skips = std::get_if<Skips>(&decision.verdict)) {
    skip(added, skips->reason);
  } else {
    schedule.live.push_back({.seq = seq,
                             .nominal = decision.nominal,
                             .due = decision.due,
                             .source = decision.source,
                             .state = RunState::waiting,
                             .overlap = decision.overlap,
                             .holds_slot = decision.holds_slot,
                             .backfill = decision.backfill});
    if (const auto* starts = std::get_if<Starts>(&decision.verdict)) start(added, *starts);
    added.has_waited = std::holds_alternative<Waits>(decision.verdict);
  }
  refresh(added);
}

void Model::resolve(Schedule& schedule, const Resolution& resolution) {
  Row& waited = *row(resolution.seq);
  mark_redecided(waited.seq);
  if (const auto* skips = std::get_if<Skips>(&resolution.verdict)) {
    skip(waited, skips->reason);
    std::erase_if(schedule.live, [&](const LiveRun& live) { return live.seq == waited.seq; });
  } else {
    start(waited, std::get<Starts>(resolution.verdict));
  }
  refresh(waited);
}

void Model::keep(Schedule& schedule, const Change& change) {
  if (change.document) {
    schedule.definitions.push_back(
        {change.revision,
         {.key = schedule.key, .document = *change.document, .created_at = schedule.state.created_at}});
  }
  ledger.push_back(
      {schedule.state.uid, ChangeLine{head_of(schedule), change.revision, change.kind, change.by, change.document}});
  tell(FeedKind::schedule_changed, schedule.state.uid, change.kind);
  if (change.kind == ChangeKind::paused) schedule.pause_reason = change.reason;
}

void Model::keep(Schedule& schedule, const Backfill& backfill) {
  events.push_back({FeedEvent{
      .at = now, .kind = FeedKind::backfill_progress, .uid = schedule.state.uid, .backfill = backfill.number}});
  const BackfillLine line{head_of(schedule), backfill.id,   backfill.from, backfill.to,
                          backfill.state,    backfill.done, backfill.total};
  for (Backfill& known : schedule.backfills) {
    if (known.number != backfill.number) continue;
    known = backfill;
    for (Line& written : ledger) {
      if (written.uid != schedule.state.uid || written.number != backfill.number) continue;
      const Seq seq = std::get<BackfillLine>(written.record).head.seq;
      written.record = line;
      std::get<BackfillLine>(written.record).head.seq = seq;
    }
    return;
  }
  schedule.backfills.push_back(backfill);
  Line added{schedule.state.uid, line};
  added.number = backfill.number;
  ledger.push_back(added);
}

void Model::obey(Schedule& schedule, const RunOrder& order) {
  using Kind = RunOrder::Kind;
  Row& ordered = *row(order.seq);
  Run& run = ordered.run.run;
  const bool is_waiting = ordered.outcome == DecisionOutcome::waiting;
  if (ordered.outcome == DecisionOutcome::skipped || is_terminal(run.state)) return;
  const bool is_unclaimed = !is_waiting && run.state == RunState::queued && run.attempt == 0;

  if (order.kind == Kind::cancel || order.kind == Kind::terminate) {
    run.stop = std::max(run.stop, order.kind == Kind::cancel ? Stop::cancel : Stop::terminate);
    ordered.was_cancelled_waiting = is_waiting;
    ordered.outcome = DecisionOutcome::started;
    if (run.state != RunState::running) end(ordered, RunState::cancelled);
  }
  if (order.kind == Kind::withdraw && is_unclaimed) {
    skip(ordered, order.reason);
    mark_redecided(order.seq);
    live_of(schedule, order.seq)->withdrawn = order.reason;
  }
  if (order.kind == Kind::hold_back && is_unclaimed) {
    ordered.outcome = DecisionOutcome::waiting;
    ordered.has_waited = true;
    mark_redecided(order.seq);
    ordered.run.run = Run{};
    live_of(schedule, order.seq)->is_held_back = true;
  }
  if (order.kind == Kind::end_retries && !is_waiting) {
    run.may_retry = false;
    if (run.state == RunState::retrying) {
      end(ordered, parse_word<RunState>(to_text(run.attempt_state.value())).value());
    }
  }
  refresh(ordered);
}

void Model::end(Row& row, RunState state) {
  row.run.run.state = state;
  row.run.run.ended_at = now;
  tell(FeedKind::run_finished, row);
}

void Model::tell(FeedKind kind, const Row& row) {
  FeedEvent event{.at = now, .kind = kind, .uid = row.run.uid, .subject = row.seq};
  if (kind != FeedKind::occurrence_skipped) event.state = row.run.run.state;
  events.push_back({event});
}

void Model::tell(FeedKind kind, Uid uid, std::optional<ChangeKind> change) {
  events.push_back({FeedEvent{.at = now, .kind = kind, .uid = uid, .change = change}, ledger.size() - 1});
}

void Model::refresh(const Row& row) {
  Schedule* owner = schedule(row.run.uid);
  if (!owner) return;
  const bool is_started = row.outcome == DecisionOutcome::started;
  if (LiveRun* live = live_of(*owner, row.seq)) {
    live->state = is_started ? row.run.run.state : RunState::waiting;
    live->is_stopping = is_started && row.run.run.stop != Stop::none;
    if (is_started) live->is_held_back = false;
  }
  DecisionLine& line = line_of(row.seq);
  line.outcome = row.outcome;
  line.run.reset();
  if (is_started) line.run = name_of(*owner, row.run);
  line.ended_at = is_started ? row.run.run.ended_at : std::nullopt;
  if (row.has_waited) line.waited_from = Instant{};
}

bool Model::quarantine(Uid uid, std::int64_t version, const std::string& error, Instant retry_at) {
  Schedule* broken = schedule(uid);
  if (!broken || broken->state.version != version) return false;
  broken->quarantine = error;
  broken->state.wake = retry_at;
  events.push_back({FeedEvent{.at = now, .kind = FeedKind::schedule_changed, .uid = uid}});
  return true;
}

LineHead Model::head_of(const Schedule& schedule) const {
  return {.seq = {}, .at = now, .name_space = schedule.key.name_space, .schedule = schedule.key.id};
}

DecisionLine& Model::line_of(Seq decision) {
  for (Line& line : ledger) {
    auto* found = std::get_if<DecisionLine>(&line.record);
    if (found && found->head.seq == decision) return *found;
  }
  throw std::logic_error{"the model has no such decision"};
}

void Model::mark_redecided(Seq decision) {
  for (Line& line : ledger) {
    const auto* found = std::get_if<DecisionLine>(&line.record);
    if (found && found->head.seq == decision) line.is_redecided = true;
  }
}

AttemptLine& Model::newest_attempt_of(Seq run) {
  for (std::size_t i = ledger.size(); i > 0; --i) {
    auto* found = std::get_if<AttemptLine>(&ledger[i - 1].record);
    if (found && ledger[i - 1].run == run) return *found;
  }
  throw std::logic_error{"the model has no attempt of that run"};
}

}  // namespace carillon::conformance
