#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "cli/command_line/exit_code.hpp"
#include "cli/connection/provider_access.hpp"
#include "cli/terminal/console.hpp"
#include "client/client.hpp"
#include "definitions/action.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace carillon::cli {

/// A folder whose files define schedules for as long as the server runs.
struct WatchRequest {
  std::string folder;
  bool has_schedule_files = false;  // beside packages
};

/// The commands of this machine that perform jobs, by type.
using HandlerMap = std::map<std::string, CommandAction, std::less<>>;

/// What a server process does: all of it, or a part beside others on a shared store.
struct ServeRoles {
  bool api = true;
  bool scheduler = true;
  bool worker = true;
  [[nodiscard]] bool is_all() const { return api && scheduler && worker; }
};

struct ServeRequest {
  enum class LogForm { text, json };
  std::string data;
  std::string store{};                      // postgres://…; empty: the embedded store in `data`
  std::optional<Duration> store_timeout{};  // how long to wait for that one at the start; none: as long as it takes
  std::vector<std::string> applied;         // files and folders
  std::optional<WatchRequest> watched{};
  Duration removal_grace = std::chrono::minutes{10};  // how long a schedule stays after its file
  std::string providers_file{};                       // who answers the questions of pipelines; empty: nobody
  std::size_t worker_count = 16;
  std::vector<std::string> allowed_egress;
  std::vector<std::string> command_namespaces{};  // whose tokens may define commands
  std::vector<std::string> command_users{};       // that commands may name
  std::string run_as{};                           // user of commands that name none; empty: the server's
  bool is_data_hidden = true;                     // from commands
  bool may_dump_core = false;
  std::string secret_directory{};               // for `${secret:name}` and `${file:path}`; empty: none
  std::vector<std::string> secret_variables{};  // for `${env:NAME}`
  Duration stop_timeout = std::chrono::seconds{30};
  Duration stall_after = std::chrono::seconds{30};  // without a sign of life a thread stands still
  Duration lease = std::chrono::seconds{30};        // of this server's runs, without word from it
  LogForm log_form = LogForm::text;
  std::string listen{"127.0.0.1:7070"};      // HOST:PORT of the API
  std::optional<std::string> grpc_listen{};  // HOST:PORT for clients of Temporal; none: the usual one, if it is free
  bool has_grpc = true;
  std::string temporal_file{};  // what this server is to them; empty: nothing is done for workflows
  std::string certificate_file{};
  std::string key_file{};
  bool is_insecure = false;
  std::vector<std::string> allowed_hosts{};
  std::vector<std::string> allowed_origins{};
  std::size_t metrics_schedule_count = 200;  // that have series of their own
  ServeRoles roles{};
  std::vector<std::string> tags{};  // of this machine, that runs may ask for
  // Of a worker without an API.
  std::vector<std::string> kinds{};       // command, http, pipeline: what it performs; empty: all
  std::vector<std::string> job_queues{};  // whose jobs it performs by its handlers
  std::string job_namespace{"default"};   // of these queues
  HandlerMap handlers{};
  std::string pipelines{};  // folder; empty: none
};

/// A worker of a server in another process.
struct WorkRequest {
  std::string data;
  Endpoint endpoint{};
  std::vector<std::string> queues{};
  std::vector<std::string> types{};
  std::vector<std::string> tags{};
  std::size_t capacity = 4;
  HandlerMap handlers{};
  Duration lease = std::chrono::seconds{30};
  Duration stop_timeout = std::chrono::seconds{30};
  ServeRequest::LogForm log_form = ServeRequest::LogForm::text;
};

/// What a store tells about itself without being changed.
struct StoreFacts {
  std::optional<Instant> newest{};  // the latest thing that was decided or written down in it
};

enum class StoreCheck { quick, whole };  // whole: reads all of it, and compares what must agree

/// What needs a store and everything around it. Implemented by the program: the command line knows no adapters.
class LocalServer {
 public:
  virtual ~LocalServer() = default;

  /// Returns when the server has been asked to stop, and has.
  [[nodiscard]] virtual Result<ExitCode> serve(const ServeRequest& request, Console& console) = 0;

  /// Performs jobs of a server. Returns when it has been asked to stop, and has.
  [[nodiscard]] virtual Result<ExitCode> work(const WorkRequest& request, Console& console) = 0;

  /// Creates the schema of a shared store, or brings it to the present version, and says so.
  [[nodiscard]] virtual Result<ExitCode> migrate_store(const std::string& url, Console& console) = 0;

  /// Copies a store into an empty one, and says what was copied. Either is sqlite:FOLDER or postgres://….
  [[nodiscard]] virtual Result<ExitCode> copy_store(const std::string& from, const std::string& to,
                                                    Console& console) = 0;

  /// The whole ledger in `data`, a folder or the address of a shared store, as JSON lines.
  [[nodiscard]] virtual Result<ExitCode> export_ledger(const std::string& data, Console& console) = 0;

  /// Opens the store in `data` without writing. An error says what is wrong with it: conflict if it is another
  /// program's or newer than this one, corrupt if it is damaged.
  [[nodiscard]] virtual Result<StoreFacts> inspect_store(const std::string& data, StoreCheck check) = 0;

  /// For pipelines that run in this process. To be called before it has threads.
  [[nodiscard]] virtual Result<std::unique_ptr<ProviderAccess>> open_provider_access(
      const ProviderAccessRequest& request) = 0;
};

}  // namespace carillon::cli
