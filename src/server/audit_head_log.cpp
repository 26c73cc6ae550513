#include "server/audit_head_log.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>

namespace carillon {
namespace {

constexpr auto period = std::chrono::hours{1};

}  // namespace

void AuditHeadLog::start() {
  tell();
  thread_ = std::jthread{[this](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any ended;
    std::unique_lock lock{mutex};
    while (!ended.wait_for(lock, stop, period, [&] { return stop.stop_requested(); })) tell();
  }};
}

void AuditHeadLog::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  tell();
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
