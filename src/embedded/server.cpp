#include "embedded/server.hpp"

#include "embedded/run_id_key.hpp"
#include "embedded/secrets.hpp"
#include "executors/http/secret_references.hpp"
#include "executors/process/launcher_lock.hpp"
#include "runtime/system_clock.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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

RuntimeOptions runtime_options(const ServerOptions& options, const RunIds& run_ids) {
  return {.worker = {.name = worker_name(),
                     .queues = {"@command", "@http"},
                     .capacity = options.worker_count,
                     .has_store_clock = true,
                     .run_id = [&run_ids](Seq run) { return run_ids.id_of(run); }},
          .decider = {.is_clock_synchronised = is_clock_synchronised},
          .stop_timeout = options.stop_timeout};
}

std::vector<AttemptKey> keys_of(const std::vector<Survivor>& survivors) {
  std::vector<AttemptKey> keys;
  for (const Survivor& survivor : survivors) keys.push_back(survivor.key);
  return keys;
}

/// One whose server was killed while it began may take the lock late, and leaves again at once: then it is waited for
/// once more.
Result<Launcher> start_own_launcher(const DataDirectory& directory) {
  constexpr int try_count_max = 10;
  for (int i = 1;; ++i) {
    TRY(wait_until_gone(directory.launcher_lock(), launcher_patience));
    auto launcher = start_launcher({.lock_file = directory.launcher_lock(), .kept_folder = directory.adopted()});
    if (launcher || launcher.error().code != ErrorCode::conflict || i == try_count_max) return launcher;
  }
}

HttpOptions http_options(const ServerOptions& options) {
  HttpOptions http;
  http.allowed_egress = options.allowed_egress;
  http.resolve_secret = read_secret;
  return http;
}

}  // namespace

Result<std::unique_ptr<Server>> Server::open(const ServerOptions& options, Clock& clock, ZoneSource& zones, Log& log) {
  DataDirectory directory = TRY(DataDirectory::take(options.data));
  TRY(directory.expect_database());
  Launcher launcher = TRY(start_own_launcher(directory));
  Survivors survivors = TRY(find_survivors(directory.adopted(), launcher_patience));
  for (const std::string& problem : survivors.problems)
    log.warn("end of an adopted command is lost", {{"error", problem}});
  Adoption adoption{.survivors = list_of(survivors)};
  auto store = TRY(SqliteStore::open(directory.database(), clock));
  // Whoever had the folder before is gone, and its commands with it, but for those that outlive it.
  adoption.session = TRY(store->end_all_sessions_but(keys_of(adoption.survivors), worker_name() + "-adopted"));
  auto logs = TRY(FileLogStore::open(directory.logs()));
  RunIds run_ids = TRY(open_run_ids(directory.run_id_key()));
  std::unique_ptr<Server> server{new Server{Opened{std::move(directory), std::move(launcher), std::move(survivors),
                                                   std::move(store), std::move(logs), run_ids},
                                            options, clock, zones, log}};
  TRY(server->prepare());
  TRY(server->take_over(adoption));
  return server;
}

Server::Server(Opened opened, const ServerOptions& options, Clock& clock, ZoneSource& zones, Log& log)
    : log_{log},
      directory_{std::move(opened.directory)},
      store_{std::move(opened.store)},
      logs_{std::move(opened.logs)},
      run_ids_{opened.run_ids},
      run_log_{log, options.observer},
      runtime_{{.store = *store_,
                .queue = *store_,
                .zones = zones,
                .clock = clock,
                .log = log,
                .logs = logs_.get(),
                .retention = store_.get(),
                .observer = &run_log_},
               runtime_options(options, run_ids_)},
      commands_{clock, runtime_.events(), std::move(opened.launcher), process_options(options),
                std::move(opened.survivors)},
      requests_{clock, runtime_.events(), http_options(options)} {}

Server::~Server() { stop(); }

ProcessOptions Server::process_options(const ServerOptions& options) {
  ProcessOptions process;
  process.resolve_secret = [](std::string_view value) -> Result<std::string> {
    return TRY(resolve_references(value, read_secret)).text;
  };
  // It cannot be replaced: it is started before there are threads. What is not claimed here stays queued.
  process.on_launcher_lost = [this, tell = options.on_failure] {
    runtime_.drain();
    log_.error("launcher has ended: no command can be started any more");
    if (tell) tell();
  };
  return process;
}

void Server::check_after_unclean_stop() {
  if (store_->was_closed_cleanly()) return;
  log_.info("last stop was not clean: the database is being checked");
  check_ = std::jthread{[this] {
    if (const auto checked = store_->check_integrity(); !checked)
      log_.error("database is damaged", {{"error", checked.error().message}});
    else
      log_.info("database is in order");
  }};
}

Result<> Server::prepare() {
  // What is created before the first tick must find the zone rules in force.
  TRY(runtime_.wishes().adopt_zone_rules());
  return {};
}

Result<> Server::take_over(const Adoption& adoption) {
  std::vector<AttemptKey> taken;
  if (adoption.session) taken = TRY(runtime_.take_over(*adoption.session, adoption.survivors));
  for (const Survivor& survivor : adoption.survivors) {
    // Its end is in the store already, or the store is a copy that never knew of it.
    if (std::ranges::find(taken, survivor.key) == taken.end()) commands_.let_go(survivor.key);
  }
  return {};
}

void Server::start() {
  check_after_unclean_stop();
  runtime_.start({.command = &commands_, .http = &requests_});
}

void Server::stop() { runtime_.stop(); }

}  // namespace carillon
