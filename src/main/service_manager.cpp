#include "main/service_manager.hpp"

#include "executors/process/system_calls.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

namespace carillon {
namespace {

using std::chrono::microseconds;

/// A manager that does not read must not hold the server up for longer.
constexpr std::chrono::seconds send_patience{5};
/// While the loop stands still: fed again soon after it has come back, as it does when the machine was asleep.
constexpr microseconds doubt_interval = std::chrono::seconds{1};

template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stop != text.data() + text.size()) return {};
  return number;
}

std::string taken_from_environment(const char* name) {
  // Nobody else reads or writes the environment yet: there are no threads.
  const char* value = std::getenv(name);
  std::string text = value == nullptr ? "" : value;
  ::unsetenv(name);
  return text;
}

const char* or_null(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

// A message is lines: what is shown to people must not become a field of its own.
std::string status_line(std::string_view status) {
  std::string line{status};
  std::ranges::replace_if(line, [](char byte) { return static_cast<unsigned char>(byte) < 0x20; }, ' ');
  return "STATUS=" + line;
}

std::int64_t monotonic_microseconds() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000 + time.tv_nsec / 1'000;
}

}  // namespace

std::optional<microseconds> watchdog_interval(const char* microseconds_text, const char* pid, pid_t self) {
  if (microseconds_text == nullptr) return {};
  if (pid != nullptr && number_in<pid_t>(pid) != self) return {};
  const auto timeout = number_in<std::int64_t>(microseconds_text);
  if (!timeout || *timeout < 2) return {};
  return microseconds{*timeout / 2};
}

ServiceManager::ServiceManager(Log& log) : log_{log} {
  const std::string address = taken_from_environment("NOTIFY_SOCKET");
  const std::string timeout = taken_from_environment("WATCHDOG_USEC");
  const std::string watched = taken_from_environment("WATCHDOG_PID");
  if (address.empty()) return;
  take_address(address);
  if (socket_.is_open()) interval_ = watchdog_interval(or_null(timeout), or_null(watched), ::getpid());
}

void ServiceManager::take_address(const std::string& text) {
  const bool is_abstract = text.starts_with('@');
  if ((!is_abstract && !text.starts_with('/')) || text.size() < 2 || text.size() >= sizeof(address_.sun_path)) {
    log_.warn("cannot notify the service manager", {{"error", "NOTIFY_SOCKET is neither a path nor an @name"}});
    return;
  }
  address_.sun_family = AF_UNIX;
  std::memcpy(address_.sun_path, text.data(), text.size());
  if (is_abstract) address_.sun_path[0] = '\0';
  // A name without a file is as long as the address says; a path ends with a zero byte.
  address_length_ =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + text.size() + (is_abstract ? std::size_t{0} : 1));
  socket_.reset(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const timeval patience{.tv_sec = send_patience.count(), .tv_usec = 0};
  if (!socket_.is_open() || ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) != 0) {
    log_.warn("cannot notify the service manager", {{"error", error_text(errno)}});
    socket_.reset();
  }
}

void ServiceManager::tell_waiting(std::string_view status, std::chrono::seconds more) {
  const std::lock_guard lock{mutex_};
  send(fmt::format("EXTEND_TIMEOUT_USEC={}\n{}", std::chrono::microseconds{more}.count(), status_line(status)));
}

void ServiceManager::tell_ready(std::string_view status) {
  const std::lock_guard lock{mutex_};
  status_ = status_line(status);
  send("READY=1\n" + status_);
}

void ServiceManager::tell_reloading() {
  const std::lock_guard lock{mutex_};
  send(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", monotonic_microseconds()));
}

void ServiceManager::tell_reloaded() {
  const std::lock_guard lock{mutex_};
  send("READY=1\n" + status_);
}

void ServiceManager::tell_stopping(std::string_view status) {
  const std::lock_guard lock{mutex_};
  stalled_ = nullptr;
  status_ = status_line(status);
  send("STOPPING=1\n" + status_);
}

void ServiceManager::feed_watchdog(std::function<std::string()> stalled) {
  if (!interval_) return;
  {
    const std::lock_guard lock{mutex_};
    stalled_ = std::move(stalled);
  }
  watchdog_ = std::jthread{[this](const std::stop_token& token) { run_watchdog(token); }};
  ::pthread_setname_np(watchdog_.native_handle(), "watchdog");
}

void ServiceManager::run_watchdog(const std::stop_token& token) {
  std::unique_lock lock{mutex_};
  while (!token.stop_requested()) {
    const microseconds pause = feed_or_not();
    nobody_wakes_.wait_for(lock, token, pause, [] { return false; });
  }
}

microseconds ServiceManager::feed_or_not() {
  const std::string stalled = stalled_ ? stalled_() : std::string{};
  const bool is_alive = stalled.empty();
  if (is_alive != std::exchange(was_alive_, is_alive)) {
    if (is_alive) {
      log_.info("all threads are running again: watchdog notifications resumed");
      send(status_);
    } else {
      log_.error("threads are stuck: watchdog notifications stopped", {{"stalled", stalled}});
      send(status_line("Stalled: " + stalled));
    }
  }
  if (!is_alive) return std::min(*interval_, doubt_interval);
  send("WATCHDOG=1");
  return *interval_;
}

void ServiceManager::send(const std::string& message) {
  if (!socket_.is_open()) return;
  const auto* address = reinterpret_cast<const sockaddr*>(&address_);
  if (::sendto(socket_.get(), message.data(), message.size(), MSG_NOSIGNAL, address, address_length_) >= 0) return;
  if (std::exchange(was_failure_told_, true)) return;
  log_.warn("service manager was not notified", {{"error", error_text(errno)}});
}

}  // namespace carillon
