#pragma once

#include "base/error.hpp"
#include "logging/stream_log.hpp"
#include "runtime/run_log.hpp"
#include "runtime/running_attempts.hpp"
#include "runtime/runtime.hpp"
#include "soak/quiet_executor.hpp"
#include "soak/users.hpp"
#include "soak/vitals.hpp"
#include "stores/logs/file_log_store.hpp"
#include "stores/sqlite/sqlite_store.hpp"
#include "support/manual_clock.hpp"
#include "zones/system_zone_source.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

namespace carillon::testing {

struct SoakOptions {
  std::filesystem::path folder;
  std::int64_t hours = 8;
  std::size_t starts_per_second = 20;
  std::int64_t edit_period = 11;  // seconds; 0: nobody edits or pauses
  int restart_count = 20;
};

/// What there was at one moment of the soak.
struct Sample {
  std::int64_t second = 0;
  std::int64_t run_count = 0;
  Vitals vitals;
  std::int64_t database = 0;  // bytes
  std::int64_t log = 0;       // the write-ahead log of the database
};

/// A server with everything but real commands, whose clock goes as fast as it can follow.
class Soak {
 public:
  explicit Soak(const SoakOptions& options);

  /// Lets the hours pass without a stop, then stops and starts again and again. False if something grew.
  [[nodiscard]] Result<bool> run();

 private:
  /// What lives between two starts.
  struct Server {
    Server(std::unique_ptr<SqliteStore> opened_store, std::unique_ptr<FileLogStore> opened_logs, Soak& soak);
    ~Server();
    std::unique_ptr<SqliteStore> store;
    std::unique_ptr<FileLogStore> logs;
    RunningAttempts attempts;
    QuietExecutor executor;
    Runtime runtime;
  };

  [[nodiscard]] Result<> start();
  void stop();
  [[nodiscard]] Result<> pass_second();
  [[nodiscard]] Result<> pass_hours();
  [[nodiscard]] Result<> restart_often();
  [[nodiscard]] Sample sample();
  [[nodiscard]] bool judge() const;

  SoakOptions options_;
  ManualClock clock_;
  SystemZoneSource zones_;
  int log_file_;
  StreamLog log_;
  RunLog run_log_;
  Users users_;
  std::unique_ptr<Server> server_;
  std::int64_t second_ = 0;
  std::int64_t earlier_runs_ = 0;  // of servers that have stopped
  std::vector<Sample> hours_;
  std::vector<Sample> restarts_;
};

}  // namespace carillon::testing
