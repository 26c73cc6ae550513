#include "base/duration_text.hpp"
#include "base/ids.hpp"
#include "base/quoted.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/session.hpp"
#include "cli/settings/providers_file.hpp"
#include "cli/user_definitions/package_paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

namespace carillon::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t worker_count_max = 10'000;
constexpr std::size_t metrics_schedule_count_max = 10'000;
/// Threads that have nothing to do say so every two seconds.
constexpr Duration stall_after_min = std::chrono::seconds{3};
/// A server needs two seconds of it to end what runs, and a store that answers within the rest.
constexpr Duration lease_min = std::chrono::seconds{5};
constexpr std::string_view default_data = "carillon-data";

Result<std::size_t> worker_count(const std::string& text) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count == 0 || count > worker_count_max)
    return std::unexpected(
        usage_error(fmt::format("--workers: {} is not a number from 1 to {}", carillon::quoted(text), worker_count_max),
                    "--workers 16"));
  return count;
}

Result<std::size_t> metrics_schedule_count(const std::string& text) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count > metrics_schedule_count_max)
    return std::unexpected(usage_error(fmt::format("--metrics-schedules: {} is not a number from 0 to {}",
                                                   carillon::quoted(text), metrics_schedule_count_max),
                                       "--metrics-schedules 200"));
  return count;
}

Result<Duration> stop_timeout(const std::string& text) {
  const auto length = parse_duration(text);
  if (!length)
    return std::unexpected(
        usage_error(fmt::format("--stop-timeout: {} is not a duration", carillon::quoted(text)), "--stop-timeout 30s"));
  return *length;
}

Result<Duration> store_timeout(const std::string& text) {
  const auto length = parse_duration(text);
  if (!length || *length < Duration{0})
    return std::unexpected(usage_error(fmt::format("--store-timeout: {} is not a duration", carillon::quoted(text)),
                                       "--store-timeout 5m; 0s: do not wait"));
  return *length;
}

Result<Duration> stall_after(const std::string& text) {
  const auto length = parse_duration(text);
  if (!length || *length < stall_after_min)
    return std::unexpected(usage_error(fmt::format("--stall-after: {} is not a duration of at least {}",
                                                   carillon::quoted(text), to_text(stall_after_min)),
                                       "--stall-after 30s"));
  return *length;
}

Result<Duration> lease_length(const std::string& text) {
  const auto length = parse_duration(text);
  if (!length || *length < lease_min)
    return std::unexpected(usage_error(
        fmt::format("--lease: {} is not a duration of at least {}", carillon::quoted(text), to_text(lease_min)),
        "--lease 30s"));
  return *length;
}

Result<ServeRequest::LogForm> log_form(const std::string& text) {
  if (text == "text") return ServeRequest::LogForm::text;
  if (text == "json") return ServeRequest::LogForm::json;
  return std::unexpected(
      usage_error(fmt::format("--log: unknown format {}", carillon::quoted(text)), "use --log text or --log json"));
}

/// What serve and start have both.
FlagSpecs common_serve_flags() {
  return joined(
      {{{.names = "--apply",
         .form = "PATH",
         .text = "create or update schedules from a file or folder; repeatable",
         .may_repeat = true},
        {.names = "--removal-grace",
         .form = "DURATION",
         .text = "how long a schedule stays after its file in a watched folder is gone; default: 10m"},
        {.names = "--workers", .form = "N", .text = "how many runs at a time, 1 to 10000; default: 16"},
        {.names = "--allow-egress",
         .form = "CIDR",
         .text = "let http actions reach these private addresses; repeatable",
         .may_repeat = true},
        {.names = "--allow-commands",
         .form = "NAMESPACE",
         .text = "let tokens of this namespace have the scope execute; repeatable",
         .may_repeat = true},
        {.names = "--run-as", .form = "USER", .text = "default user that commands run as; default: the server's user"},
        {.names = "--allow-user",
         .form = "NAME",
         .text = "let commands run as this user; repeatable",
         .may_repeat = true},
        {.names = "--commands-see-data",
         .form = {},
         .text = "do not hide the data folder (and admin.token in it) from commands"},
        {.names = "--core-dumps", .form = {}, .text = "allow debuggers and core dumps, which may contain secrets"},
        {.names = "--secret-dir",
         .form = "DIR",
         .text = "directory of the secret files that schedules may use: ${secret:name}; default: none"},
        {.names = "--secret-env",
         .form = "NAME",
         .text = "environment variable of the server that schedules may use: ${env:NAME}; repeatable",
         .may_repeat = true},
        {.names = "--stop-timeout",
         .form = "DURATION",
         .text = "how long to wait for running work after Ctrl-C; default: 30s"},
        {.names = "--store-timeout",
         .form = "DURATION",
         .text = "how long to wait at the start for a --store that cannot be reached; default: as long as it takes"},
        {.names = "--stall-after",
         .form = "DURATION",
         .text = "/livez fails when a thread has been stuck for this long; default: 30s"},
        {.names = "--lease",
         .form = "DURATION",
         .text = "call runs lost when their server has not renewed its lease for this long; default: 30s"},
        {.names = "--log", .form = "text|json", .text = "format of the log on standard error; default: text"},
        {.names = "--listen",
         .form = "HOST:PORT",
         .text = "address and port of the API; port 0: any free port; default: 127.0.0.1:7070"},
        {.names = "--grpc-listen",
         .form = "HOST:PORT",
         .text = "address and port for Temporal's clients (gRPC); default: 127.0.0.1:7233, if it is free"},
        {.names = "--no-grpc", .form = {}, .text = "do not listen for Temporal's clients"},
        {.names = "--temporal",
         .form = "FILE",
         .text = "YAML: what is done in place of Temporal's workflows, its namespaces and search attributes"},
        {.names = "--tls-cert", .form = "FILE", .text = "TLS certificate of the API, PEM; reloaded on SIGHUP"},
        {.names = "--tls-key",
         .form = "FILE",
         .text = "private key of the certificate, PEM, readable only by its owner"},
        {.names = "--insecure",
         .form = {},
         .text = "accept other machines without TLS, because a proxy in front provides it"},
        {.names = "--allow-host",
         .form = "NAME",
         .text = "host name the API answers to; repeatable",
         .may_repeat = true},
        {.names = "--allow-origin",
         .form = "ORIGIN",
         .text = "let web pages of this origin call the API; repeatable",
         .may_repeat = true},
        {.names = "--metrics-schedules",
         .form = "N",
         .text = "how many schedules get their own metric series, 0 to 10000; default: 200"}}});
}

FlagSpecs role_flags() {
  return {{.names = "--role",
           .form = "NAMES",
           .text = "what this process does: api, scheduler, worker or all; with --store; default: all"},
          {.names = "--tags",
           .form = "NAMES",
           .text = "tags of this machine, comma-separated: schedules may ask for them (policies.tags)"}};
}

FlagSpecs store_flag() {
  return {{.names = "--store",
           .form = "URL",
           .text = "PostgreSQL store that servers share: postgres://USER@HOST/DATABASE; default: $CARILLON_STORE, else "
                   "the data folder"}};
}

/// Where the shared store is, by flag or environment; none: there is no shared store.
std::optional<std::string> store_url(const Arguments& arguments, Console& console) {
  if (const auto url = arguments.value("store")) return url;
  const auto named = console.environment("CARILLON_STORE");
  return named && !named->empty() ? named : std::nullopt;
}

/// The parts of `a,b`.
std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) names.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

Result<ServeRoles> roles_in(const std::string& text) {
  ServeRoles roles{.api = false, .scheduler = false, .worker = false};
  for (const std::string& name : listed(text)) {
    const bool is_all = name == "all";
    if (!is_all && name != "api" && name != "scheduler" && name != "worker")
      return std::unexpected(usage_error(fmt::format("--role: unknown role {}", carillon::quoted(name)),
                                         "use api, scheduler, worker or all; several: --role api,scheduler"));
    roles.api |= is_all || name == "api";
    roles.scheduler |= is_all || name == "scheduler";
    roles.worker |= is_all || name == "worker";
  }
  if (!roles.api && !roles.scheduler && !roles.worker)
    return std::unexpected(usage_error("--role needs a role", "--role api"));
  return roles;
}

/// What does not go together.
Result<> check_roles(const ServeRequest& request) {
  if (request.roles.is_all()) return {};
  if (request.store.empty())
    return std::unexpected(
        usage_error("--role needs a store that processes can share", "--store postgres://USER@HOST/DATABASE"));
  if (request.roles.api) return {};
  if (request.watched)
    return std::unexpected(usage_error("--watch needs the role api", "--role api,scheduler --watch DIR"));
  return {};
}

Result<std::vector<std::string>> tags_in(const std::string& text) {
  auto tags = listed(text);
  for (const std::string& tag : tags)
    if (!is_id_text(tag))
      return std::unexpected(
          usage_error(fmt::format("--tags: {} is not a tag", carillon::quoted(tag)), "--tags gpu,ssd"));
  return tags;
}

FlagSpecs serve_flags() {
  return joined(
      {data_flag(),
       store_flag(),
       role_flags(),
       {{.names = "--watch",
         .form = "DIR",
         .text = "keep schedules in step with the files in this folder: pipeline packages and schedule files"}},
       providers_flag(),
       common_serve_flags()});
}

FlagSpecs start_flags() {
  return joined({store_flag(),
                 role_flags(),
                 {{.names = "--data", .form = "DIR", .text = "folder of the store; default: DIR/.carillon"},
                  {.names = "--watch",
                   .form = {},
                   .text = "apply changes of files as they are saved; always on, accepted for scripts"}},
                 providers_flag(),
                 common_serve_flags()});
}

Result<Duration> removal_grace(const std::string& text) {
  const auto length = parse_duration(text);
  if (!length || *length < Duration{0})
    return std::unexpected(
        usage_error(fmt::format("--removal-grace {} is no duration", carillon::quoted(text)), "--removal-grace 10m"));
  return *length;
}

/// What a server is started on.
struct ServedPlaces {
  std::string data{default_data};
  std::vector<std::string> applied{};
  std::optional<WatchRequest> watched{};
};

Result<ExitCode> serve(const Arguments& arguments, const ServedPlaces& places, Session& session) {
  ServeRequest request{.data = places.data,
                       .applied = places.applied,
                       .watched = places.watched,
                       .allowed_egress = arguments.values("allow-egress"),
                       .command_namespaces = arguments.values("allow-commands"),
                       .command_users = arguments.values("allow-user"),
                       .run_as = arguments.value("run-as").value_or(""),
                       .is_data_hidden = !arguments.has("commands-see-data"),
                       .may_dump_core = arguments.has("core-dumps"),
                       .secret_directory = arguments.value("secret-dir").value_or(""),
                       .secret_variables = arguments.values("secret-env"),
                       .certificate_file = arguments.value("tls-cert").value_or(""),
                       .key_file = arguments.value("tls-key").value_or(""),
                       .is_insecure = arguments.has("insecure"),
                       .allowed_hosts = arguments.values("allow-host"),
                       .allowed_origins = arguments.values("allow-origin")};
  request.store = store_url(arguments, session.console).value_or("");
  if (places.watched) request.providers_file = providers_file(arguments, session.console).value_or("");
  if (arguments.value("listen")) request.listen = *arguments.value("listen");
  if (arguments.value("grpc-listen") && arguments.has("no-grpc"))
    return std::unexpected(usage_error("--grpc-listen and --no-grpc contradict each other", "leave one of them out"));
  request.grpc_listen = arguments.value("grpc-listen");
  request.has_grpc = !arguments.has("no-grpc");
  request.temporal_file = arguments.value("temporal").value_or("");
  if (arguments.value("tls-cert").has_value() != arguments.value("tls-key").has_value())
    return std::unexpected(
        usage_error("--tls-cert and --tls-key must be used together", "--tls-cert cert.pem --tls-key key.pem"));
  if (arguments.value("metrics-schedules"))
    request.metrics_schedule_count = TRY(metrics_schedule_count(*arguments.value("metrics-schedules")));
  if (arguments.value("workers")) request.worker_count = TRY(worker_count(*arguments.value("workers")));
  if (arguments.value("stop-timeout")) request.stop_timeout = TRY(stop_timeout(*arguments.value("stop-timeout")));
  if (arguments.value("store-timeout")) request.store_timeout = TRY(store_timeout(*arguments.value("store-timeout")));
  if (arguments.value("stall-after")) request.stall_after = TRY(stall_after(*arguments.value("stall-after")));
  if (arguments.value("lease")) request.lease = TRY(lease_length(*arguments.value("lease")));
  if (arguments.value("removal-grace")) request.removal_grace = TRY(removal_grace(*arguments.value("removal-grace")));
  if (arguments.value("log")) request.log_form = TRY(log_form(*arguments.value("log")));
  if (arguments.value("role")) request.roles = TRY(roles_in(*arguments.value("role")));
  if (arguments.value("tags")) request.tags = TRY(tags_in(*arguments.value("tags")));
  TRY(check_roles(request));
  return session.server.serve(request, session.console);
}

Result<ExitCode> serve_command(const Arguments& arguments, Session& session) {
  ServedPlaces places{.applied = arguments.values("apply")};
  if (const auto data = arguments.value("data")) places.data = *data;
  if (const auto folder = arguments.value("watch")) places.watched = WatchRequest{*folder, true};
  return serve(arguments, places, session);
}

/// Folders are watched, and have their store inside; files are applied, as with serve.
Result<ServedPlaces> start_places(const Arguments& arguments) {
  ServedPlaces places{.applied = arguments.values("apply")};
  std::optional<std::string> folder;
  for (const std::string& target : arguments.targets) {
    std::error_code unknown;
    if (!fs::is_directory(target, unknown)) {
      places.applied.push_back(target);
    } else if (folder) {
      return std::unexpected(usage_error(fmt::format("one folder can be watched, not both {} and {}",
                                                     carillon::quoted(*folder), carillon::quoted(target)),
                                         "carillon scheduler start pipelines/ --apply schedules/"));
    } else {
      folder = target;
    }
  }
  const auto data = arguments.value("data");
  if (!folder && !data && places.applied.empty()) folder = TRY(default_pipelines_folder());
  if (folder) places.watched = WatchRequest{.folder = *folder};
  if (folder) places.data = (fs::path{*folder} / ".carillon").string();
  if (data) places.data = *data;
  return places;
}

Result<ExitCode> start_command(const Arguments& arguments, Session& session) {
  return serve(arguments, TRY(start_places(arguments)), session);
}

Result<ExitCode> ledger_command(const Arguments& arguments, Session& session) {
  if (arguments.targets.size() != 1 || arguments.targets.front() != "export")
    return std::unexpected(usage_error("ledger needs a subcommand: export", "carillon ledger export"));
  const auto shared = store_url(arguments, session.console);
  const std::string data = arguments.value("data").value_or(std::string{default_data});
  return session.server.export_ledger(shared && !arguments.has("data") ? *shared : data, session.console);
}

FlagSpecs ledger_flags() { return joined({data_flag(), store_flag()}); }

Result<ExitCode> store_migrate_command(const Arguments& arguments, Session& session) {
  const auto url = store_url(arguments, session.console);
  if (!url)
    return std::unexpected(usage_error("store migrate needs the address of a store",
                                       "carillon store migrate --store postgres://USER@HOST/DATABASE"));
  return session.server.migrate_store(*url, session.console);
}

FlagSpecs store_copy_flags() {
  return {{.names = "--from", .form = "STORE", .text = "what to copy: sqlite:FOLDER (a data folder) or postgres://…"},
          {.names = "--to", .form = "STORE", .text = "where to: an empty one, sqlite:FOLDER or postgres://…"}};
}

Result<ExitCode> store_copy_command(const Arguments& arguments, Session& session) {
  const auto from = arguments.value("from");
  const auto to = arguments.value("to");
  if (!from || !to)
    return std::unexpected(
        usage_error("store copy needs --from and --to",
                    "carillon store copy --from sqlite:carillon-data --to postgres://USER@HOST/DATABASE"));
  return session.server.copy_store(*from, *to, session.console);
}

}  // namespace

const Verb serve_verb{
    .name = "serve",
    .targets = "",
    .summary =
        "Runs the server in the foreground, with its data in one folder. Ctrl-C stops it after running work has ended.",
    .examples = {"carillon serve --apply schedules/", "carillon serve --watch schedules/",
                 "carillon serve --data /var/lib/carillon --workers 32"},
    .group = VerbGroup::server,
    .flags = serve_flags,
    .perform = serve_command,
    .stray_hint = "carillon serve --apply schedules/",
};

const Verb start_verb{
    .name = "start",
    .targets = "[DIR]",
    .summary =
        "Runs the pipelines of a folder on their schedules, in the foreground. Without DIR: .vscode/pipelines, else "
        "pipelines. Other flags mean the same as for serve. Ctrl-C or carillon stop ends it.",
    .examples = {"carillon scheduler start", "carillon scheduler start pipelines/ --listen 127.0.0.1:7071",
                 "carillon start nightly.yaml"},
    .group = VerbGroup::server,
    .flags = start_flags,
    .perform = start_command,
    .completes = Completes::files,
};

const Verb ledger_verb{
    .name = "ledger",
    .targets = "export",
    .summary = "Prints every decision and run, one JSON object per line. Works beside a running server.",
    .examples = {"carillon ledger export", "carillon ledger export --data /var/lib/carillon > ledger.jsonl",
                 "carillon ledger export | grep '\"skipped\"'"},
    .group = VerbGroup::server,
    .flags = ledger_flags,
    .perform = ledger_command,
};

const Verb store_migrate_verb{
    .name = "store migrate",
    .targets = "",
    .summary =
        "Creates the schema of a shared store, or brings it to the version that this program needs. Servers never do "
        "this by themselves.",
    .examples = {"carillon store migrate --store postgres://carillon@db.example/carillon",
                 "carillon store migrate --store 'postgres://db.example/carillon?schema=staging'",
                 "CARILLON_STORE=postgres://carillon@db.example/carillon carillon store migrate"},
    .group = VerbGroup::server,
    .flags = store_flag,
    .perform = store_migrate_command,
};

const Verb store_copy_verb{
    .name = "store copy",
    .targets = "",
    .summary =
        "Copies a store into an empty one: schedules, runs, history, audit log, tokens. No server may be using either. "
        "Logs stay where they are.",
    .examples = {"carillon store copy --from sqlite:/var/lib/carillon --to postgres://carillon@db.example/carillon",
                 "carillon store copy --from postgres://carillon@db.example/carillon --to sqlite:carillon-data",
                 "carillon store copy --from sqlite:carillon-data --to postgres://carillon@localhost/carillon"},
    .group = VerbGroup::server,
    .flags = store_copy_flags,
    .perform = store_copy_command,
};

}  // namespace carillon::cli
