#pragma once

#include "no_op_executor.hpp"
#include "runtime/running_attempts.hpp"
#include "runtime/runtime.hpp"
#include "runtime/system_clock.hpp"
#include "silent_log.hpp"
#include "watched_store.hpp"
#include "zones/system_zone_source.hpp"

#include <filesystem>
#include <functional>
#include <memory>

namespace carillon::bench {

/// A server by the real clock, which performs nothing.
class RunningScheduler {
 public:
  explicit RunningScheduler(const std::filesystem::path& file, std::size_t capacity = capacity_of_nothing,
                            std::function<void(const Envelope&)> on_launch = {});
  ~RunningScheduler();
  RunningScheduler(const RunningScheduler&) = delete;
  RunningScheduler& operator=(const RunningScheduler&) = delete;

  /// As a server does before its first look.
  void start();

  [[nodiscard]] Instant now() { return clock_.now(); }
  [[nodiscard]] ZoneSource& zones() { return zones_; }
  [[nodiscard]] SqliteStore& store() { return *store_; }
  [[nodiscard]] const WatchedStore& watched() const { return watched_; }
  [[nodiscard]] ScheduleCommands& commands() { return runtime_.commands(); }

 private:
  SystemClock clock_;
  SystemZoneSource zones_;
  SilentLog log_;
  std::unique_ptr<SqliteStore> store_;
  WatchedStore watched_;
  RunningAttempts attempts_;
  NoOpExecutor executor_;
  Runtime runtime_;
};

}  // namespace carillon::bench
