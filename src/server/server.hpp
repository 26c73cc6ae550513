#pragma once

#include "base/error.hpp"
#include "base/loop_monitor.hpp"
#include "data_folder/data_directory.hpp"
#include "definitions/command_users.hpp"
#include "executors/http/egress.hpp"
#include "executors/http/http_executor.hpp"
#include "executors/pipeline/launched_programs.hpp"
#include "executors/process/handler_commands.hpp"
#include "executors/process/process_executor.hpp"
#include "executors/secrets/resolving_executor.hpp"
#include "executors/secrets/secret_reader.hpp"
#include "executors/secrets/secret_source.hpp"
#include "executors/temporal/temporal_executor.hpp"
#include "ports/clock.hpp"
#include "ports/executor.hpp"
#include "ports/executor_registry.hpp"
#include "ports/item_store.hpp"
#include "ports/log.hpp"
#include "ports/run_progress.hpp"
#include "ports/store_ports.hpp"
#include "ports/zone_source.hpp"
#include "runtime/remote_worker.hpp"
#include "runtime/run_log.hpp"
#include "runtime/running_attempts.hpp"
#include "runtime/runtime.hpp"
#include "server/audit_head_log.hpp"
#include "server/counting_locks.hpp"
#include "server/pipeline_performer.hpp"
#include "server/server_registration.hpp"
#include "server/server_store.hpp"
#include "service/run_ids.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace carillon {

struct ServerOptions {
  RuntimeRoles roles{};
  std::filesystem::path data{"carillon-data"};
  std::string store{};            // postgres://…: a store that servers share; empty: the embedded one
  StoreWait store_wait{};         // what to do while that one cannot be used at the start; none: give up
  std::size_t worker_count = 16;  // attempts at a time
  std::vector<Cidr> allowed_egress{};
  std::string run_as{};                             // user of commands that name none; empty: this process's own
  std::vector<std::string> allowed_users{};         // that commands may name beside
  bool is_data_hidden = true;                       // from commands, as far as that can be had
  SecretOptions secrets{};                          // what schedules may refer to
  Duration stall_after = std::chrono::seconds{30};  // a thread that gives no sign of life for so long stands still
  Duration stop_timeout = std::chrono::seconds{30};
  /// How long the store believes in this server's attempts without hearing of it. The server ends them itself before,
  /// by force if need be. More than 2 s, which it keeps for that; a slow disk needs much more.
  Duration lease = std::chrono::seconds{30};
  /// The server cannot do its work any more and is to be stopped. Told once, from a thread of its own.
  std::function<void()> on_failure{};
  std::string version{};            // of the program, for the list of servers
  RunObserver* observer = nullptr;  // hears of every attempt
  /// The folder of pipelines whose runs this server performs; none: it has none. Where journals lie and which
  /// addresses providers may have is filled in.
  std::optional<PipelineSettings> pipelines{};
  /// Temporal clusters that workflows are started on.
  std::vector<workflows::ClusterSettings> clusters{};
  Duration poll_period = std::chrono::seconds{1};  // how often what is due is looked for, whatever else happens
  std::vector<std::string> tags{};                 // of this machine: runs may ask for them
  /// What is performed here of what servers perform themselves; empty: all.
  std::vector<ActionKind> kinds{};
  /// Jobs of these queues, by their stored names, are performed here by the commands of `handlers`.
  std::vector<std::string> job_queues{};
  HandlerCommandMap handlers{};
};

/// A whole server, everything wired: on the embedded store of its folder, or on one that it shares with other servers.
class Server {
 public:
  /// Takes the folder, waits until nothing is left of a predecessor's commands but those that outlive it, which it
  /// takes over, and calls lost what else was left open. To be called before there are threads, since it starts the
  /// process that starts commands.
  [[nodiscard]] static Result<std::unique_ptr<Server>> open(const ServerOptions& options, Clock& clock,
                                                            ZoneSource& zones, Log& log);
  ~Server();

  void start();
  /// Where the interfaces of this server listen: http actions and providers may not call them. Before `start`.
  void close_ports(const std::vector<std::uint16_t>& own_ports) {
    requests_.close_ports(own_ports);
    if (pipelines_) pipelines_->close_ports(own_ports);
  }
  /// Why a reference to a secret will never be resolved here; none if it may be.
  [[nodiscard]] std::optional<Error> secret_refusal(std::string_view reference) const {
    return secrets_->refusal(reference);
  }
  /// Waits for running work as `stop_timeout` says, then cancels it.
  void stop();
  /// Ends the waiting of a stop under way.
  void hurry() { runtime_.hurry(); }

  [[nodiscard]] ScheduleCommands& commands() { return runtime_.commands(); }
  [[nodiscard]] Runtime& runtime() { return runtime_; }
  [[nodiscard]] StorePorts ports();
  /// How often a lock was not to be had.
  [[nodiscard]] std::int64_t lock_failure_count() const { return locks_.failure_count(); }
  /// What the store is called if it is not in the data folder; else empty.
  [[nodiscard]] std::string store_description() const { return store_.description(); }
  /// Whether the store's file is still the one that was opened: an error `unavailable` if it or its folder was deleted
  /// or replaced. Cheap; for any thread.
  [[nodiscard]] Result<> check_store_file() const { return store_.check_file(); }
  [[nodiscard]] LogStore& logs() { return *logs_; }
  /// This server among those that share its store.
  [[nodiscard]] ServerRegistration& registration() { return registration_; }
  /// How many attempts at a time it performs itself; 0: none.
  [[nodiscard]] std::int64_t run_capacity() const { return run_capacity_; }
  /// How far attempts under way are.
  [[nodiscard]] ProgressSource& progress() { return attempts_; }
  /// The items of pipelines; null: there is no folder of pipelines.
  [[nodiscard]] ItemStore* items() { return pipelines_ ? &pipelines_->items() : nullptr; }
  [[nodiscard]] const RunIds& run_ids() const { return run_ids_; }
  /// A secret of this server's data folder that its store does not hold; empty if the store is that folder's own.
  [[nodiscard]] const std::string& session_secret() const { return session_secret_; }
  /// A cluster says that a workflow has ended: an attempt, and what proves that it was us who asked to be told. False
  /// if that does not fit. What the cluster says is looked at, not believed.
  [[nodiscard]] bool look_at_workflow(std::string_view attempt, std::string_view key);
  /// Whom commands may run as.
  [[nodiscard]] const CommandUsers& command_users() const { return users_; }
  /// Whether commands that name no user can read the data folder.
  [[nodiscard]] bool is_data_readable() const { return is_data_readable_; }
  /// The threads of this server, and of what is built around it.
  [[nodiscard]] LoopMonitor& loops() { return loops_; }
  [[nodiscard]] const std::filesystem::path& data() const { return directory_.path(); }

 private:
  struct Opened {
    DataDirectory directory;
    Launcher launcher;
    DetachedWork detached;
    ServerStore store;
    std::unique_ptr<LogStore> logs;
    RunIds run_ids;
    std::string session_secret;
    CommandUsers users;
    std::shared_ptr<const SecretSource> secrets;
    std::optional<PipelineSettings> pipelines;
    std::shared_ptr<pipeline::LaunchedPrograms> programs;
    std::optional<PipelineProviders> providers;
  };
  Server(Opened opened, const ServerOptions& options, Clock& clock, ZoneSource& zones, Log& log);
  /// What a predecessor has left alive, and the session that has its runs.
  struct Adoption {
    std::vector<DetachedAttempt> detached;
    std::optional<SessionId> session{};
  };
  [[nodiscard]] Result<> prepare();
  [[nodiscard]] std::string callback_key(std::string_view attempt) const;
  [[nodiscard]] Result<> open_workflows(const ServerOptions& options, Clock& clock);
  [[nodiscard]] Result<> take_over(const Adoption& adoption);
  [[nodiscard]] ExecutorRegistry executors();
  [[nodiscard]] ProcessOptions process_options(const ServerOptions& options);
  [[nodiscard]] Result<> note_hiding(const ServerOptions& options, const Hiding& hiding);
  void check_after_unclean_stop();
  void log_store_health();

  Log& log_;
  const std::int64_t run_capacity_;
  LoopMonitor loops_;
  DataDirectory directory_;
  ServerStore store_;
  CountingLocks locks_;
  std::unique_ptr<AuditWitness> audit_witness_;  // null: the store is this folder's, and has a seal
  std::unique_ptr<LogStore> logs_;
  RunIds run_ids_;
  std::string session_secret_;
  CommandUsers users_;
  bool is_data_readable_ = false;
  RunLog run_log_;
  AuditHeadLog audit_head_log_;
  RunningAttempts attempts_;
  std::shared_ptr<pipeline::LaunchedPrograms> programs_;  // shared with the providers that are commands
  ProcessExecutor commands_;
  HttpExecutor requests_;
  std::shared_ptr<const SecretSource> secrets_;  // shared with reads that may outlive the server
  ResolvingExecutor resolved_commands_;
  ResolvingExecutor resolved_requests_;
  SecretReader secret_reader_;  // calls the two above: destroyed before them
  HandlerCommands handlers_;
  std::unique_ptr<PipelinePerformer> pipelines_;                    // null: there is no folder of pipelines
  std::unique_ptr<RunningAttempts> workflow_attempts_;              // null: there are no clusters
  std::unique_ptr<workflows::TemporalExecutor> workflow_executor_;  // the same
  Runtime runtime_;
  std::unique_ptr<RemoteWorker> workflow_worker_;  // null: there are no clusters. Its runs go on without it.
  ServerRegistration registration_;
  std::jthread check_;
};

}  // namespace carillon
