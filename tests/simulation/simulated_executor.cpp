#include "simulation/simulated_executor.hpp"

#include "simulation/draw.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace carillon::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

}  // namespace

SimulatedExecutor::SimulatedExecutor(Surroundings& surroundings, Actor& actor, const PlannedActor& planned,
                                     std::string worker, AttemptEvents& events, std::function<void()> on_told)
    : around_{surroundings},
      actor_{actor},
      planned_{planned},
      worker_{std::move(worker)},
      events_{events},
      on_told_{std::move(on_told)} {}

template <typename Action>
std::function<void()> SimulatedExecutor::in_this_life(Action action) const {
  return [&actor = actor_, life = actor_.life(), action] {
    if (actor.is_alive() && actor.life() == life) action();
  };
}

template <typename Action>
void SimulatedExecutor::later(Instant time, Action action) {
  around_.world.at(time, in_this_life(action));
}

std::uint64_t SimulatedExecutor::luck_of(const AttemptKey& key, std::string_view what) const {
  return key_of(around_.plan.seed, what, static_cast<std::int64_t>(key.run), key.attempt);
}

void SimulatedExecutor::launch(Assignment assignment) {
  const AttemptKey key = assignment.key;
  performances_[key] = Performance{.assignment = std::move(assignment)};
  Draw draw{luck_of(key, "launch")};
  // Now and then preparing takes so long that the right to launch may be gone.
  const Duration delay = draw.chance(0.004) ? draw.duration(Duration{0}, planned_.lease * 5 / 4)
                                            : draw.uneven(milliseconds{1}, milliseconds{80});
  later(around_.world.now() + delay, [this, key] { begin(key); });
}

void SimulatedExecutor::begin(const AttemptKey& key) {
  const auto found = performances_.find(key);
  if (found == performances_.end()) return;
  Performance& performance = found->second;
  const Duration now = around_.world.store_clock().since_boot();
  if (performance.stop != Stop::none) return finish(key, {.outcome = AttemptOutcome::cancelled});
  if (now >= std::min(lease_end_, performance.assignment.launch_before)) {
    around_.tally.add(Sometimes::launch_refused_after_lease);
    return finish(key, {.outcome = AttemptOutcome::released});
  }
  performance.launch = around_.records.witness.size();
  around_.records.witness.push_back({.run = key.run,
                                     .attempt = key.attempt,
                                     .worker = worker_,
                                     .begin = around_.world.now(),
                                     .store_begin = around_.world.store_now(),
                                     .end = {},
                                     .store_end = {}});
  events_.launched(key);
  plan_end(performance);
}

// How long it takes and how it ends depends on which run it is, not on who performs it.
void SimulatedExecutor::plan_end(Performance& performance) {
  const Envelope& envelope = performance.assignment.envelope;
  const auto schedule = std::ranges::find(around_.plan.schedules, envelope.schedule_id, &PlannedSchedule::id);
  const RunHabit habit = schedule == around_.plan.schedules.end() ? RunHabit{} : schedule->habit;
  Draw draw{key_of(around_.plan.seed, "length", envelope.schedule_id, envelope.nominal.time_since_epoch().count(),
                   static_cast<int>(envelope.source), envelope.attempt)};
  const Duration length = draw.chance(0.3) ? Duration{0} : draw.uneven(milliseconds{20}, habit.length_max);
  const bool fails = draw.chance(habit.failure_rate);
  end_at(performance, around_.world.now() + length,
         fails ? AttemptEnd{.outcome = AttemptOutcome::failed, .exit_code = 1}
               : AttemptEnd{.outcome = AttemptOutcome::succeeded, .exit_code = 0});
}

void SimulatedExecutor::end_at(Performance& performance, Instant time, AttemptEnd end) {
  const std::int64_t number = ++performance.end_number;
  later(time, [this, key = performance.assignment.key, number, end = std::move(end)] {
    const auto found = performances_.find(key);
    if (found != performances_.end() && found->second.end_number == number) finish(key, end);
  });
}

void SimulatedExecutor::note_end(const Performance& performance, bool was_killed) {
  if (!performance.launch) return;
  Launch& launch = around_.records.witness[*performance.launch];
  launch.end = around_.world.now();
  launch.store_end = around_.world.store_now();
  launch.was_killed = was_killed;
}

void SimulatedExecutor::finish(const AttemptKey& key, AttemptEnd end) {
  const auto performance = performances_.extract(key);
  note_end(performance.mapped(), false);
  const bool is_slow = performance.mapped().launch &&
                       around_.faults.strikes(FaultKind::slow_completions, actor_.number(), luck_of(key, "slow"));
  tell(key, std::move(end), is_slow ? Draw{luck_of(key, "delay")}.uneven(seconds{1}, planned_.lease * 3) : Duration{0});
}

void SimulatedExecutor::tell(const AttemptKey& key, AttemptEnd end, Duration delay) {
  later(around_.world.now() + delay, [this, key, end = std::move(end)] {
    events_.ended(key, end);
    on_told_();
  });
}

void SimulatedExecutor::stop(const AttemptKey& key, Stop how) {
  const auto found = performances_.find(key);
  if (found == performances_.end() || how <= found->second.stop) return;
  Performance& performance = found->second;
  performance.stop = how;
  if (!performance.launch) return;
  if (how == Stop::terminate)
    return end_at(performance, around_.world.now(), {.outcome = AttemptOutcome::cancelled, .signal = 9});
  Draw draw{luck_of(key, "stop")};
  // It does not listen: it goes on until it is done, or is ended by force.
  if (draw.chance(0.3)) return around_.tally.add(Sometimes::stop_ignored);
  around_.tally.add(Sometimes::stop_obeyed);
  end_at(performance, around_.world.now() + draw.uneven(Duration{0}, seconds{5}),
         {.outcome = AttemptOutcome::cancelled, .signal = 15});
}

// As a launcher, which is a process of its own, it acts on time whatever the worker is in the middle of.
void SimulatedExecutor::extend_until(Duration since_boot) {
  lease_end_ = since_boot;
  const Duration left = since_boot - around_.world.store_clock().since_boot();
  around_.world.first_at(around_.world.now() + std::max(left, Duration{0}), in_this_life([this, since_boot] {
                           if (lease_end_ == since_boot) kill_all();
                         }));
}

void SimulatedExecutor::kill_all() {
  for (auto performance = performances_.begin(); performance != performances_.end();) {
    if (!performance->second.launch) {
      ++performance;
      continue;
    }
    around_.tally.add(Sometimes::killed_at_end_of_lease);
    note_end(performance->second, true);
    tell(performance->first, {.outcome = AttemptOutcome::cancelled, .signal = 9, .error = "its lease has ended"},
         Duration{0});
    performance = performances_.erase(performance);
  }
}

void SimulatedExecutor::die() {
  for (const auto& [key, performance] : performances_) note_end(performance, true);
  performances_.clear();
}

}  // namespace carillon::simulation
