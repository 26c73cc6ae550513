#pragma once

#include "base/error.hpp"
#include "embedded/data_directory.hpp"
#include "embedded/run_log.hpp"
#include "executors/http/egress.hpp"
#include "executors/http/http_executor.hpp"
#include "executors/process/process_executor.hpp"
#include "ports/clock.hpp"
#include "ports/log.hpp"
#include "ports/zone_source.hpp"
#include "runtime/runtime.hpp"
#include "service/run_ids.hpp"
#include "stores/logs/file_log_store.hpp"
#include "stores/sqlite/sqlite_store.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
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
  RunObserver* observer = nullptr;  // hears of every attempt
};

/// A whole server on the embedded store: one folder, one writer, everything wired.
class Server {
 public:
  /// Takes the folder, waits until nothing is left of a predecessor's commands but those that outlive it, which it
  /// takes over, and calls lost what else was left open. To be called before there are threads, since it starts the
  /// process that starts commands.
  [[nodiscard]] static Result<std::unique_ptr<Server>> open(const ServerOptions& options, Clock& clock,
                                                            ZoneSource& zones, Log& log);
  ~Server();

  void start();
  /// Waits for running work as `stop_timeout` says, then cancels it.
  void stop();
  /// Ends the waiting of a stop under way.
  void hurry() { runtime_.hurry(); }

  [[nodiscard]] Wishes& wishes() { return runtime_.wishes(); }
  [[nodiscard]] Runtime& runtime() { return runtime_; }
  [[nodiscard]] SqliteStore& store() { return *store_; }
  [[nodiscard]] LogStore& logs() { return *logs_; }
  [[nodiscard]] const RunIds& run_ids() const { return run_ids_; }
  [[nodiscard]] const std::filesystem::path& data() const { return directory_.path(); }

 private:
  struct Opened {
    DataDirectory directory;
    Launcher launcher;
    Survivors survivors;
    std::unique_ptr<SqliteStore> store;
    std::unique_ptr<FileLogStore> logs;
    RunIds run_ids;
  };
  Server(Opened opened, const ServerOptions& options, Clock& clock, ZoneSource& zones, Log& log);
  /// What a predecessor has left alive, and the session that has its runs.
  struct Adoption {
    std::vector<Survivor> survivors;
    std::optional<SessionId> session{};
  };
  [[nodiscard]] Result<> prepare();
  [[nodiscard]] Result<> take_over(const Adoption& adoption);
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
