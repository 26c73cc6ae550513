#include "runtime/runtime.hpp"

#include <algorithm>
#include <chrono>

namespace carillon {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration idle_look = milliseconds{20};
/// How long after asking an attempt to end it is ended by force when the runtime stops.
constexpr Duration stop_grace = seconds{5};

}  // namespace

Runtime::Runtime(RuntimeParts parts, RuntimeOptions options)
    : parts_{parts},
      options_{std::move(options)},
      definitions_{parts.store, parts.zones},
      last_tick_{parts.clock.since_boot().count()},
      worker_{parts.queue,
              parts.clock,
              parts.log,
              options_.worker,
              [this] { worker_alarm_.ring(); },
              [this] { decider_alarm_.ring(); }},
      decider_{parts.store, parts.queue, definitions_, parts.clock, parts.log, &worker_, options_.decider},
      wishes_{parts.store, parts.queue, definitions_, [this] {
                decider_alarm_.ring();
                worker_.look_for_stops();
              }} {
  if (parts.retention != nullptr)
    sweeper_ = std::make_unique<Sweeper>(*parts.retention, parts.store, parts.logs, parts.clock, parts.log);
}

Runtime::~Runtime() { stop(); }

void Runtime::start(Executors executors) {
  worker_.use(executors, parts_.logs, parts_.observer);
  worker_thread_ = std::jthread{[this](const std::stop_token& token) { run_worker(token); }};
  decider_thread_ = std::jthread{[this](const std::stop_token& token) { run_decider(token); }};
  if (sweeper_) sweeper_thread_ = std::jthread{[this](const std::stop_token& token) { run_sweeper(token); }};
}

void Runtime::run_decider(const std::stop_token& token) {
  while (!token.stop_requested()) {
    const Duration next = decider_.tick();
    last_tick_ = parts_.clock.since_boot().count();
    decider_alarm_.sleep(std::max(next - parts_.clock.since_boot(), Duration{0}), token);
  }
}

void Runtime::run_worker(const std::stop_token& token) {
  while (!token.stop_requested()) {
    // Definitions belong to one edition of the zone rules; what runs has its own already.
    if (auto names = parts_.zones.names(); !worker_mind_ || names != worker_zones_) {
      worker_mind_ = std::make_unique<Mind>(parts_.store, parts_.queue, definitions_, unique_number());
      worker_zones_ = std::move(names);
      worker_.use(*worker_mind_->definitions, worker_mind_->desk);
    }
    const Duration next = worker_.tick();
    worker_alarm_.sleep(std::max(next - parts_.clock.since_boot(), Duration{0}), token);
  }
}

void Runtime::run_sweeper(const std::stop_token& token) {
  Alarm nobody_rings;
  while (!token.stop_requested()) {
    const Duration next = sweeper_->tick();
    nobody_rings.sleep(std::max(next - parts_.clock.since_boot(), Duration{0}), token);
  }
}

bool Runtime::wait_until_idle(Duration timeout) {
  const Duration end = parts_.clock.since_boot() + timeout;
  while (!worker_.is_idle() && parts_.clock.since_boot() < end)
    if (hurry_.sleep(idle_look)) return worker_.is_idle();
  return worker_.is_idle();
}

void Runtime::stop() {
  if (!worker_thread_.joinable()) return;
  // First the decider: nothing new may come to a worker that is about to leave.
  worker_.drain();
  sweeper_thread_.request_stop();
  decider_thread_.request_stop();
  decider_thread_.join();
  if (!wait_until_idle(options_.stop_timeout)) {
    parts_.log.warn("running work is cancelled");
    worker_.stop_all(Stop::cancel);
    if (!wait_until_idle(stop_grace)) {
      worker_.stop_all(Stop::terminate);
      (void)wait_until_idle(stop_grace);
    }
  }
  worker_thread_.request_stop();
  worker_thread_.join();
  if (sweeper_thread_.joinable()) sweeper_thread_.join();
  worker_.leave();
}

}  // namespace carillon
