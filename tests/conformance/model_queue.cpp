#include "conformance/model.hpp"

#include <algorithm>

namespace carillon::conformance {
namespace {

bool is_queued(const Model::Row& row) {
  return row.outcome == DecisionOutcome::started &&
         (row.run.run.state == RunState::queued || row.run.run.state == RunState::retrying);
}

bool is_running(const Model::Row& row) {
  return row.outcome == DecisionOutcome::started && row.run.run.state == RunState::running;
}

bool is_wanted(const Model& model, const Model::Row& row, const ClaimRequest& request) {
  return is_queued(row) && std::ranges::find(request.queues, row.run.queue) != request.queues.end() &&
         !model.queues.at(row.run.queue);
}

bool has_expired(const Run& run, Instant now) { return run.expires_at && now > *run.expires_at; }

}  // namespace

Model::Row* Model::row(Seq seq) {
  for (Row& row : rows) {
    if (row.seq == seq) return &row;
  }
  return nullptr;
}
const Model::Row* Model::row(Seq seq) const { return const_cast<Model*>(this)->row(seq); }

const Model::Session* Model::session(SessionId id) const {
  for (const Session& session : sessions) {
    if (session.id == id) return &session;
  }
  return nullptr;
}

bool Model::is_over(SessionId id) const {
  const Session* found = session(id);
  return !found || now >= found->lease_until;
}

std::vector<Seq> Model::claimable(const ClaimRequest& request) const {
  std::vector<const Row*> found;
  for (const Row& row : rows) {
    const Run& run = row.run.run;
    if (is_wanted(*this, row, request) && run.claimable_from <= now && !has_expired(run, now)) found.push_back(&row);
  }
  std::ranges::sort(found, {}, [](const Row* row) {
    return std::pair{rank_of(row->run.priority, row->run.run.claimable_from), row->seq};
  });
  std::vector<Seq> seqs;
  for (const Row* row : found) {
    if (seqs.size() < request.count_max) seqs.push_back(row->seq);
  }
  return seqs;
}

std::optional<Instant> Model::next_claimable(const ClaimRequest& request) const {
  std::optional<Instant> next;
  for (const Row& row : rows) {
    const Instant from = row.run.run.claimable_from;
    if (is_wanted(*this, row, request) && from > now && (!next || from < *next)) next = from;
  }
  return next;
}

void Model::claim(Seq seq, SessionId session_id, std::int64_t fence) {
  Row& claimed = *row(seq);
  claimed.fence = fence;
  claimed.run.session = session_id;
  Run& run = claimed.run.run;
  run.state = RunState::running;
  ++run.attempt;
  run.attempt_state = AttemptState::claimed;
  run.expires_at.reset();
  tell(FeedKind::run_started, claimed);
  const Schedule* owner = schedule(claimed.run.uid);
  if (!owner) return;
  refresh(claimed);
  Line line{owner->state.uid, AttemptLine{.head = head_of(*owner),
                                          .run = line_of(seq).run.value(),
                                          .attempt = run.attempt,
                                          .worker = session(session_id)->worker,
                                          .state = AttemptState::claimed,
                                          .claimed_at = now,
                                          .launched_at = {},
                                          .ended_at = {},
                                          .exit_code = {},
                                          .reason = {},
                                          .claimable_from = {}}};
  line.run = seq;
  ledger.push_back(line);
}

bool Model::accepts(const RunUpdate& update) const {
  const Row* known = row(update.seq);
  if (!known || known->outcome != DecisionOutcome::started) return false;
  const Run& run = known->run.run;
  return !is_terminal(run.state) && run.attempt == update.attempt && known->run.session == update.session &&
         run.state == update.state && run.stop == update.stop && run.may_retry == update.may_retry;
}

void Model::write(const RunUpdate& update) {
  Row& written = *row(update.seq);
  const bool was_running = written.run.run.state == RunState::running;
  written.run.run = update.next;
  if (update.end.result) written.result = update.end.result;
  if (is_terminal(update.next.state)) tell(FeedKind::run_finished, written);
  if (update.next.state == RunState::retrying) tell(FeedKind::run_retrying, written);
  Schedule* owner = schedule(written.run.uid);
  if (!owner) return;
  refresh(written);
  if (was_running) {
    AttemptLine& attempt = newest_attempt_of(update.seq);
    attempt.state = update.next.attempt_state.value();
    if (update.end.launched_at) attempt.launched_at = update.end.launched_at;
    if (is_terminal(attempt.state)) attempt.ended_at = update.end.ended_at.value_or(now);
    attempt.exit_code = update.end.exit_code;
    attempt.reason = update.end.error;
  }
  ScheduleState& state = owner->state;
  if (!is_terminal(update.next.state) || !state.listens || state.deleted_at) return;
  state.wake = state.wake ? std::min(*state.wake, now) : now;
}

void Model::heartbeat(SessionId id, std::span<const LaunchNotice> launched) {
  for (Session& renewed : sessions) {
    if (renewed.id == id) renewed.lease_until = now + renewed.lease;
  }
  for (const LaunchNotice& one : launched) {
    Row* known = row(one.seq);
    if (!known || !is_running(*known) || known->run.session != id || known->run.run.attempt != one.attempt) continue;
    if (known->run.run.attempt_state != AttemptState::claimed) continue;
    known->run.run.attempt_state = AttemptState::launched;
    if (!known->run.run.started_at) known->run.run.started_at = one.at;
    if (!schedule(known->run.uid)) continue;
    newest_attempt_of(one.seq).state = AttemptState::launched;
    newest_attempt_of(one.seq).launched_at = one.at;
  }
}

void Model::enqueue(const AdhocRun& job, Seq seq) {
  adhoc_names.insert(job.name);
  Row added;
  added.seq = seq;
  added.outcome = DecisionOutcome::started;
  added.run.seq = seq;
  added.run.source = Source::adhoc;
  added.run.queue = job.queue;
  added.run.trigger = job.name;
  added.run.name_space = job.name_space;
  added.run.priority = job.priority;
  added.run.run.queued_at = now;
  added.run.run.claimable_from = now;
  if (job.rules.start_deadline) added.run.run.expires_at = now + *job.rules.start_deadline;
  rows.push_back(added);
  queues.try_emplace(job.queue, false);
  tell(FeedKind::run_queued, added);
}

bool Model::pause_queue(const std::string& queue, bool is_paused) {
  const bool was_paused = queues.contains(queue) && queues.at(queue);
  if (was_paused != is_paused) queues[queue] = is_paused;
  return was_paused != is_paused;
}

std::vector<Seq> Model::held(SessionId id) const {
  std::vector<Seq> seqs;
  for (const Row& row : rows) {
    if (is_running(row) && row.run.session == id) seqs.push_back(row.seq);
  }
  return seqs;
}

std::vector<Seq> Model::lost() const {
  std::vector<Seq> seqs;
  for (const Row& row : rows) {
    if (is_running(row) && is_over(row.run.session)) seqs.push_back(row.seq);
  }
  return seqs;
}

std::vector<Seq> Model::expired() const {
  std::vector<Seq> seqs;
  for (const Row& row : rows) {
    if (is_queued(row) && has_expired(row.run.run, now)) seqs.push_back(row.seq);
  }
  return seqs;
}

std::vector<StopRequest> Model::stops(SessionId id) const {
  std::vector<StopRequest> found;
  for (const Row& row : rows) {
    if (!is_running(row) || row.run.session != id || row.run.run.stop == Stop::none) continue;
    found.push_back({.seq = row.seq, .attempt = row.run.run.attempt, .how = row.run.run.stop});
  }
  return found;
}

}  // namespace carillon::conformance
