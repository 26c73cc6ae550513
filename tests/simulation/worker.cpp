#include "simulation/worker.hpp"

#include "simulation/draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <vector>

namespace carillon::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

AttemptOutcome other_than(AttemptOutcome outcome) {
  return outcome == AttemptOutcome::failed ? AttemptOutcome::succeeded : AttemptOutcome::failed;
}

}  // namespace

Worker::Worker(Surroundings& surroundings, Actor& actor, const PlannedActor& planned)
    : around_{surroundings}, actor_{actor}, planned_{planned}, capacity_{planned.capacity} {}

void Worker::begin(RunQueue& queue, RunFinisher& finisher, DefinitionCache& definitions) {
  queue_ = &queue;
  move_to(finisher, definitions);
  name_ = fmt::format("w{}-{}", planned_.number, actor_.life());
  session_.reset();
  seen_.clear();
  children_.clear();
  claims_uncertain_ = false;
}

void Worker::move_to(RunFinisher& finisher, DefinitionCache& definitions) {
  finisher_ = &finisher;
  definitions_ = &definitions;
}

void Worker::end() {
  for (auto& [key, child] : children_) kill(child);
  children_.clear();
  session_.reset();
}

template <typename Action>
void Worker::later(Duration delay, Action action) {
  around_.world.after(delay, [this, life = actor_.life(), action] {
    if (actor_.is_alive() && actor_.life() == life) actor_.perform(action);
  });
}

std::uint64_t Worker::luck_of(const ChildKey& key, std::string_view what) const {
  return key_of(around_.plan.seed, what, static_cast<std::int64_t>(key.first), key.second);
}

void Worker::kill(Child& child) {
  if (child.state != Child::State::launched) return;
  Launch& launch = around_.records.witness[*child.launch];
  launch.end = around_.world.now();
  launch.store_end = around_.world.store_now();
  launch.was_killed = true;
  child.state = Child::State::ended;
  ++child.end_number;
}

// What has ended by itself may still be reported; the rest is over.
void Worker::lose_session() {
  session_.reset();
  for (auto& [key, child] : children_)
    if (child.state == Child::State::launched) around_.tally.add(Sometimes::killed_at_end_of_lease);
  for (auto it = children_.begin(); it != children_.end();) {
    const bool is_over = it->second.state != Child::State::ended;
    kill(it->second);
    it = is_over ? children_.erase(it) : std::next(it);
  }
}

void Worker::extend_lease(Instant sent, Duration length) {
  lease_end_ = sent + length;
  next_heartbeat_ = sent + length / 3;
  // The keeper is a process of its own: it acts on time whatever the worker is in the middle of.
  around_.world.at(lease_end_, [this, life = actor_.life(), end = lease_end_] {
    if (actor_.is_alive() && actor_.life() == life && session_ && lease_end_ == end) lose_session();
  });
}

bool Worker::open_session() {
  const Instant sent = around_.world.now();
  const auto session = queue_->open_session(name_, planned_.lease);
  if (!session) return false;
  session_ = *session;
  extend_lease(sent, planned_.lease);
  // The answer may have taken longer than the lease lasts.
  if (around_.world.now() >= lease_end_) lose_session();
  return session_.has_value();
}

bool Worker::beat() {
  std::vector<LaunchNotice> launched;
  for (const auto& [key, child] : children_)
    if (child.launched_at && !child.is_launch_told)
      launched.push_back({.seq = key.first, .attempt = key.second, .at = *child.launched_at});
  const Instant sent = around_.world.now();
  const SessionId session = *session_;
  const auto pulse = queue_->heartbeat({.session = session, .launched = launched});
  if (session_ != session) return false;
  if (!pulse) {
    if (pulse.error().code == ErrorCode::not_found) lose_session();
    next_heartbeat_ = around_.world.now() + seconds{1};
    return session_.has_value();
  }
  extend_lease(sent, pulse->lease_until - pulse->store_now);
  if (around_.world.now() >= lease_end_) lose_session();
  for (const LaunchNotice& told : launched)
    if (const auto child = children_.find({told.seq, told.attempt}); child != children_.end())
      child->second.is_launch_told = true;
  for (const StopRequest& stop : pulse->stops) obey(stop);
  claims_uncertain_ |= planned_.claims_in_commit;
  return session_.has_value();
}

std::optional<ClaimRequest> Worker::claim_request() const {
  if (!session_ || children_.size() >= capacity_ || around_.world.now() >= lease_end_) return std::nullopt;
  return ClaimRequest{.session = *session_, .queues = planned_.queues, .count_max = capacity_ - children_.size()};
}

std::optional<Instant> Worker::claim() {
  const auto request = claim_request();
  if (!request) return std::nullopt;
  const auto claimed = queue_->claim(*request);
  if (session_ != request->session) return around_.world.now() + milliseconds{100};
  if (!claimed) {
    if (claimed.error().code == ErrorCode::not_found) lose_session();
    claims_uncertain_ = true;
    return around_.world.now() + seconds{1};
  }
  take(claimed->runs);
  if (!claimed->runs.empty() || !claimed->next_claimable) return std::nullopt;
  return around_.world.now() + std::max<Duration>(*claimed->next_claimable - claimed->store_now, milliseconds{10});
}

void Worker::look_for_lost_claims() {
  const SessionId session = *session_;
  const auto held = queue_->read_held(session);
  if (!held || session_ != session) return;
  claims_uncertain_ = false;
  for (const ClaimedRun& run : *held)
    if (!seen_.contains({run.row.seq, run.row.run.attempt})) around_.tally.add(Sometimes::lost_claim_found);
  take(*held);
}

std::optional<Instant> Worker::tick() {
  const Instant now = around_.world.now();
  if (!session_ && !open_session()) return now + seconds{1};
  if (now >= next_heartbeat_ && !beat()) return around_.world.now() + milliseconds{200};
  if (claims_uncertain_) look_for_lost_claims();
  if (!session_) return around_.world.now() + milliseconds{200};
  std::optional<Instant> next = claim();
  // An idle worker may let its session end: the next tick opens a new one.
  if (session_ && !children_.empty()) next = std::min(next.value_or(next_heartbeat_), next_heartbeat_);
  if (claims_uncertain_) next = std::min(next.value_or(now + seconds{2}), now + seconds{2});
  return next;
}

void Worker::take(std::span<const ClaimedRun> runs) {
  for (const ClaimedRun& run : runs) {
    // The answer may have taken so long that the session it was claimed for is over.
    if (run.row.session != session_) continue;
    const ChildKey key{run.row.seq, run.row.run.attempt};
    if (!seen_.insert(key).second) continue;
    children_.emplace(key, Child{.claimed = run, .stop = run.row.run.stop});
    Draw draw{luck_of(key, "launch")};
    // Now and then preparing takes so long that the right to launch may be gone.
    const Duration delay = draw.chance(0.004) ? draw.duration(Duration{0}, planned_.lease * 5 / 4)
                                              : draw.uneven(milliseconds{1}, milliseconds{80});
    later(delay, [this, key] { launch(key); });
  }
}

void Worker::launch(const ChildKey& key) {
  const auto found = children_.find(key);
  if (found == children_.end() || found->second.state != Child::State::claimed) return;
  Child& child = found->second;
  const Instant now = around_.world.now();
  if (child.stop != Stop::none || session_ != child.claimed.row.session || now >= lease_end_) {
    if (child.stop == Stop::none) around_.tally.add(Sometimes::launch_refused_after_lease);
    child.state = Child::State::ended;
    child.outcome = child.stop == Stop::none ? AttemptOutcome::failed : AttemptOutcome::cancelled;
    return report(key);
  }
  child.state = Child::State::launched;
  child.launched_at = around_.world.store_now();
  child.launch = around_.records.witness.size();
  around_.records.witness.push_back({.run = key.first,
                                     .attempt = key.second,
                                     .session = *session_,
                                     .worker = name_,
                                     .begin = now,
                                     .store_begin = *child.launched_at,
                                     .end = {},
                                     .store_end = {}});
  plan_end(key, child);
}

// How long it takes and how it ends depends on which run it is, not on who performs it.
void Worker::plan_end(const ChildKey& key, Child& child) {
  // A copy: while the definition is read, the keeper may end the child.
  const QueuedRun row = child.claimed.row;
  const auto definition = definitions_->get({.uid = row.uid, .revision = row.revision});
  const Instant now = around_.world.now();
  const auto again = children_.find(key);
  if (again == children_.end() || again->second.state != Child::State::launched) return;
  std::string id = "?";
  Policies policies;
  if (definition) {
    id = (*definition)->key.id.text();
    policies = (*definition)->policies;
  }
  const auto schedule = std::ranges::find(around_.plan.schedules, id, &PlannedSchedule::id);
  const RunHabit habit = schedule == around_.plan.schedules.end() ? RunHabit{} : schedule->habit;
  Draw draw{key_of(around_.plan.seed, "length", id, row.nominal.time_since_epoch().count(),
                   static_cast<int>(row.source), key.second)};
  Duration length = draw.chance(0.3) ? Duration{0} : draw.uneven(milliseconds{20}, habit.length_max);
  AttemptOutcome outcome = draw.chance(habit.failure_rate) ? AttemptOutcome::failed : AttemptOutcome::succeeded;
  if (policies.timeout && length > *policies.timeout) {
    length = *policies.timeout + (draw.chance(habit.stubborn_rate) ? policies.grace : Duration{0});
    outcome = AttemptOutcome::timed_out;
    around_.tally.add(Sometimes::run_timed_out);
  }
  end_child_at(key, again->second, now + length, outcome);
}

void Worker::end_child_at(const ChildKey& key, Child& child, Instant time, AttemptOutcome outcome) {
  child.outcome = outcome;
  const std::int64_t number = ++child.end_number;
  around_.world.at(time, [this, life = actor_.life(), key, number] {
    if (actor_.is_alive() && actor_.life() == life) child_ended(key, number);
  });
}

void Worker::child_ended(const ChildKey& key, std::int64_t end_number) {
  const auto found = children_.find(key);
  if (found == children_.end() || found->second.end_number != end_number) return;
  Child& child = found->second;
  Launch& launch = around_.records.witness[*child.launch];
  launch.end = around_.world.now();
  launch.store_end = around_.world.store_now();
  child.state = Child::State::ended;
  const bool is_slow = around_.faults.strikes(FaultKind::slow_completions, actor_.number(), luck_of(key, "slow"));
  const Duration delay = is_slow ? Draw{luck_of(key, "delay")}.uneven(seconds{1}, planned_.lease * 3) : Duration{0};
  later(delay, [this, key] { report(key); });
}

void Worker::obey(const StopRequest& request) {
  const ChildKey key{request.seq, request.attempt};
  const auto found = children_.find(key);
  if (found == children_.end() || request.how <= found->second.stop) return;
  Child& child = found->second;
  child.stop = request.how;
  if (child.state != Child::State::launched) return;
  Draw draw{luck_of(key, "stop")};
  const Instant now = around_.world.now();
  if (request.how == Stop::cancel && draw.chance(0.3)) {
    // It does not listen: it goes on until it is done, or is ended by force some time later.
    around_.tally.add(Sometimes::stop_ignored);
    around_.world.after(seconds{30}, [this, life = actor_.life(), key] {
      if (!actor_.is_alive() || actor_.life() != life) return;
      const auto child_now = children_.find(key);
      if (child_now != children_.end() && child_now->second.state == Child::State::launched)
        end_child_at(key, child_now->second, around_.world.now(), AttemptOutcome::cancelled);
    });
    return;
  }
  around_.tally.add(Sometimes::stop_obeyed);
  const Duration delay = request.how == Stop::terminate ? Duration{0} : draw.uneven(Duration{0}, seconds{5});
  end_child_at(key, child, now + delay, AttemptOutcome::cancelled);
}

void Worker::report(const ChildKey& key) {
  const auto found = children_.find(key);
  if (found == children_.end()) return;
  Child& child = found->second;
  const Finish finish{
      .run = child.claimed.row,
      .outcome = child.outcome,
      .report = {.launched_at = child.launched_at, .exit_code = child.outcome == AttemptOutcome::succeeded ? 0 : 1}};
  const auto written = finisher_->finish({&finish, 1});
  if (!written) {
    // Whoever gave up here would keep the run for ever with its lease.
    if (written.error().code != ErrorCode::unavailable) {
      children_.erase(key);
      return;
    }
    return later(seconds{1}, [this, key] { report(key); });
  }
  if (written->front() == FinishOutcome::late) around_.tally.add(Sometimes::late_result_refused);
  children_.erase(key);
  report_again(finish, key);
}

// Some tell it twice, and not even the same: what is written stays.
void Worker::report_again(const Finish& finish, const ChildKey& key) {
  if (!around_.faults.strikes(FaultKind::repeated_completions, actor_.number(), luck_of(key, "again"))) return;
  Finish other = finish;
  other.outcome = other_than(finish.outcome);
  const auto written = finisher_->finish({&other, 1});
  if (written && written->front() == FinishOutcome::late) around_.tally.add(Sometimes::repeated_result_refused);
}

}  // namespace carillon::simulation
