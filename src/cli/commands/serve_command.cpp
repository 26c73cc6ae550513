#include "base/duration_text.hpp"
#include "base/quoted.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/session.hpp"

#include <fmt/format.h>

#include <charconv>

namespace carillon::cli {

namespace {

constexpr std::size_t worker_count_max = 10'000;
constexpr std::size_t metrics_schedule_count_max = 10'000;
/// Threads that have nothing to do say so every two seconds.
constexpr Duration stall_after_min = std::chrono::seconds{3};
constexpr std::string_view default_data = "carillon-data";

Result<std::size_t> worker_count(const std::string& text) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count == 0 || count > worker_count_max)
    return std::unexpected(usage_error(
        fmt::format("--workers: {} is not a number from 1 to {}", quoted(text), worker_count_max), "--workers 16"));
  return count;
}

Result<std::size_t> metrics_schedule_count(const std::string& text) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count > metrics_schedule_count_max)
    return std::unexpected(usage_error(
        fmt::format("--metrics-schedules: {} is not a number from 0 to {}", quoted(text), metrics_schedule_count_max),
        "--metrics-schedules 200"));
  return count;
}

Result<Duration> stop_timeout(const std::string& text) {
  const auto length = parse_duration(text);
  if (!length)
    return std::unexpected(
        usage_error(fmt::format("--stop-timeout: {} is not a duration", quoted(text)), "--stop-timeout 30s"));
  return *length;
}

Result<Duration> stall_after(const std::string& text) {
  const auto length = parse_duration(text);
  if (!length || *length < stall_after_min)
    return std::unexpected(usage_error(
        fmt::format("--stall-after: {} is not a duration of at least {}", quoted(text), to_text(stall_after_min)),
        "--stall-after 30s"));
  return *length;
}

Result<ServeRequest::LogForm> log_form(const std::string& text) {
  if (text == "text") return ServeRequest::LogForm::text;
  if (text == "json") return ServeRequest::LogForm::json;
  return std::unexpected(
      usage_error(fmt::format("--log: unknown format {}", quoted(text)), "use --log text or --log json"));
}

FlagSpecs serve_flags() {
  return joined(
      {data_flag(),
       {{.names = "--apply",
         .form = "PATH",
         .text = "create or update schedules from a file or folder; repeatable",
         .may_repeat = true},
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
        {.names = "--stall-after",
         .form = "DURATION",
         .text = "/livez fails when a thread has been stuck for this long; default: 30s"},
        {.names = "--log", .form = "text|json", .text = "format of the log on standard error; default: text"},
        {.names = "--listen",
         .form = "HOST:PORT",
         .text = "address and port of the API; port 0: any free port; default: 127.0.0.1:7070"},
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

Result<ExitCode> serve(const Arguments& arguments, Session& session) {
  ServeRequest request{.data = arguments.value("data").value_or(std::string{default_data}),
                       .applied = arguments.values("apply"),
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
  if (arguments.value("listen")) request.listen = *arguments.value("listen");
  if (arguments.value("tls-cert").has_value() != arguments.value("tls-key").has_value())
    return std::unexpected(
        usage_error("--tls-cert and --tls-key must be used together", "--tls-cert cert.pem --tls-key key.pem"));
  if (arguments.value("metrics-schedules"))
    request.metrics_schedule_count = TRY(metrics_schedule_count(*arguments.value("metrics-schedules")));
  if (arguments.value("workers")) request.worker_count = TRY(worker_count(*arguments.value("workers")));
  if (arguments.value("stop-timeout")) request.stop_timeout = TRY(stop_timeout(*arguments.value("stop-timeout")));
  if (arguments.value("stall-after")) request.stall_after = TRY(stall_after(*arguments.value("stall-after")));
  if (arguments.value("log")) request.log_form = TRY(log_form(*arguments.value("log")));
  return session.server.serve(request, session.console);
}

Result<ExitCode> serve_command(const Arguments& arguments, Session& session) {
  if (!arguments.targets.empty())
    return std::unexpected(
        usage_error(fmt::format("serve takes no arguments, got {}", quoted(arguments.targets.front())),
                    "carillon serve --apply schedules/"));
  return serve(arguments, session);
}

/// The same as serve; folders may stand there without a flag.
Result<ExitCode> start_command(const Arguments& arguments, Session& session) {
  Arguments whole = arguments;
  auto& applied = whole.declare("apply");
  applied.insert(applied.end(), arguments.targets.begin(), arguments.targets.end());
  return serve(whole, session);
}

Result<ExitCode> ledger_command(const Arguments& arguments, Session& session) {
  if (arguments.targets.size() != 1 || arguments.targets.front() != "export")
    return std::unexpected(usage_error("ledger needs a subcommand: export", "carillon ledger export"));
  return session.server.export_ledger(arguments.value("data").value_or(std::string{default_data}), session.console);
}

}  // namespace

const Verb serve_verb{
    .name = "serve",
    .targets = "",
    .summary =
        "Runs the server in the foreground, with its data in one folder. Ctrl-C stops it after running work has ended.",
    .examples = {"carillon serve --apply schedules/", "carillon serve --data /var/lib/carillon --workers 32",
                 "carillon serve --apply nightly.yaml --log json"},
    .group = VerbGroup::server,
    .flags = serve_flags,
    .perform = serve_command,
};

const Verb start_verb{
    .name = "start",
    .targets = "[PATH…]",
    .summary =
        "Runs the server in the foreground, like serve; every PATH is applied. Ctrl-C or carillon stop stops it.",
    .examples = {"carillon scheduler start", "carillon scheduler start schedules/",
                 "carillon start nightly.yaml --listen 127.0.0.1:7071"},
    .group = VerbGroup::server,
    .flags = serve_flags,
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
    .flags = data_flag,
    .perform = ledger_command,
};

}  // namespace carillon::cli
