#include "base/duration_text.hpp"
#include "base/ids.hpp"
#include "base/quoted.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/settings/providers_file.hpp"
#include "cli/terminal/input_text.hpp"
#include "definitions/action_document.hpp"
#include "document/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace carillon::cli {

namespace {

constexpr std::string_view default_worker_data = "carillon-worker";
constexpr std::size_t worker_concurrency_max = 10'000;
constexpr std::array<std::string_view, 3> own_kinds{"command", "http", "pipeline"};

/// `a,b`, or the flag several times.
std::vector<std::string> names_of_flag(const Arguments& arguments, std::string_view flag) {
  std::vector<std::string> names;
  for (const std::string& text : arguments.values(flag))
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      if (end > begin) names.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  return names;
}

Result<std::vector<std::string>> id_list(const Arguments& arguments, std::string_view flag) {
  auto names = names_of_flag(arguments, flag);
  for (const std::string& name : names)
    if (!is_id_text(name))
      return std::unexpected(usage_error(fmt::format("--{}: {} is not a name", flag, carillon::quoted(name)),
                                         fmt::format("--{} reports,mail", flag)));
  return names;
}

Result<std::size_t> concurrency_in(const Arguments& arguments, std::size_t otherwise) {
  const auto text = arguments.value("concurrency");
  if (!text) return otherwise;
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), count);
  if (error != std::errc{} || end != text->data() + text->size() || count == 0 || count > worker_concurrency_max)
    return std::unexpected(usage_error(
        fmt::format("--concurrency: {} is not a number from 1 to {}", carillon::quoted(*text), worker_concurrency_max),
        "--concurrency 8"));
  return count;
}

Result<Duration> length_in(const Arguments& arguments, std::string_view flag, Duration otherwise) {
  const auto text = arguments.value(flag);
  if (!text) return otherwise;
  const auto length = parse_duration(*text);
  if (length) return *length;
  return std::unexpected(usage_error(fmt::format("--{}: {} is not a duration", flag, carillon::quoted(*text)),
                                     fmt::format("--{} 30s", flag)));
}

Result<ServeRequest::LogForm> worker_log_form(const Arguments& arguments) {
  const std::string text = arguments.value("log").value_or("text");
  if (text == "text") return ServeRequest::LogForm::text;
  if (text == "json") return ServeRequest::LogForm::json;
  return std::unexpected(
      usage_error(fmt::format("--log: unknown format {}", carillon::quoted(text)), "use --log text or --log json"));
}

/// TYPE=COMMAND, which a shell reads.
Result<> add_handler(const std::string& text, HandlerMap& handlers) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
    return std::unexpected(usage_error(fmt::format("--handler: {} is not TYPE=COMMAND", carillon::quoted(text)),
                                       "--handler report.generate=/usr/local/bin/report"));
  CommandAction& command = handlers[text.substr(0, equals)];
  command.argv = {text.substr(equals + 1)};
  command.shell = true;
  return {};
}

/// `handlers: {TYPE: {argv: […]}}`; a command is what action.command is in a schedule.
Result<> read_handlers(const std::string& file, Console& console, HandlerMap& handlers) {
  const Document document = TRY(while_doing(parse_document(file, TRY(read_text(file, console))), "reading {}", file));
  Problems problems;
  ObjectReader reader{document.root, "", problems};
  const boost::json::value* list = reader.member("handlers");
  if (list != nullptr && list->is_object()) {
    for (const auto& [type, command] : list->get_object())
      handlers[std::string{type}] =
          read_command(command, fmt::format("/handlers/{}", std::string_view{type}), problems);
  } else {
    reader.problem("handlers", "missing", "handlers is missing, or is no object",
                   "write handlers: {report.generate: {argv: [/usr/local/bin/report]}}");
  }
  reader.finish();
  if (problems.empty()) return {};
  const Problem& first = problems.front();
  Error error = carillon::fail(ErrorCode::invalid_argument, "{}: {}: {}", file, first.pointer, first.message).error();
  error.hint = first.hint;
  return std::unexpected(std::move(error));
}

Result<HandlerMap> handlers_in(const Arguments& arguments, Console& console) {
  HandlerMap handlers;
  if (const auto file = arguments.value("handlers")) TRY(read_handlers(*file, console, handlers));
  for (const std::string& text : arguments.values("handler")) TRY(add_handler(text, handlers));
  return handlers;
}

/// What --types leaves of the handlers; an error if it names one that is not there.
Result<> keep_types(const std::vector<std::string>& types, HandlerMap& handlers) {
  if (types.empty()) return {};
  const auto is_wanted = [&](const std::string& type) { return std::ranges::find(types, type) != types.end(); };
  for (const std::string& type : types)
    if (!handlers.contains(type) && std::ranges::find(own_kinds, type) == own_kinds.end())
      return std::unexpected(usage_error(fmt::format("--types: there is no handler for {}", carillon::quoted(type)),
                                         fmt::format("add --handler {}=COMMAND, or name it in --handlers FILE", type)));
  std::erase_if(handlers, [&](const auto& handler) { return !is_wanted(handler.first); });
  return {};
}

Result<ExitCode> work_on_store(const Arguments& arguments, const std::string& store, Session& session) {
  ServeRequest request{.data = arguments.value("data").value_or(std::string{default_worker_data}),
                       .store = store,
                       .applied = {},
                       .allowed_egress = arguments.values("allow-egress"),
                       .command_users = arguments.values("allow-user"),
                       .run_as = arguments.value("run-as").value_or(""),
                       .secret_directory = arguments.value("secret-dir").value_or(""),
                       .secret_variables = arguments.values("secret-env")};
  request.roles = {.api = false, .scheduler = false, .worker = true};
  request.worker_count = TRY(concurrency_in(arguments, request.worker_count));
  request.tags = TRY(id_list(arguments, "tags"));
  request.job_queues = TRY(id_list(arguments, "queues"));
  request.handlers = TRY(handlers_in(arguments, session.console));
  const auto types = names_of_flag(arguments, "types");
  TRY(keep_types(types, request.handlers));
  for (const std::string_view kind : own_kinds)
    if (types.empty() || std::ranges::find(types, kind) != types.end()) request.kinds.emplace_back(kind);
  if (request.job_queues.empty() && !request.handlers.empty()) request.job_queues = {"default"};
  if (request.handlers.empty() && !request.job_queues.empty())
    return std::unexpected(
        usage_error("--queues needs handlers: nothing here can perform jobs", "add --handler TYPE=COMMAND"));
  if (request.handlers.empty() && request.kinds.empty())
    return std::unexpected(
        usage_error("nothing to perform: --types names nothing that this worker can do", "--types command,http"));
  request.job_namespace = arguments.value("namespace").value_or("default");
  request.pipelines = arguments.value("pipelines").value_or("");
  if (!request.pipelines.empty()) request.providers_file = providers_file(arguments, session.console).value_or("");
  request.stop_timeout = TRY(length_in(arguments, "stop-timeout", request.stop_timeout));
  request.log_form = TRY(worker_log_form(arguments));
  return session.server.serve(request, session.console);
}

Result<ExitCode> work_for_server(const Arguments& arguments, Session& session) {
  for (const std::string_view flag : {"allow-egress", "secret-dir", "secret-env", "pipelines", "run-as", "allow-user"})
    if (arguments.has(flag))
      return std::unexpected(usage_error(fmt::format("--{} is for a worker with --store", flag),
                                         "a worker of a server performs jobs with the commands of its handlers"));
  WorkRequest request{.data = arguments.value("data").value_or(std::string{default_worker_data})};
  request.handlers = TRY(handlers_in(arguments, session.console));
  TRY(keep_types(names_of_flag(arguments, "types"), request.handlers));
  if (request.handlers.empty())
    return std::unexpected(
        usage_error("a worker of a server needs handlers: which command performs which type of job",
                    "carillon worker --server http://127.0.0.1:7070 --handler report.generate=/usr/local/bin/report"));
  for (const auto& [type, command] : request.handlers) request.types.push_back(type);
  request.queues = TRY(id_list(arguments, "queues"));
  if (request.queues.empty()) request.queues = {"default"};
  request.tags = TRY(id_list(arguments, "tags"));
  request.capacity = TRY(concurrency_in(arguments, request.capacity));
  request.lease = TRY(length_in(arguments, "lease", request.lease));
  request.stop_timeout = TRY(length_in(arguments, "stop-timeout", request.stop_timeout));
  request.log_form = TRY(worker_log_form(arguments));
  request.endpoint = TRY(connect(arguments, session)).endpoint();
  return session.server.work(request, session.console);
}

Result<ExitCode> worker_command(const Arguments& arguments, Session& session) {
  if (arguments.has("store") && arguments.has("server"))
    return std::unexpected(usage_error("--store and --server contradict each other", "leave one of them out"));
  if (const auto store = arguments.value("store")) return work_on_store(arguments, *store, session);
  if (const auto named = session.console.environment("CARILLON_STORE");
      named && !named->empty() && !arguments.has("server"))
    return work_on_store(arguments, *named, session);
  return work_for_server(arguments, session);
}

FlagSpecs worker_flags() {
  return joined(
      {{{.names = "--store",
         .form = "URL",
         .text =
             "perform commands, requests and jobs of the servers on this PostgreSQL store; default: $CARILLON_STORE"},
        {.names = "--queues",
         .form = "NAMES",
         .text = "queues to take jobs from, comma-separated; default: default",
         .may_repeat = true},
        {.names = "--types",
         .form = "NAMES",
         .text = "perform only these: types of jobs, and with --store command, http and pipeline",
         .may_repeat = true},
        {.names = "--tags",
         .form = "NAMES",
         .text = "tags of this machine: schedules may ask for them (policies.tags)",
         .may_repeat = true},
        {.names = "--concurrency", .form = "N", .text = "how many at a time; default: 4, with --store 16"},
        {.names = "--handler",
         .form = "TYPE=COMMAND",
         .text = "shell command that performs jobs of a type, with the job on standard input; repeatable",
         .may_repeat = true},
        {.names = "--handlers", .form = "FILE", .text = "YAML: commands that perform jobs, by type"},
        {.names = "--data",
         .form = "DIR",
         .text = "folder of this worker; each worker on a machine needs its own; default: carillon-worker"},
        {.names = "--lease",
         .form = "DURATION",
         .text = "call jobs lost when this worker has not been heard of for this long; default: 30s"},
        {.names = "--stop-timeout",
         .form = "DURATION",
         .text = "how long to wait for running work after Ctrl-C; default: 30s"},
        {.names = "--log", .form = "text|json", .text = "format of the log on standard error; default: text"},
        {.names = "--pipelines",
         .form = "DIR",
         .text = "folder of pipelines to perform, the same as on the servers; with --store"},
        {.names = "--allow-egress",
         .form = "CIDR",
         .text = "let http actions reach these private addresses; with --store; repeatable",
         .may_repeat = true},
        {.names = "--run-as", .form = "USER", .text = "default user that commands run as; with --store"},
        {.names = "--allow-user",
         .form = "NAME",
         .text = "let commands run as this user; with --store; repeatable",
         .may_repeat = true},
        {.names = "--secret-dir",
         .form = "DIR",
         .text = "directory of the secret files that schedules may use; with --store"},
        {.names = "--secret-env",
         .form = "NAME",
         .text = "environment variable that schedules may use; with --store; repeatable",
         .may_repeat = true}},
       providers_flag(),
       server_flags()});
}

}  // namespace

const Verb worker_verb{
    .name = "worker",
    .targets = "",
    .summary =
        "Performs runs of servers in a process of its own, here or on another machine: jobs of a server (--server), or "
        "whatever waits in a shared store (--store). Ctrl-C stops it after running work has ended.",
    .examples = {"carillon worker --server https://carillon.example --queues reports --handlers handlers.yaml",
                 "carillon worker --handler mail='/usr/local/bin/send-mail' --concurrency 8",
                 "carillon worker --store postgres://carillon@db.example/carillon --tags gpu"},
    .group = VerbGroup::server,
    .flags = worker_flags,
    .perform = worker_command,
    .stray_hint = "carillon worker --queues reports,mail --handlers handlers.yaml",
};

}  // namespace carillon::cli
