#pragma once

#include "base/error.hpp"
#include "embedded/data_directory.hpp"
#include "embedded/run_ids.hpp"
#include "embedded/run_log.hpp"
#include "executors/http/egress.hpp"
#include "executors/http/http_executor.hpp"
#include "executors/process/process_executor.hpp"
#include "ports/clock.hpp"
#include "ports/log.hpp"
#include "ports/zone_source.hpp"
#include "runtime/runtime.hpp"
#include "stores/logs/file_log_store.hpp"
#include "stores/sqlite/sqlite_store.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace carillon {

struct ServerOptions {
  std::filesystem::path data{"carillon-data"};
  std::size_t worker_count = 16;  // attempts at a time
  std::vector<Cidr> allowed_egress{};
  Duration stop_timeout = std::chrono::seconds{30};
  /// The server cannot do its work any more and is to be stopped. Told once, from a thread of its own.
  std::function<void()> on_failure{};
};

/// A whole server on the embedded store: one folder, one writer, everything wired.
class Server {
 public:
  /// Takes the folder, waits until nothing is left of a predecessor's commands, and calls lost what it left open. To be
  /// called before there are threads, since it starts the process that starts commands.
  [[nodiscard]] static Result<std::unique_ptr<Server>> open(const ServerOptions& options, Clock& clock,
                                                            ZoneSource& zones, Log& log);
  ~Server();

  void start();
  /// Waits for running work as `stop_timeout` says, then cancels it.
  void stop();
  /// Ends the waiting of a stop under way.
  void hurry() { runtime_.hurry(); }

  [[nodiscard]] Wishes& wishes() { return runtime_.wishes(); }
  [[nodiscard]] SqliteStore& store() { return *store_; }
  [[nodiscard]] const std::filesystem::path& data() const { return directory_.path(); }

 private:
  struct Opened {
    DataDirectory directory;
    Launcher launcher;
    std::unique_ptr<SqliteStore> store;
    std::unique_ptr<FileLogStore> logs;
    RunIds run_ids;
  };
  Server(Opened opened, const ServerOptions& options, Clock& clock, ZoneSource& zones, Log& log);
  [[nodiscard]] Result<> prepare();
  [[nodiscard]] ProcessOptions process_options(const ServerOptions& options);
  void check_after_unclean_stop();

  Log& log_;
  DataDirectory directory_;
  std::unique_ptr<SqliteStore> store_;
  std::unique_ptr<FileLogStore> logs_;
  RunIds run_ids_;
  RunLog run_log_;
  Runtime runtime_;
  ProcessExecutor commands_;
  HttpExecutor requests_;
  std::jthread check_;
};

}  // namespace carillon
