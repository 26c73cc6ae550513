#pragma once

#include "base/loop_monitor.hpp"
#include "ports/audit_log.hpp"
#include "ports/clock.hpp"
#include "ports/log.hpp"
#include "service/refusal_audit.hpp"

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace carillon {

/// Writes refused requests to the audit log, as many as RefusalAudit lets through. A thread of its own writes them, so
/// that a refusal can be noted where nothing may wait for the store.
class RefusalRecorder {
 public:
  RefusalRecorder(AuditLog& audit, Clock& clock, Log& log, LoopMonitor* loops);
  ~RefusalRecorder() { stop(); }
  RefusalRecorder(const RefusalRecorder&) = delete;
  RefusalRecorder& operator=(const RefusalRecorder&) = delete;

  /// From any thread; does not wait. When too many entries wait to be written the entry is dropped, which is logged.
  void note(AuditEntry refusal);
  /// Writes what is waiting, and what was only counted. Safe to call twice.
  void stop();

 private:
  void run(const std::stop_token& token, const LoopMonitor::Pulse& pulse);
  void write(const std::vector<AuditEntry>& entries);
  [[nodiscard]] std::vector<AuditEntry> take_waiting();

  AuditLog& audit_;
  Clock& clock_;
  Log& log_;
  RefusalAudit limits_;
  std::mutex mutex_;
  std::condition_variable_any condition_;
  std::vector<AuditEntry> waiting_;  // guarded
  std::jthread thread_;
};

}  // namespace carillon
