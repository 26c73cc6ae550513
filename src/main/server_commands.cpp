#include "main/server_commands.hpp"

#include "base/quoted.hpp"
#include "cli/settings/stop_request.hpp"
#include "engine/definition.hpp"
#include "engine/ledger_record.hpp"
#include "logging/stream_log.hpp"
#include "main/api_server.hpp"
#include "main/file_limits.hpp"
#include "main/metrics.hpp"
#include "main/provider_access.hpp"
#include "main/served_folder.hpp"
#include "main/server_record.hpp"
#include "main/service_manager.hpp"
#include "main/signals.hpp"
#include "main/store_waiting.hpp"
#include "main/temporal_file.hpp"
#include "main/worker_process.hpp"
#include "runtime/system_clock.hpp"
#include "server/schedule_files.hpp"
#include "server/server.hpp"
#include "server/server_store.hpp"
#include "server/store_copy.hpp"
#include "server/store_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <variant>

namespace carillon {
namespace {

constexpr std::size_t export_page = 10'000;

bool has(const Signals::Received& received, cli::StopRequest request) {
  return received.value == static_cast<int>(request);
}

Result<std::vector<Cidr>> networks_of(const std::vector<std::string>& texts) {
  std::vector<Cidr> networks;
  for (const std::string& text : texts)
    networks.push_back(TRY(while_doing(Cidr::parse(text), "reading --allow-egress")));
  return networks;
}

/// What is not there cannot be meant: a server without its schedules looks well and does nothing.
Result<> check_applied(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::error_code error;
    if (std::filesystem::exists(path, error)) continue;
    Error missing = fail(ErrorCode::not_found, "--apply: {} does not exist", carillon::quoted(path)).error();
    missing.hint = "name a schedule file or folder; create an example: carillon init";
    return std::unexpected(std::move(missing));
  }
  return {};
}

struct AppliedCounts {
  std::size_t created = 0;
  std::size_t updated = 0;
  std::size_t unchanged = 0;
  std::size_t refused = 0;
};

/// Why a schedule cannot be what it says on this server.
std::optional<Error> fault_of(const ScheduleDocument& document, const CommandUsers& users, bool has_pipelines,
                              const std::vector<std::string>& clusters) {
  if (const auto* workflow = std::get_if<WorkflowAction>(&document.action)) return cluster_fault(*workflow, clusters);
  if (!has_pipelines && std::holds_alternative<PipelineAction>(document.action))
    return fail(ErrorCode::invalid_argument, "this server has no folder of pipelines").error();
  const auto* command = std::get_if<CommandAction>(&document.action);
  if (command == nullptr || !command->user || users.allows(*command->user)) return std::nullopt;
  Error error = fail(ErrorCode::invalid_argument, "this server does not run commands as user {}",
                     carillon::quoted(*command->user))
                    .error();
  error.hint = fmt::format("start it with --allow-user {}", *command->user);
  return error;
}

AppliedCounts apply(const ScheduleFiles& files, Server& server, bool has_pipelines,
                    const std::vector<std::string>& clusters, cli::Console& console) {
  AppliedCounts counts{.refused = files.problems.size()};
  for (const FileProblem& problem : files.problems) console.write_error(problem.text() + "\n");
  for (const FiledSchedule& schedule : files.schedules) {
    const std::string by = "file:" + schedule.file.filename().string();
    const CommandMetadata attached{.audit = AuditEntry{.actor = by,
                                                       .address = {},
                                                       .operation = "schedule.apply",
                                                       .name_space = schedule.document.name_space.text(),
                                                       .target = schedule.document.id.text(),
                                                       .outcome = "done",
                                                       .before = {},
                                                       .after = {}}};
    const auto fault = fault_of(schedule.document, server.command_users(), has_pipelines, clusters);
    const auto applied = fault ? std::unexpected(*fault) : server.commands().apply(schedule.document, by, &attached);
    if (!applied) {
      ++counts.refused;
      const FileProblem problem{
          .file = schedule.file,
          .message = fmt::format("schedule {}: {}", schedule.document.id.text(), applied.error().message),
          .hint = applied.error().hint};
      console.write_error(problem.text() + "\n");
      continue;
    }
    counts.created += *applied == ScheduleCommands::Applied::created;
    counts.updated += *applied == ScheduleCommands::Applied::updated;
    counts.unchanged += *applied == ScheduleCommands::Applied::unchanged;
  }
  return counts;
}

/// A schedule to show commands with: the first of the files.
std::string example_of(const ScheduleFiles& files) {
  return files.schedules.empty() ? std::string{} : files.schedules.front().document.id.text();
}

std::string applied_text(const AppliedCounts& counts) {
  return fmt::format("  schedules: {} created, {} updated, {} unchanged, {} refused\n", counts.created, counts.updated,
                     counts.unchanged, counts.refused);
}

/// `found` says what files have given, `example` is one of their schedules, if there is any.
std::string greeting(const Server& server, ApiServer& api, const std::string& found, const std::string& example,
                     const cli::Console& console) {
  const std::string program = program_name(console);
  // The link is a key: not into a journal, which others may read, and not for long where it may be a log.
  const bool is_journal = console.environment("JOURNAL_STREAM").has_value();
  const Duration good_for =
      console.is_terminal(cli::Stream::output) ? Duration{std::chrono::hours{1}} : Sessions::link_lifetime;
  const std::string data = server.data().string();
  std::string text = fmt::format("carillon serves {} (pid {}) at {}\n", data, ::getpid(), api.url());
  if (const std::string store = server.store_description(); !store.empty()) text += fmt::format("  store: {}\n", store);
  text += found;
  if (const auto link = is_journal ? std::nullopt : api.sign_in_url(good_for))
    text += fmt::format("  dashboard: {}\n", *link);
  else
    text += fmt::format("  dashboard: {}/ (sign in with: {} open)\n", api.url(), program);
  text += "  in another terminal:\n";
  if (example.empty()) text += fmt::format("    {} add tick --every 10s -- date\n", program);
  text += fmt::format("    {} list\n", program);
  text += fmt::format("    {} status {}\n", program, example.empty() ? "tick" : example);
  if (!example.empty()) text += fmt::format("    {} watch\n", program);
  return text + "  Ctrl-C stops it; the next start continues where it stopped\n";
}

/// How many connections the API may have, so that what is performed always has files left.
/// For those who ask while the server waits for its store.
constexpr std::size_t connections_while_waiting = 64;

std::size_t connection_count(const cli::ServeRequest& request, Log& log) {
  const std::size_t limit = raise_file_limit();
  if (const std::size_t needed = files_needed(request.worker_count); limit < needed)
    log.warn("the limit on open files is low: runs may have to wait",
             {{"limit", limit}, {"needed", needed}, {"help", "ulimit -n, LimitNOFILE=, or fewer --workers"}});
  return connections_within(limit, request.worker_count);
}

ApiOptions api_options(const cli::ServeRequest& request, const std::string& default_zone,
                       std::size_t connection_count) {
  return {.listen = request.listen,
          .grpc_listen = request.grpc_listen,
          .has_grpc = request.has_grpc,
          .certificate_file = request.certificate_file,
          .key_file = request.key_file,
          .is_insecure = request.is_insecure,
          .allowed_hosts = request.allowed_hosts,
          .allowed_origins = request.allowed_origins,
          .default_timezone = default_zone,
          .command_namespaces = request.command_namespaces,
          .connection_count_max = connection_count};
}

/// The signal that the server is to end by.
Signals::Received wait_for_end(const Signals& signals, ApiServer& api, ServiceManager& manager, Log& log) {
  for (;;) {
    const Signals::Received received = signals.wait();
    if (received.number != SIGHUP) return received;
    manager.tell_reloading();
    if (const auto reloaded = api.reload(); !reloaded)
      log.error("certificate was not reloaded", {{"error", reloaded.error().message}});
    else
      log.info("certificate was reloaded");
    manager.tell_reloaded();
  }
}

/// Whether a signal to end comes while it rests.
bool is_asked_to_end(const Signals& signals, Duration pause) {
  constexpr std::chrono::milliseconds step{50};
  for (Duration passed{}; passed < pause; passed += step) {
    const int signal = signals.wait(step).number;
    if (signal == SIGINT || signal == SIGTERM) return true;
  }
  return false;
}

/// Whether a signal that comes while the server stops cancels what it waits for.
bool cancels_runs(const Signals::Received& received) {
  return received.ends_process() && !has(received, cli::StopRequest::wait_for_runs);
}

void stop(Server& server, const Signals::Received& first, const Signals& signals, Log& log) {
  log.info("stopping: no new starts, waiting for running work; Ctrl-C again cancels it",
           {{"running", server.runtime().running_count()}});
  if (has(first, cli::StopRequest::cancel_runs)) server.hurry();
  std::atomic<bool> is_stopped = false;
  const std::jthread impatience{[&] {
    while (!is_stopped)
      if (cancels_runs(signals.wait(std::chrono::milliseconds{50}))) server.hurry();
  }};
  server.stop();
  is_stopped = true;
}

/// The watched folder, if it may hold packages, and who answers their questions.
std::optional<PipelineSettings> pipelines_of(const cli::ServeRequest& request, const std::string& default_zone) {
  if (!request.watched && request.pipelines.empty()) return std::nullopt;
  return PipelineSettings{.folder = request.watched ? request.watched->folder : request.pipelines,
                          .providers_file = request.providers_file,
                          .default_timezone = default_zone};
}

/// Before the first file is made. Commands get a mask and signals of their own from the launcher.
void protect_files() {
  ::umask(S_IRWXG | S_IRWXO);
  // A limit on the size of files (ulimit -f) is met like a full disk: the write fails, the server goes on.
  std::signal(SIGXFSZ, SIG_IGN);
}

/// What the variable of an earlier scheduler says, as far as it is shorter than a second: clocks are read that often.
Duration poll_period_of(const cli::Console& console, Log& log) {
  constexpr std::int64_t least = 50;
  constexpr std::int64_t most = 1'000;
  const auto text = console.environment("SCHEDULER_CHECK_INTERVAL_MS");
  if (!text || text->empty()) return std::chrono::milliseconds{most};
  std::int64_t milliseconds = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), milliseconds);
  if (error != std::errc{} || end != text->data() + text->size() || milliseconds < 1) {
    log.warn("SCHEDULER_CHECK_INTERVAL_MS is no number of milliseconds and is ignored", {{"value", *text}});
    return std::chrono::milliseconds{most};
  }
  return std::chrono::milliseconds{std::clamp(milliseconds, least, most)};
}

std::vector<ActionKind> kinds_of(const cli::ServeRequest& request) {
  std::vector<ActionKind> kinds;
  for (const ActionKind kind : {ActionKind::command, ActionKind::http, ActionKind::pipeline})
    if (std::ranges::find(request.kinds, to_text(kind)) != request.kinds.end()) kinds.push_back(kind);
  return kinds;
}

Result<std::vector<std::string>> stored_queues(const cli::ServeRequest& request) {
  const NamespaceId name_space = TRY(while_doing(NamespaceId::parse(request.job_namespace), "reading --namespace"));
  std::vector<std::string> names;
  for (const std::string& queue : request.job_queues) names.push_back(queue_name(name_space, queue));
  return names;
}

std::string roles_text(const cli::ServeRoles& roles) {
  std::vector<std::string_view> words;
  if (roles.api) words.emplace_back("api");
  if (roles.scheduler) words.emplace_back("scheduler");
  if (roles.worker) words.emplace_back("worker");
  return fmt::format("{}", fmt::join(words, ", "));
}

/// A scheduler or worker beside others on a shared store: nobody can ask it anything.
void serve_without_api(Server& server, const cli::ServeRequest& request, const Signals& signals,
                       ServiceManager& manager, cli::Console& console, Log& log) {
  console.write(
      fmt::format("carillon {} (pid {}) on {}\n", roles_text(request.roles), ::getpid(), server.store_description()));
  log.info("started", {{"role", roles_text(request.roles)}, {"store", server.store_description()}});
  server.start();
  manager.tell_ready(fmt::format("{} on {}", roles_text(request.roles), server.store_description()));
  manager.feed_watchdog([&server] { return to_text(server.loops().stalled()); });
  Signals::Received end = signals.wait();
  while (!end.ends_process()) end = signals.wait();
  manager.tell_stopping("Stops: no new starts, waiting for running work");
  stop(server, end, signals, log);
  log.info("stopped");
}

}  // namespace

Result<cli::ExitCode> ServerCommands::serve(const cli::ServeRequest& request, cli::Console& console) {
  TRY(check_applied(request.applied));
  protect_files();
  // Its memory and its variables hold secrets: no core dump, and no look at either from commands of the same user.
  if (!request.may_dump_core) ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  const Signals signals;
  std::atomic<bool> has_failed = false;
  SystemClock clock;
  StreamLog log{clock, STDERR_FILENO,
                request.log_form == cli::ServeRequest::LogForm::json ? StreamLog::Form::json : StreamLog::Form::text};
  ServiceManager manager{log};
  Metrics metrics{request.metrics_schedule_count};
  const auto default_zone = console.environment("SCHEDULER_DEFAULT_TIMEZONE").value_or("UTC");
  const TemporalFile temporal = TRY(read_temporal_file(request.temporal_file));
  ApiOptions for_api = api_options(request, default_zone, connections_while_waiting);
  for_api.temporal = temporal.settings;
  StoreWaiting store_waiting{for_api,
                             request.roles.api,
                             request.store_timeout,
                             [&signals](Duration pause) { return !is_asked_to_end(signals, pause); },
                             clock,
                             manager,
                             log};
  const ServerOptions options{
      .roles = {.decides = request.roles.scheduler, .performs = request.roles.worker},
      .data = request.data,
      .store = request.store,
      .store_wait = [&store_waiting](const Error& failure,
                                     Duration pause) { return store_waiting.wait(failure, pause); },
      .worker_count = request.worker_count,
      .allowed_egress = TRY(networks_of(request.allowed_egress)),
      .run_as = request.run_as,
      .allowed_users = request.command_users,
      .is_data_hidden = request.is_data_hidden,
      .secrets = {.directory = request.secret_directory, .variables = request.secret_variables},
      .stall_after = request.stall_after,
      .stop_timeout = request.stop_timeout,
      .lease = request.lease,
      .on_failure =
          [&has_failed] {
            has_failed = true;
            ::kill(::getpid(), SIGTERM);
          },
      .version = CARILLON_VERSION,
      .observer = &metrics,
      .pipelines = pipelines_of(request, default_zone),
      .clusters = temporal.clusters,
      .poll_period = poll_period_of(console, log),
      .tags = request.tags,
      .kinds = kinds_of(request),
      .job_queues = TRY(stored_queues(request)),
      .handlers = request.handlers};
  const auto files =
      read_schedule_files({request.applied.begin(), request.applied.end()}, {.default_timezone = default_zone});
  // Before the server: another scheduler may have the folder. It outlives the API, which asks it for faults.
  std::unique_ptr<ServedFolder> folder;
  if (request.watched) folder = TRY(ServedFolder::claim(request, console, zones_, clock, log));
  auto opened = Server::open(options, clock, zones_, log);
  if (!opened && store_waiting.was_stopped()) return cli::ExitCode::ok;
  const auto server = TRY(std::move(opened));
  for_api.listen = store_waiting.end();
  // Not before: the process that starts commands is there now, and commands have the limits that this one was given.
  for_api.connection_count_max = connection_count(request, log);
  if (!request.roles.api) {
    const AppliedCounts applied =
        apply(files, *server, options.pipelines.has_value(), for_api.temporal.clusters, console);
    if (!request.applied.empty()) console.write(applied_text(applied));
    serve_without_api(*server, request, signals, manager, console, log);
    if (has_failed) return fail(ErrorCode::unavailable, "the process that starts commands has ended; restart it");
    return cli::ExitCode::ok;
  }
  if (folder) folder->describe_to(for_api);
  const auto api = TRY(ApiServer::open(for_api, *server, metrics, clock, zones_, log));
  const AppliedCounts counts = apply(files, *server, request.watched.has_value(), for_api.temporal.clusters, console);
  std::string found = request.applied.empty() ? std::string{} : applied_text(counts);
  std::string example = example_of(files);
  std::unique_ptr<packages::WatchedFolder> watched;
  if (folder) {
    watched = TRY(folder->open(*server, *api));
    console.write_error(folder->faults());
    found += folder->greeting();
    if (example.empty()) example = folder->example();
  }
  const ServerRecord record{
      {.url = api->url(), .data = server->data(), .pid = ::getpid(), .started_at = clock.now()}, console, log};
  console.write(greeting(*server, *api, found, example, console));
  log.info("server started", {{"data", server->data().string()},
                              {"pid", static_cast<std::int64_t>(::getpid())},
                              {"grpc", api->grpc_address()}});
  if (const std::string store = server->store_description(); !store.empty()) log.info("store", {{"store", store}});
  server->registration().set_url(api->url());
  server->start();
  api->start();
  if (watched) watched->start();
  manager.tell_ready(fmt::format("Serves {} at {}", server->data().string(), api->url()));
  manager.feed_watchdog([&server] { return to_text(server->loops().stalled()); });
  const Signals::Received end = wait_for_end(signals, *api, manager, log);
  manager.tell_stopping("Stops: no new starts, waiting for running work");
  // Whoever asks meanwhile is told what the server waits for.
  api->begin_shutdown();
  stop(*server, end, signals, log);
  if (watched) watched->stop();
  api->stop();
  log.info("server stopped");
  if (has_failed) return fail(ErrorCode::unavailable, "the process that starts commands has ended; restart the server");
  return cli::ExitCode::ok;
}

Result<cli::ExitCode> ServerCommands::work(const cli::WorkRequest& request, cli::Console& console) {
  return work_for_server(request, console);
}

Result<cli::ExitCode> ServerCommands::migrate_store(const std::string& url, cli::Console& console) {
  console.write(TRY(migrate_shared_store(url)));
  return cli::ExitCode::ok;
}

Result<cli::ExitCode> ServerCommands::copy_store(const std::string& from, const std::string& to,
                                                 cli::Console& console) {
  protect_files();
  console.write(TRY(carillon::copy_store({.from = from, .to = to})));
  return cli::ExitCode::ok;
}

Result<cli::ExitCode> ServerCommands::export_ledger(const std::string& data, cli::Console& console) {
  SystemClock clock;
  const bool is_shared = data.contains("://");
  StoreReader store = is_shared ? TRY(StoreReader::open_shared(data, clock)) : TRY(StoreReader::open(data, clock));
  Seq last{};
  for (;;) {
    const auto records = TRY(store.read_ledger(last, export_page));
    if (records.empty()) return cli::ExitCode::ok;
    std::string text;
    for (const LedgerRecord& record : records) text += to_json(record) + "\n";
    console.write(text);
    if (console.output_state() != cli::Console::OutputState::open) return cli::ExitCode::ok;
    last = seq_of(records.back());
  }
}

Result<cli::StoreFacts> ServerCommands::inspect_store(const std::string& data, cli::StoreCheck check) {
  SystemClock clock;
  StoreReader store = TRY(StoreReader::open(data, clock));
  if (check == cli::StoreCheck::whole) TRY(store.check_integrity());
  return cli::StoreFacts{.newest = TRY(store.newest_write())};
}

Result<std::unique_ptr<cli::ProviderAccess>> ServerCommands::open_provider_access(
    const cli::ProviderAccessRequest& request) {
  return open_own_provider_access(request);
}

}  // namespace carillon
