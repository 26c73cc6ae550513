#include "runtime/remote_worker.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace carillon {
namespace {

WorkerOptions hearing(WorkerOptions options, const Notifier& notifier) {
  options.session.hears_of_changes = [&notifier] { return notifier.is_prompt(); };
  return options;
}

}  // namespace

RemoteWorker::RemoteWorker(WorkerParts parts, WorkerOptions options, Notifier& notifier, LoopMonitor* loops)
    : parts_{std::move(parts)},
      loops_{loops},
      worker_{parts_, hearing(std::move(options), notifier)},
      wakes_{notifier.subscribe([this](const StoreChange& change) {
        if (change.has_claimable) worker_.session().look_for_runs();
      })} {}

RemoteWorker::~RemoteWorker() { stop(); }

void RemoteWorker::start() {
  thread_ = watched_thread(loops_, "remote worker", [this](const auto& token, const auto& pulse) {
    try {
      work(token, pulse);
    } catch (const std::exception& error) {
      // What it follows goes on; whoever opens the store next follows it.
      parts_.log.error("no longer following workflows: a thread caught an exception", {{"error", error.what()}});
    }
  });
}

void RemoteWorker::work(const std::stop_token& token, const LoopMonitor::Pulse& pulse) {
  while (!token.stop_requested()) {
    pulse.beat();
    const Duration next = worker_.tick();
    parts_.attempts.alarm().sleep(std::clamp(next - parts_.clock.since_boot(), Duration{0}, pulse_interval), token);
  }
}

void RemoteWorker::stop() {
  if (!thread_.joinable()) return;
  parts_.attempts.drain();
  thread_.request_stop();
  parts_.attempts.alarm().ring();
  thread_.join();
  worker_.hand_over();
}

}  // namespace carillon
