#include "server/server.hpp"

#include "base/crypto.hpp"
#include "executors/process/launcher_lock.hpp"
#include "executors/process/user.hpp"
#include "runtime/system_clock.hpp"
#include "scheduling/envelope.hpp"
#include "stores/sqlite/process_memory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

namespace carillon {
namespace {

/// What a launcher may need to end everything after its server has died.
constexpr Duration launcher_patience = std::chrono::seconds{30};

std::string worker_name() {
  std::array<char, 65> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  return fmt::format("{}-{}", host.data(), ::getpid());
}

bool is_performed(const ServerOptions& options, ActionKind kind) {
  if (kind == ActionKind::pipeline && !options.pipelines) return false;
  return options.kinds.empty() || std::ranges::find(options.kinds, kind) != options.kinds.end();
}

std::vector<std::string> queues_of(const ServerOptions& options) {
  std::vector<std::string> queues;
  for (const ActionKind kind : {ActionKind::command, ActionKind::http, ActionKind::pipeline})
    if (is_performed(options, kind)) queues.push_back("@" + std::string{to_text(kind)});
  queues.insert(queues.end(), options.job_queues.begin(), options.job_queues.end());
  return queues;
}

/// The folder of pipelines with what the server knows by itself.
std::optional<PipelineSettings> pipelines_of(const ServerOptions& options, const DataDirectory& directory) {
  if (!options.pipelines) return std::nullopt;
  PipelineSettings settings = *options.pipelines;
  settings.journals = directory.pipeline_journals();
  settings.allowed_egress = options.allowed_egress;
  return settings;
}

/// The queue of workflows, and how many are followed at a time.
constexpr const char* workflow_queue = "@workflow";
constexpr std::size_t workflow_count_max = 10'000;

RuntimeOptions runtime_options(const ServerOptions& options, const RunIds& run_ids,
                               std::function<void()> on_stop_request) {
  std::vector<std::string> adopted;
  if (!options.clusters.empty()) adopted.emplace_back(workflow_queue);
  return {.roles = options.roles,
          .worker = {.session = {.name = worker_name(),
                                 .queues = queues_of(options),
                                 .capacity = options.worker_count,
                                 .lease = options.lease,
                                 .skills = {.types = types_of(options.handlers), .tags = options.tags}},
                     .run_id = [&run_ids](Seq run) { return run_ids.id_of(run); }},
          .decider = {.is_clock_synchronised = is_clock_synchronised,
                      .clock_earliest = clock_earliest,
                      .poll_period = options.poll_period},
          .stop_timeout = options.stop_timeout,
          .on_failure = options.on_failure,
          .on_stop_request = std::move(on_stop_request),
          .adopted_queues = std::move(adopted)};
}

std::vector<AttemptKey> keys_of(const std::vector<DetachedAttempt>& detached) {
  std::vector<AttemptKey> keys;
  for (const DetachedAttempt& detached_attempt : detached) keys.push_back(detached_attempt.key);
  return keys;
}

/// One whose server was killed while it began may take the lock late, and leaves again at once: then it is waited for
/// once more.
Result<Launcher> start_own_launcher(const DataDirectory& directory, const ServerOptions& options) {
  constexpr int try_count_max = 10;
  for (int i = 1;; ++i) {
    TRY(wait_until_gone(directory.launcher_lock(), launcher_patience));
    auto launcher = start_launcher({.lock_file = directory.launcher_lock(),
                                    .kept_folder = directory.adopted(),
                                    .hidden_folder = options.is_data_hidden ? directory.path() : ""});
    if (launcher || launcher.error().code != ErrorCode::conflict || i == try_count_max) return launcher;
  }
}

/// Whom commands may run as; refused if it cannot be.
Result<CommandUsers> users_of(const ServerOptions& options) {
  CommandUsers users{.own = options.run_as.empty() ? own_user_name() : options.run_as, .others = options.allowed_users};
  const bool can_become = can_become_others();
  for (const std::string& name : users.others) TRY(while_doing(find_user(name), "reading --allow-user"));
  if (options.run_as.empty()) return users;
  const User user = TRY(while_doing(find_user(options.run_as), "reading --run-as"));
  if (user.identity.user == ::geteuid() || can_become) return users;
  Error error = fail(ErrorCode::invalid_argument, "commands cannot run as user {}: the server may not switch users",
                     options.run_as)
                    .error();
  error.hint = "start it as root, or with the capabilities CAP_SETUID, CAP_SETGID and CAP_KILL";
  return std::unexpected(std::move(error));
}

/// What is shown to people; that there is an API is known when it listens.
std::vector<std::string> role_names(const RuntimeRoles& roles) {
  std::vector<std::string> names;
  if (roles.decides) names.emplace_back("scheduler");
  if (roles.performs) names.emplace_back("worker");
  return names;
}

HttpOptions http_options(const ServerOptions& options, LoopMonitor& loops) {
  HttpOptions http;
  http.loops = &loops;
  http.allowed_egress = options.allowed_egress;
  return http;
}

}  // namespace

Result<std::unique_ptr<Server>> Server::open(const ServerOptions& options, Clock& clock, ZoneSource& zones, Log& log) {
  prepare_sqlite_memory();
  CommandUsers users = TRY(users_of(options));
  DataDirectory directory = TRY(DataDirectory::take(options.data));
  if (options.store.empty()) TRY(directory.expect_database());
  auto secrets = std::make_shared<const SecretSource>(TRY(SecretSource::open(options.secrets, directory.path())));
  Launcher launcher = TRY(start_own_launcher(directory, options));
  const Hiding hiding = launcher.hiding();
  DetachedWork detached = TRY(find_detached_work(directory.adopted(), launcher_patience));
  for (const std::string& problem : detached.problems)
    log.warn("result of an adopted command is lost", {{"error", problem}});
  Adoption adoption{.detached = list_of(detached)};
  ServerStore store = TRY(ServerStore::open(directory, options.store, clock, log, options.store_wait));
  // Whoever had the folder before is gone, and its commands with it, but for those that outlive it.
  adoption.session = TRY(store.take_over(keys_of(adoption.detached), worker_name() + "-adopted"));
  if (store.is_shared() && !adoption.detached.empty())
    log.warn("commands of the last server still run; on a shared store their results are not taken over",
             {{"count", adoption.detached.size()}});
  auto logs = TRY(store.open_logs(directory));
  RunIds run_ids = TRY(store.open_run_ids(directory));
  std::string session_secret = TRY(store.open_session_secret(directory));
  auto pipelines = pipelines_of(options, directory);
  auto programs = std::make_shared<pipeline::LaunchedPrograms>(clock);
  std::optional<PipelineProviders> providers;
  if (pipelines) providers.emplace(TRY(load_pipeline_providers(*pipelines, secrets, programs, clock)));
  std::unique_ptr<Server> server{
      new Server{Opened{std::move(directory), std::move(launcher), std::move(detached), std::move(store),
                        std::move(logs), run_ids, std::move(session_secret), std::move(users), std::move(secrets),
                        std::move(pipelines), std::move(programs), std::move(providers)},
                 options, clock, zones, log}};
  server->log_store_health();
  TRY(server->note_hiding(options, hiding));
  TRY(server->prepare());
  TRY(server->open_workflows(options, clock));
  TRY(server->take_over(adoption));
  return server;
}

Server::Server(Opened opened, const ServerOptions& options, Clock& clock, ZoneSource& zones, Log& log)
    : log_{log},
      run_capacity_{options.roles.performs ? static_cast<std::int64_t>(options.worker_count) : 0},
      loops_{options.stall_after},
      directory_{std::move(opened.directory)},
      store_{std::move(opened.store)},
      locks_{*store_.ports().locks},
      audit_witness_{store_.is_shared()
                         ? std::make_unique<AuditWitness>(store_.ports().audit, directory_.path() / "audit.head", log)
                         : nullptr},
      logs_{std::move(opened.logs)},
      run_ids_{opened.run_ids},
      session_secret_{std::move(opened.session_secret)},
      users_{std::move(opened.users)},
      run_log_{log, options.observer},
      audit_head_log_{store_.ports().audit, audit_witness_.get(), log},
      attempts_{clock,
                log,
                {.logs = logs_.get(),
                 .observer = &run_log_,
                 .store_time = store_.is_shared() ? StoreTime::Source::answers : StoreTime::Source::own_clock}},
      programs_{std::move(opened.programs)},
      commands_{clock, programs_->passing_on_to(attempts_), std::move(opened.launcher), process_options(options),
                std::move(opened.detached)},
      requests_{clock, attempts_, http_options(options, loops_)},
      secrets_{std::move(opened.secrets)},
      resolved_commands_{commands_, attempts_, secret_reader_},
      resolved_requests_{requests_, attempts_, secret_reader_},
      secret_reader_{[source = secrets_](std::string_view reference) { return source->read(reference); },
                     {.loops = &loops_}},
      handlers_{options.handlers, resolved_commands_, attempts_,
                [](const Envelope& envelope) { return to_json(envelope); }},
      pipelines_{opened.pipelines ? std::make_unique<PipelinePerformer>(*opened.pipelines, *std::move(opened.providers),
                                                                        clock, attempts_, &loops_)
                                  : nullptr},
      runtime_{{.store = ports(),
                .zones = zones,
                .clock = clock,
                .log = log,
                .attempts = attempts_,
                .executors = executors(),
                .logs = logs_.get(),
                .loops = &loops_},
               runtime_options(options, run_ids_,
                               [this] {
                                 if (workflow_worker_) workflow_worker_->look_for_stops();
                               })},
      registration_{store_.ports().servers,
                    clock,
                    zones,
                    log,
                    {.version = options.version,
                     .roles = role_names(options.roles),
                     .running_count = [this] { return static_cast<std::int64_t>(runtime_.running_count()); },
                     .on_report = [this] { runtime_.set_share(store_.share()); }}} {
  programs_->use(commands_);
  store_.watch(loops_);
  store_.on_file_gone([&log](const Error& error) {
    log.error("data folder was deleted or replaced", {{"error", error.message}, {"fix", error.hint}});
  });
}

Server::~Server() { stop(); }

StorePorts Server::ports() {
  const StorePorts ports = store_.ports();
  return {.schedules = ports.schedules,
          .runs = ports.runs,
          .queries = ports.queries,
          .retention = ports.retention,
          .events = ports.events,
          .audit = audit_witness_ ? *audit_witness_ : ports.audit,
          .tokens = ports.tokens,
          .idempotency = ports.idempotency,
          .notifier = ports.notifier,
          .health = ports.health,
          .locks = &locks_,
          .servers = ports.servers};
}

ExecutorRegistry Server::executors() {
  const ExecutorRegistry::Entry commands{ActionKind::command, resolved_commands_};
  const ExecutorRegistry::Entry requests{ActionKind::http, resolved_requests_};
  const ExecutorRegistry::Entry jobs{ActionKind::job, handlers_};
  if (!pipelines_) return {commands, requests, jobs};
  return {commands, requests, jobs, {ActionKind::pipeline, *pipelines_}};
}

ProcessOptions Server::process_options(const ServerOptions& options) {
  ProcessOptions process;
  process.run_as = options.run_as;
  process.users = users_;
  process.may_outlive_server = !store_.is_shared();
  process.loops = &loops_;
  // It cannot be replaced: it is started before there are threads. What is not claimed here stays queued.
  process.on_launcher_lost = [this, tell = options.on_failure] {
    attempts_.drain();
    log_.error("launcher has ended: no more commands can be started");
    if (tell) tell();
  };
  return process;
}

void Server::log_store_health() {
  store_.on_health_change([this](const std::optional<StoreFailure>& failure) {
    if (!failure) return log_.info("store works again");
    log_.error(
        "store fails",
        {{"reason", sentence_of(failure->kind)}, {"error", failure->cause}, {"remedy", remedy_of(failure->kind)}});
  });
}

void Server::check_after_unclean_stop() {
  if (store_.was_closed_cleanly()) return;
  log_.info("last stop was not clean: checking the database");
  check_ = std::jthread{[this] {
    try {
      if (const auto checked = store_.check_integrity(); !checked)
        log_.error("database is damaged", {{"error", checked.error().message}});
      else
        log_.info("database check passed");
    } catch (const std::exception& error) {
      log_.warn("database was not checked", {{"error", error.what()}});
    }
  }};
}

// File modes keep it from other users; from the server's own only what the launcher can do.
Result<> Server::note_hiding(const ServerOptions& options, const Hiding& hiding) {
  const bool is_own_user = options.run_as.empty() || TRY(find_user(options.run_as)).identity.user == ::geteuid();
  is_data_readable_ = is_own_user && (hiding.how == Hiding::How::failed || hiding.how == Hiding::How::not_asked);
  if (is_data_readable_)
    log_.warn("commands can read the data folder, including admin.token",
              {{"reason", options.is_data_hidden ? hiding.why_not : "asked for"}, {"help", "--run-as USER"}});
  return {};
}

Result<> Server::prepare() {
  // What is created before the first tick must find the zone rules in force.
  TRY(runtime_.commands().adopt_zone_rules());
  return {};
}

std::string Server::callback_key(std::string_view attempt) const {
  return to_hex(hmac_sha256(run_ids_.derived_key("workflow ends"), attempt));
}

bool Server::look_at_workflow(std::string_view attempt, std::string_view key) {
  const auto named = workflows::attempt_of(attempt);
  if (!workflow_executor_ || !named || !are_equal_secrets(key, callback_key(attempt))) return false;
  workflow_executor_->look_at(*named);
  return true;
}

Result<> Server::open_workflows(const ServerOptions& options, Clock& clock) {
  if (options.clusters.empty() || !options.roles.performs) return {};
  workflow_attempts_ = std::make_unique<RunningAttempts>(
      clock, log_,
      AttemptOptions{.logs = logs_.get(),
                     .observer = &run_log_,
                     .store_time = store_.is_shared() ? StoreTime::Source::answers : StoreTime::Source::own_clock});
  workflow_executor_ = TRY(workflows::TemporalExecutor::open(
      {.clusters = options.clusters,
       .read_secret = [source = secrets_](std::string_view reference) { return source->read(reference); },
       .callback_key = [this](std::string_view attempt) { return callback_key(attempt); },
       .version = options.version,
       .loops = &loops_},
      clock, *workflow_attempts_, log_));
  const StorePorts ports = store_.ports();
  workflow_worker_ =
      std::make_unique<RemoteWorker>(WorkerParts{.store = ports.schedules,
                                                 .queue = ports.runs,
                                                 .definitions = runtime_.definitions(),
                                                 .clock = clock,
                                                 .log = log_,
                                                 .attempts = *workflow_attempts_,
                                                 .executors = {{ActionKind::workflow, *workflow_executor_}}},
                                     WorkerOptions{.session = {.name = worker_name() + "-workflows",
                                                               .queues = {workflow_queue},
                                                               .capacity = workflow_count_max,
                                                               .lease = options.lease,
                                                               .skills = {.types = {}, .tags = options.tags},
                                                               .hands_over = true},
                                                   .run_id = [this](Seq run) { return run_ids_.id_of(run); }},
                                     ports.notifier, &loops_);
  return {};
}

Result<> Server::take_over(const Adoption& adoption) {
  std::vector<AttemptKey> taken;
  if (adoption.session) taken = TRY(runtime_.take_over(*adoption.session, adoption.detached));
  for (const DetachedAttempt& detached_attempt : adoption.detached) {
    // Its end is in the store already, or the store is a copy that never knew of it.
    if (std::ranges::find(taken, detached_attempt.key) == taken.end()) commands_.let_go(detached_attempt.key);
  }
  return {};
}

void Server::start() {
  check_after_unclean_stop();
  audit_head_log_.start();
  runtime_.start();
  if (workflow_worker_) workflow_worker_->start();
  registration_.start();
}

void Server::stop() {
  registration_.stop();
  // Workflows go on on their clusters: nobody waits for them.
  if (workflow_worker_) workflow_worker_->stop();
  runtime_.stop();
  audit_head_log_.stop();
}

}  // namespace carillon
