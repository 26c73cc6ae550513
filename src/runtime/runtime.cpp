#include "runtime/runtime.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace carillon {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration idle_look = milliseconds{20};
constexpr Duration zone_look = std::chrono::minutes{1};
/// How long a thread rests after an exception.
constexpr Duration after_exception = seconds{1};
/// How long after asking an attempt to end it is ended by force when the runtime stops.
constexpr Duration stop_grace = seconds{5};

/// Only a store that servers share has others that sweep.
SweeperOptions sweeper_options(const StorePorts& store) {
  SweeperOptions options;
  if (store.servers == nullptr) return options;
  options.locks = store.locks;
  options.lock_token = std::to_string(unique_number());
  return options;
}

/// Where others' writes are told, looks are for what was not.
RuntimeOptions hearing(RuntimeOptions options, const Notifier& notifier) {
  const auto hears = [&notifier] { return notifier.is_prompt(); };
  options.decider.hears_of_changes = hears;
  options.worker.session.hears_of_changes = hears;
  return options;
}

}  // namespace

Runtime::Runtime(RuntimeParts parts, RuntimeOptions options)
    : parts_{std::move(parts)},
      options_{hearing(std::move(options), parts_.store.notifier)},
      definitions_{parts_.store.schedules, parts_.zones},
      last_tick_{parts_.clock.since_boot().count()},
      worker_{{.store = parts_.store.schedules,
               .queue = parts_.store.runs,
               .definitions = definitions_,
               .clock = parts_.clock,
               .log = parts_.log,
               .attempts = parts_.attempts,
               .executors = parts_.executors},
              options_.worker},
      decider_{parts_.store.schedules, parts_.store.runs, definitions_,
               parts_.clock,           parts_.log,        options_.roles.performs ? &worker_.session() : nullptr,
               options_.decider},
      rescuer_{parts_.store.schedules, parts_.store.runs, definitions_,           decider_.clock_watch(),
               parts_.clock,           parts_.log,        options_.adopted_queues},
      commands_{parts_.store.schedules, parts_.store.runs, definitions_,
                [this] {
                  worker_.session().look_for_stops();
                  if (options_.on_stop_request) options_.on_stop_request();
                },
                [this](Instant store_now) { return decider_.check_clock(store_now); }},
      sweeper_{parts_.store.retention,       parts_.store.schedules, parts_.logs, parts_.clock, parts_.log,
               sweeper_options(parts_.store)},
      // A user has changed something, a run has ended that a schedule waits for, or one can be claimed.
      wakes_{parts_.store.notifier.subscribe([this](const StoreChange& change) {
        if (change.has_wake) decider_alarm_.ring();
        if (change.has_claimable && options_.roles.performs) worker_.session().look_for_runs();
      })} {}

Runtime::~Runtime() { stop(); }

void Runtime::start() {
  is_started_ = true;
  if (options_.roles.performs)
    worker_thread_ = watched_thread(parts_.loops, "worker",
                                    [this](const auto& token, const auto& pulse) { run_worker(token, pulse); });
  if (!options_.roles.decides) {
    zone_thread_ = background_thread("zones", [this] {
      (void)definitions_.zones().refresh();
      return parts_.clock.since_boot() + zone_look;
    });
    return;
  }
  decider_thread_ = watched_thread(parts_.loops, "decider",
                                   [this](const auto& token, const auto& pulse) { run_decider(token, pulse); });
  rescuer_thread_ = background_thread("rescuer", [this] { return rescuer_.tick(); });
  sweeper_thread_ = background_thread("sweeper", [this] { return sweeper_.tick(); });
}

// Where memory is short, even the log may have none.
void Runtime::tell_exception(std::string_view name, std::string_view what) {
  try {
    parts_.log.error("a thread caught an exception", {{"thread", name}, {"error", what}});
  } catch (...) {
    return;
  }
}

Duration Runtime::guarded(std::string_view name, const std::function<Duration()>& tick) {
  try {
    return tick();
  } catch (const std::exception& error) {
    tell_exception(name, error.what());
  }
  return parts_.clock.since_boot() + after_exception;
}

void Runtime::run_decider(const std::stop_token& token, const LoopMonitor::Pulse& pulse) {
  while (!token.stop_requested()) {
    pulse.beat();
    // It holds nothing that matters: the next look begins anew.
    const Duration next = guarded("decider", [this] { return decider_.tick(); });
    last_tick_ = parts_.clock.since_boot().count();
    decider_alarm_.sleep(std::max(next - parts_.clock.since_boot(), Duration{0}), token);
  }
}

// What it knows of running attempts may be half written after an exception. So it gives up: what it has not told the
// store is called lost.
void Runtime::run_worker(const std::stop_token& token, const LoopMonitor::Pulse& pulse) {
  try {
    work(token, pulse);
  } catch (const std::exception& error) {
    has_failed_ = true;
    tell_exception("worker", error.what());
    drain();
    if (options_.on_failure) options_.on_failure();
  }
}

void Runtime::work(const std::stop_token& token, const LoopMonitor::Pulse& pulse) {
  while (!token.stop_requested()) {
    pulse.beat();
    const Duration next = worker_.tick();
    parts_.attempts.alarm().sleep(std::clamp(next - parts_.clock.since_boot(), Duration{0}, pulse_interval), token);
  }
}

std::jthread Runtime::background_thread(std::string name, std::function<Duration()> tick) {
  return watched_thread(parts_.loops, name, [this, name, tick = std::move(tick)](const auto& token, const auto& pulse) {
    Alarm nobody_rings;
    while (!token.stop_requested()) {
      pulse.beat();
      const Duration next = guarded(name, tick);
      while (!token.stop_requested() && parts_.clock.since_boot() < next) {
        pulse.beat();
        nobody_rings.sleep(std::min(next - parts_.clock.since_boot(), pulse_interval), token);
      }
    }
  });
}

bool Runtime::wait_until_idle(Duration timeout) {
  const Duration end = parts_.clock.since_boot() + timeout;
  // A worker that has given up hears of no end any more.
  while (!has_failed_ && !worker_.is_idle() && parts_.clock.since_boot() < end)
    if (hurry_.sleep(idle_look)) return worker_.is_idle();
  return worker_.is_idle();
}

void Runtime::stop(Duration timeout) {
  if (!std::exchange(is_started_, false)) return;
  // First the decider: nothing new may come to a worker that is about to leave.
  drain();
  for (std::jthread* thread : {&sweeper_thread_, &rescuer_thread_, &decider_thread_, &zone_thread_})
    thread->request_stop();
  for (std::jthread* thread : {&decider_thread_, &rescuer_thread_, &zone_thread_})
    if (thread->joinable()) thread->join();
  if (options_.roles.decides) decider_.leave();
  if (options_.roles.performs) stop_worker(timeout);
  if (sweeper_thread_.joinable()) sweeper_thread_.join();
}

void Runtime::stop_worker(Duration timeout) {
  if (!wait_until_idle(timeout)) {
    parts_.log.warn("running work is cancelled");
    worker_.stop_all(Stop::cancel);
    if (!wait_until_idle(stop_grace)) {
      worker_.stop_all(Stop::terminate);
      (void)wait_until_idle(stop_grace);
    }
  }
  worker_thread_.request_stop();
  worker_thread_.join();
  worker_.leave();
}

}  // namespace carillon
