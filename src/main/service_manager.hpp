#pragma once

#include "files/file_descriptor.hpp"
#include "ports/log.hpp"

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace carillon {

/// How often a watchdog wants to be fed: twice in the time it waits. None if there is no watchdog, or if it watches
/// another process than `self`. The texts are those of WATCHDOG_USEC and WATCHDOG_PID, null where there is none.
[[nodiscard]] std::optional<std::chrono::microseconds> watchdog_interval(const char* microseconds, const char* pid,
                                                                         pid_t self);

/// What has started this server and wants to know how it is: systemd, or anything else that listens at NOTIFY_SOCKET.
/// Without one nothing happens here.
class ServiceManager {
 public:
  /// Takes what the environment says about the manager, and takes it out: what is started from here is not to speak for
  /// the server. To be made before there are threads or children.
  explicit ServiceManager(Log& log);
  ServiceManager(const ServiceManager&) = delete;
  ServiceManager& operator=(const ServiceManager&) = delete;
  ~ServiceManager() = default;

  /// The server is starting and needs up to so much more time for its next step.
  void tell_waiting(std::string_view status, std::chrono::seconds more);
  /// The server does its work. `status` is shown to people.
  void tell_ready(std::string_view status);
  /// Configuration is being read again; `tell_reloaded` ends that.
  void tell_reloading();
  void tell_reloaded();
  /// The server ends. From now on the watchdog is fed without a question: the loop is meant to stand still, and how
  /// long a stop may take is known to the manager.
  void tell_stopping(std::string_view status);

  /// Feeds the watchdog, if there is one, for as long as `stalled` names nothing that stands still; asked from a thread
  /// of its own, and not any more after `tell_stopping`.
  void feed_watchdog(std::function<std::string()> stalled);

 private:
  void run_watchdog(const std::stop_token& token);
  [[nodiscard]] std::chrono::microseconds feed_or_not();
  void send(const std::string& message);
  void take_address(const std::string& text);

  Log& log_;
  FileDescriptor socket_;
  sockaddr_un address_{};
  socklen_t address_length_ = 0;
  std::optional<std::chrono::microseconds> interval_;

  std::mutex mutex_;
  std::function<std::string()> stalled_;  // none: nobody asks
  std::string status_;
  bool was_alive_ = true;
  bool was_failure_told_ = false;
  std::condition_variable_any nobody_wakes_;
  std::jthread watchdog_;
};

}  // namespace carillon
