#include "simulation/chronicle.hpp"

#include "simulation/draw.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace carillon::simulation {
namespace {

constexpr std::size_t page_size = 1'000;

Seq before(Seq seq) { return Seq{static_cast<std::int64_t>(seq) - 1}; }

bool is_open(const DecisionStory& decision) {
  return decision.line.outcome == DecisionOutcome::started && !decision.ended;
}

}  // namespace

Chronicle::Chronicle(Ports store, World& world, std::vector<EditionZones*> zones, Tally& tally, Findings& findings,
                     std::function<void()> on_write)
    : PassingStore{store},
      world_{world},
      zones_{std::move(zones)},
      tally_{tally},
      findings_{findings},
      on_write_{std::move(on_write)} {}

std::string Chronicle::id_of(Uid uid) const {
  const auto found = known_.find(uid);
  return found == known_.end() ? std::string{} : found->second.life.first;
}

void Chronicle::trace(std::uint64_t value) { trace_ = splitmix(trace_ ^ value); }

Moment Chronicle::next_moment() {
  trace(static_cast<std::uint64_t>(world_.now().time_since_epoch().count()));
  return {.time = world_.now(), .store = world_.store_now(), .step = ++step_};
}

Life& Chronicle::life_of(const LineHead& head) {
  Life& life = story_.lives[{head.schedule.text(), head.incarnation}];
  life.schedule = head.schedule.text();
  life.incarnation = head.incarnation;
  return life;
}

void Chronicle::check_view(const ScheduleView& view) {
  const auto known = known_.find(view.state.uid);
  findings_.fact("I5");
  if (known != known_.end() && known->second.version != view.state.version)
    findings_.violation("I5", known->second.life.first, "version {} was read after version {} had been written",
                        view.state.version, known->second.version);
}

Result<DueSchedules> Chronicle::read_due(const DueRequest& request) {
  auto due = PassingStore::read_due(request);
  if (due) std::ranges::for_each(due->views, [&](const ScheduleView& view) { check_view(view); });
  return due;
}

Result<ScheduleLookup> Chronicle::find(const ScheduleKey& key) {
  auto found = PassingStore::find(key);
  if (found && found->view) check_view(*found->view);
  return found;
}

Result<CommitResult> Chronicle::commit(const Batch& batch) {
  auto committed = PassingStore::commit(batch);
  if (!committed) return committed;
  // A server that asks for runs with every look at what is due mostly writes nothing.
  if (batch.transitions.empty() && committed->claimed.empty()) return committed;
  const Moment moment = next_moment();
  const auto is_written = [&](std::size_t i) { return committed->items[i].outcome == WriteOutcome::Outcome::written; };
  // Waits end before attempts begin: a claim in the same commit may be about one that was released in it.
  for (std::size_t i = 0; i < batch.transitions.size(); ++i)
    if (is_written(i))
      for (const Resolution& resolution : batch.transitions[i].resolutions) refresh(resolution.seq, moment);
  read_new_lines(moment);
  for (std::size_t i = 0; i < batch.transitions.size(); ++i) {
    if (is_written(i)) {
      note_transition(batch.transitions[i], committed->items[i], moment);
    } else {
      tally_.add(Sometimes::stale_commit_refused);
    }
  }
  on_write_();
  return committed;
}

void Chronicle::note_transition(const Transition& transition, const WriteOutcome& written, const Moment& moment) {
  for (const Seq seq : transition.watched)
    if (const DecisionStory* run = story_.decision(seq); run != nullptr && run->ended)
      tally_.add(Sometimes::finish_raced_with_waiting);
  if (transition.decided_from() == 0) note_created(transition, written.uid);
  for (const Seq seq : written.decisions)
    if (const auto found = story_.decision_of.find(seq); found != story_.decision_of.end())
      story_.decisions[found->second].phases.front().decided_at = transition.decided_at;
  // Only a run has a name that tells its trigger; one that was skipped has none.
  for (std::size_t i = 0; i < written.decisions.size() && i < transition.decisions.size(); ++i)
    if (const auto found = story_.decision_of.find(written.decisions[i]);
        found != story_.decision_of.end() && transition.decisions[i].source == Source::trigger)
      story_.decisions[found->second].detail = transition.decisions[i].trigger;
  const Uid uid = transition.decided_from() == 0 ? written.uid : transition.next.uid;
  const auto known = known_.find(uid);
  if (known == known_.end()) {
    findings_.violation("I5", "", "a transition was written for a schedule that does not exist");
    return;
  }
  note_state(transition, known->second, moment);
  for (const RunOrder& order : transition.orders) refresh_run(order.seq, moment);
  refresh_backfills(known->second.life, moment);
}

void Chronicle::note_created(const Transition& transition, Uid uid) {
  const std::string id = transition.changes.front().key->id.text();
  // Its creation is the newest line of that id, and the lines were just read.
  const auto after = story_.lives.lower_bound({id, INT64_MAX});
  Life& life = std::prev(after)->second;
  life.uid = uid;
  known_[uid] = {.life = {life.schedule, life.incarnation}, .cursor = transition.next.cursor};
  for (const ChangeStory& change : life.changes)
    if (change.line.document) add_revision(life, change.line);
}

void Chronicle::note_state(const Transition& transition, Known& known, const Moment& moment) {
  const ScheduleState& next = transition.next;
  Life& life = story_.lives[known.life];
  findings_.fact("I5");
  if (next.version != known.version + 1)
    findings_.violation("I5", life.schedule, "version {} follows version {}", next.version, known.version);
  // Only a cursor that is ahead of the clock may go back, and only to be right again.
  if (next.cursor < known.cursor && known.cursor <= transition.decided_at)
    findings_.violation("I5", life.schedule, "the cursor goes back from {} to {}", to_text(known.cursor),
                        to_text(next.cursor));
  for (ChangeStory& change : life.changes)
    if (change.moment.step == moment.step) change.decided_at = transition.decided_at;
  known.version = next.version;
  known.cursor = next.cursor;
  if (std::exchange(known.is_quarantined, false)) tally_.add(Sometimes::quarantine_ended);
  if (life.statuses.empty() || life.statuses.back().status != next.status)
    life.statuses.push_back({.moment = moment, .decided_at = transition.decided_at, .status = next.status});
}

Result<std::optional<Outage>> Chronicle::note_deciding(const Presence& presence) {
  auto outage = PassingStore::note_deciding(presence);
  if (!outage) {
    may_have_outage_ = true;
  } else if (std::exchange(may_have_outage_, false) || *outage) {
    read_new_lines(next_moment());
  }
  return outage;
}

Result<bool> Chronicle::quarantine(Uid uid, std::int64_t version, const std::string& error, Instant retry_at) {
  auto done = PassingStore::quarantine(uid, version, error, retry_at);
  if (done && *done) {
    next_moment();
    tally_.add(Sometimes::schedule_quarantined);
    known_[uid].is_quarantined = true;
    on_write_();
  }
  return done;
}

Result<ClaimResult> Chronicle::claim(const ClaimRequest& request) {
  auto claimed = PassingStore::claim(request);
  if (!claimed || claimed->runs.empty()) return claimed;
  read_new_lines(next_moment());
  on_write_();
  return claimed;
}

Result<std::vector<RunWritten>> Chronicle::write(std::span<const RunUpdate> updates) {
  auto written = PassingStore::write(updates);
  if (!written) return written;
  const Moment moment = next_moment();
  for (const RunUpdate& update : updates) refresh_run(update.seq, moment);
  read_new_lines(moment);
  on_write_();
  return written;
}

Result<Pulse> Chronicle::heartbeat(const Heartbeat& heartbeat) {
  auto pulse = PassingStore::heartbeat(heartbeat);
  if (!pulse || heartbeat.launched.empty()) return pulse;
  const Moment moment = next_moment();
  for (const LaunchNotice& launched : heartbeat.launched) refresh_run(launched.seq, moment);
  return pulse;
}

void Chronicle::read_new_lines(const Moment& moment) {
  for (;;) {
    const auto lines = PassingStore::read_ledger(newest_, page_size).value();
    for (const LedgerRecord& line : lines) {
      const Seq seq = seq_of(line);
      const LineHead* const head = head_of(line);
      if (seq <= newest_)
        findings_.violation("I5", head != nullptr ? head->schedule.text() : "", "the ledger does not ascend");
      apply(line, moment);
      newest_ = std::max(newest_, seq);
    }
    if (lines.size() < page_size) return;
  }
}

void Chronicle::refresh(Seq seq, const Moment& moment) {
  const auto lines = PassingStore::read_ledger(before(seq), 1).value();
  for (const LedgerRecord& line : lines)
    if (seq_of(line) == seq) apply(line, moment);
}

void Chronicle::refresh_run(Seq seq, const Moment& moment) {
  refresh(seq, moment);
  const DecisionStory* const decision = story_.decision(seq);
  if (decision != nullptr && !decision->attempts.empty())
    refresh(story_.attempts[decision->attempts.back()].line.head.seq, moment);
}

void Chronicle::refresh_backfills(const LifeKey& key, const Moment& moment) {
  Life& life = story_.lives[key];
  for (std::size_t i = 0; i < life.backfills.size(); ++i)
    if (!life.backfills[i].completed) refresh(life.backfills[i].line.head.seq, moment);
}

void Chronicle::compare_with_ledger() {
  const Moment moment = next_moment();
  Seq last{};
  std::set<Seq> seen;
  for (;;) {
    const auto lines = PassingStore::read_ledger(last, page_size).value();
    for (const LedgerRecord& line : lines) {
      seen.insert(seq_of(line));
      apply(line, moment);
      last = seq_of(line);
    }
    if (lines.size() < page_size) break;
  }
  for (const DecisionStory& decision : story_.decisions) {
    findings_.fact("I14");
    if (!seen.contains(decision.line.head.seq))
      findings_.violation("I14", decision.line.head.schedule.text(), "line {} has vanished",
                          static_cast<std::int64_t>(decision.line.head.seq));
  }
}

void Chronicle::count_open(const DecisionStory& decision, int sign) {
  if (is_open(decision)) open_run_count_ += sign;
}

}  // namespace carillon::simulation
