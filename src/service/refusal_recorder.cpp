#include "service/refusal_recorder.hpp"

#include <cstddef>
#include <utility>

namespace carillon {
namespace {

constexpr std::size_t waiting_count_max = 4'096;

}  // namespace

RefusalRecorder::RefusalRecorder(AuditLog& audit, Clock& clock, Log& log, LoopMonitor* loops)
    : audit_{audit},
      clock_{clock},
      log_{log},
      thread_{watched_thread(loops, "refusal-audit",
                             [this](const auto& token, const auto& pulse) { run(token, pulse); })} {}

void RefusalRecorder::note(AuditEntry refusal) {
  if (!limits_.wants(refusal, clock_.since_boot())) return;
  bool is_taken = false;
  {
    const std::scoped_lock lock{mutex_};
    is_taken = waiting_.size() < waiting_count_max;
    if (is_taken) waiting_.push_back(std::move(refusal));
  }
  condition_.notify_one();
  if (!is_taken) log_.warn("refused requests are missing from the audit log: too many are waiting to be written", {});
}

void RefusalRecorder::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  write(take_waiting());
  write(limits_.summaries(clock_.since_boot(), true));
}

std::vector<AuditEntry> RefusalRecorder::take_waiting() {
  const std::scoped_lock lock{mutex_};
  return std::exchange(waiting_, {});
}

void RefusalRecorder::write(const std::vector<AuditEntry>& entries) {
  for (const AuditEntry& entry : entries)
    if (const auto kept = audit_.append(entry); !kept)
      log_.warn("audit entry cannot be written", {{"error", kept.error().message}});
}

void RefusalRecorder::run(const std::stop_token& token, const LoopMonitor::Pulse& pulse) {
  while (!token.stop_requested()) {
    pulse.beat();
    {
      std::unique_lock lock{mutex_};
      condition_.wait_for(lock, token, pulse_interval, [&] { return !waiting_.empty(); });
    }
    if (token.stop_requested()) return;
    write(take_waiting());
    write(limits_.summaries(clock_.since_boot()));
  }
}

}  // namespace carillon
