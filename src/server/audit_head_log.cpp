#include "server/audit_head_log.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>

namespace carillon {
namespace {

constexpr auto look_period = std::chrono::minutes{1};
constexpr int looks_per_line = 60;

}  // namespace

void AuditHeadLog::start() {
  look();
  tell();
  thread_ = std::jthread{[this](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any ended;
    std::unique_lock lock{mutex};
    for (int looks = 1; !ended.wait_for(lock, stop, look_period, [&] { return stop.stop_requested(); }); ++looks) {
      look();
      if (looks % looks_per_line == 0) tell();
    }
  }};
}

void AuditHeadLog::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  look();
  tell();
}

void AuditHeadLog::look() {
  if (witness_ == nullptr) return;
  try {
    witness_->look();
  } catch (const std::exception&) {
    // Memory is short: the next minute comes.
    return;
  }
}

void AuditHeadLog::tell() {
  try {
    const auto head = audit_.read_audit_head();
    // A store that cannot be read is told of elsewhere.
    if (head) log_.info("audit log", {{"records", head->count}, {"head", head->digest}});
  } catch (const std::exception&) {
    // Memory is short: the next hour comes.
    return;
  }
}

}  // namespace carillon
