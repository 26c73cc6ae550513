#pragma once

#include "base/loop_monitor.hpp"
#include "ports/notifier.hpp"
#include "runtime/worker.hpp"

#include <stop_token>
#include <thread>

namespace carillon {

/// Follows runs whose work is done elsewhere, as many as there are: they take nothing of this machine, and do not end
/// with it. A worker of its own, so that they neither take the places of commands nor are waited for when the server
/// stops.
class RemoteWorker {
 public:
  /// The session of the options hands over (SessionOptions::hands_over).
  RemoteWorker(WorkerParts parts, WorkerOptions options, Notifier& notifier, LoopMonitor* loops);
  RemoteWorker(const RemoteWorker&) = delete;
  RemoteWorker& operator=(const RemoteWorker&) = delete;
  ~RemoteWorker();

  void start();
  /// Gives its runs to whoever comes next. Safe twice, and before `start`.
  void stop();
  /// Somebody was asked to stop. From any thread.
  void look_for_stops() { worker_.session().look_for_stops(); }

 private:
  void work(const std::stop_token& token, const LoopMonitor::Pulse& pulse);

  WorkerParts parts_;
  LoopMonitor* const loops_;
  Worker worker_;
  NotifierSubscription wakes_;
  std::jthread thread_;
};

}  // namespace carillon
