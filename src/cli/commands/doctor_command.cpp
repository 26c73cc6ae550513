#include "base/quoted.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/command_line/version.hpp"
#include "cli/commands/diagnosis.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/record_output.hpp"
#include "cli/settings/running_servers.hpp"
#include "cli/settings/settings.hpp"
#include "cli/settings/settings_file.hpp"
#include "cli/terminal/printable.hpp"
#include "client/document_reader.hpp"
#include "document/document.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace carillon::cli {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using Level = Diagnosis::Level;

constexpr std::array doctor_formats{Format::table, Format::json, Format::yaml};
constexpr std::uint16_t default_port = 7070;

/// One examination: what was found so far, and what later questions need of earlier ones.
struct Examination {
  const Arguments& arguments;
  Session& session;
  Instant begun = session.console.clock();
  std::vector<Diagnosis> found{};
  const Settings* settings = nullptr;
  RunningServers records = find_running_servers(session.console);
  std::string url{};                    // of the server this is about
  bool is_answered = false;             // by a carillon server
  std::optional<std::string> holder{};  // of the folder

  void add(Diagnosis diagnosis) { found.push_back(std::move(diagnosis)); }
};

Diagnosis failed_check(std::string_view check, const Error& given) {
  const Error error = with_remedy(given);
  std::string message = error.message;
  if (!error.context.empty()) message += fmt::format(" ({})", error.context.back());
  return {.check = check, .level = Level::error, .message = std::move(message), .fix = error.hint};
}

Diagnosis binary_diagnosis() {
  utsname system{};
  ::uname(&system);
  return {.check = "binary", .message = fmt::format("binary {} {}/{}", program_version(), "linux", system.machine)};
}

/// What the server says about its store.
void check_servers_store(Examination& examination, const client::StoreStatus& store) {
  if (store.status == "ok") return;
  examination.add({.check = "server-store",
                   .level = Level::error,
                   .message = fmt::format("server is not ready: {} (since {})", printable(store.reason),
                                          store.since ? to_text(*store.since) : ""),
                   .fix = printable(store.remedy)});
}

void check_settings(Examination& examination) {
  const Console& console = examination.session.console;
  const auto settings = settings_for(examination.arguments, examination.session);
  if (!settings) return examination.add(failed_check("config", settings.error()));
  examination.settings = *settings;
  std::size_t variable_count = 0;
  for (const char* name : {"CARILLON_SERVER", "CARILLON_TOKEN", "CARILLON_TOKEN_FILE", "CARILLON_CA_FILE",
                           "CARILLON_NAMESPACE", "CARILLON_TZ", "CARILLON_CONTEXT"})
    variable_count += console.environment(name).has_value();
  std::vector<std::string> files;
  std::error_code unknown;
  for (const SettingsPlace& place : settings_places(console)) {
    if (fs::exists(place.path, unknown)) files.push_back(place.path.string());
  }
  examination.add({.check = "config",
                   .message = fmt::format(
                       "{}{}", files.empty() ? "no config files" : fmt::format("config {}", fmt::join(files, ", ")),
                       variable_count == 0 ? "" : fmt::format(" ({} from env)", variable_count))});
}

fs::path folder_of(const Examination& examination) {
  if (const auto given = examination.arguments.value("data")) return *given;
  for (const RunningServer& server : examination.records.servers) {
    if (server.url == examination.url || examination.url.empty()) return server.data;
  }
  std::error_code unknown;
  const fs::path machine = "/var/lib/carillon";
  return !fs::exists("carillon-data", unknown) && fs::exists(machine, unknown) ? machine : fs::path{"carillon-data"};
}

void check_store(Examination& examination, const fs::path& folder) {
  const fs::path file = folder / "carillon.db";
  std::error_code unknown;
  auto size = fs::file_size(file, unknown);
  if (unknown) return;
  // What was written last stands beside it until it is copied.
  if (const auto fresh = fs::file_size(file.string() + "-wal", unknown); !unknown) size += fresh;
  const StoreCheck depth = examination.arguments.has("full") ? StoreCheck::whole : StoreCheck::quick;
  const auto facts = examination.session.server.inspect_store(folder.string(), depth);
  if (!facts) return examination.add(failed_check("store", facts.error()));
  examination.add({.check = "store",
                   .message = fmt::format("store {} {}{}", file.string(), size_text(size),
                                          depth == StoreCheck::whole ? ", integrity ok" : "")});
  if (auto backwards = backwards_diagnosis(examination.session.now, facts->newest))
    examination.add(*std::move(backwards));
}

/// A server that says it has this folder, while the lock in it is not held: what it has was deleted or replaced.
const RunningServer* server_of_lost_folder(const Examination& examination, const fs::path& folder) {
  if (examination.holder) return nullptr;
  std::error_code unknown;
  const auto found =
      std::ranges::find(examination.records.servers, fs::weakly_canonical(folder, unknown), &RunningServer::data);
  return found == examination.records.servers.end() ? nullptr : &*found;
}

void check_folder(Examination& examination) {
  const fs::path folder = folder_of(examination);
  examination.holder = lock_holder(folder / "lock");
  const RunningServer* loser = server_of_lost_folder(examination, folder);
  examination.add(loser == nullptr ? folder_diagnosis(folder) : lost_folder_diagnosis(folder, loser->pid));
  check_store(examination, folder);
  if (const auto disk = disk_of(folder)) examination.add(disk_diagnosis(*disk, folder.string()));
  examination.add(
      {.check = "lock",
       .message = examination.holder ? fmt::format("lock held by {}", *examination.holder) : "lock is free"});
  std::error_code unknown;
  if (fs::exists(folder / "admin.token", unknown)) examination.add(secret_diagnosis(folder / "admin.token"));
}

/// Nothing starts from a queue that is paused, and nobody is told.
void check_queues(Examination& examination, Client& client) {
  const auto queues = client.list_queues();
  if (!queues) return;
  for (const client::Queue& queue : queues->items) {
    if (!queue.is_paused) continue;
    const std::string name = printable(queue.name);
    examination.add({.check = "queue",
                     .level = Level::warning,
                     .message = fmt::format("queue {} is paused, {} run{} in it", name, queue.depth,
                                            queue.depth == 1 ? " waits" : "s wait"),
                     .fix = fmt::format("carillon queue resume {}", name)});
  }
}

/// Asked without a token, and first: a server that hangs may answer nothing else.
void check_liveness(Examination& examination, const Client& client) {
  const Endpoint& endpoint = client.endpoint();
  const auto answer = examination.session.transport.perform(
      {.url = endpoint.url + "/livez", .authority_file = endpoint.authority_file});
  if (!answer || answer->status != 503) return;
  const auto document = parse_json(answer->body);
  const auto status = client::read_document<client::Status>(document ? *document : json::value{});
  examination.add({.check = "threads",
                   .level = Level::error,
                   .message = fmt::format("server is stuck: {}", status ? status->status : "not alive"),
                   .fix = "check its log and its disk, then restart it: carillon stop"});
}

void check_server(Examination& examination) {
  if (examination.settings == nullptr) return;
  if (examination.settings->token_file) examination.add(secret_diagnosis(examination.settings->token_file->value));
  for (const std::string& warning : examination.records.warnings)
    examination.add({.check = "record",
                     .level = Level::warning,
                     .message = warning,
                     .fix = "remove it, or run the command in another folder"});
  // What it would warn of is found here, too.
  std::vector<std::string> warnings;
  examination.session.warnings = &warnings;
  auto client = connect(examination.arguments, examination.session);
  examination.session.warnings = nullptr;
  if (!client) return examination.add(failed_check("server", client.error()));
  examination.url = client->endpoint().url;
  check_liveness(examination, *client);
  const auto system = client->system();
  if (!system && system.error().rule == "unexpected-answer")
    return examination.add({.check = "server",
                            .level = Level::error,
                            .message = fmt::format("{} answers, but is not a carillon server", examination.url),
                            .fix = "--server URL, or carillon config set server URL"});
  if (!system) {
    // Whoever refuses a token is there all the same.
    examination.is_answered = system.error().rule == "unauthorized" || system.error().rule == "forbidden";
    return examination.add(failed_check("server", system.error()));
  }
  const client::System& facts = system->value;
  examination.is_answered = true;
  examination.add({.check = "server", .message = fmt::format("server {} answers", examination.url)});
  check_servers_store(examination, facts.store);
  const Instant ours = examination.session.now + (examination.session.console.clock() - examination.begun);
  examination.add(distance_diagnosis(ours, facts.now));
  if (const auto version = client->version()) examination.add(version_diagnosis(program_version(), version->version));
  if (facts.commands_can_read_data)
    examination.add({.check = "commands",
                     .level = Level::warning,
                     .message = "commands can read the server's data folder, including admin.token",
                     .fix = "carillon serve --run-as USER"});
  const std::string tzdata = examination.session.zones.names()->version;
  if (facts.tzdata != tzdata)
    examination.add({.check = "server-tzdata",
                     .level = Level::warning,
                     .message = fmt::format("server has tzdata {}, this machine has {}", facts.tzdata, tzdata),
                     .fix = "on the older one: apt-get install --only-upgrade tzdata"});
  check_queues(examination, *client);
}

/// The port of an address on this machine; none if it is elsewhere.
std::optional<std::uint16_t> local_port(std::string_view address) {
  if (const std::size_t scheme = address.find("://"); scheme != std::string_view::npos)
    address.remove_prefix(scheme + 3);
  const std::size_t colon = address.rfind(':');
  const std::string_view host = address.substr(0, colon);
  if (host != "127.0.0.1" && host != "localhost" && host != "[::1]" && host != "0.0.0.0" && host != "[::]")
    return std::nullopt;
  if (colon == std::string_view::npos) return default_port;
  std::uint16_t port = 0;
  const std::string_view text = address.substr(colon + 1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc{} && end == text.data() + text.size() && port != 0 ? std::optional{port} : std::nullopt;
}

void check_port(Examination& examination) {
  const std::string address = examination.arguments.value("listen").value_or(examination.url);
  const auto port = local_port(address);
  if (!port) return;
  const auto holder = listener_on(*port);
  const bool is_url = local_port(examination.url) == port;
  const bool holds_folder = holder && holder->pid && examination.holder &&
                            examination.holder->starts_with(fmt::format("pid {} ", *holder->pid));
  examination.add(port_diagnosis(*port, holder, holds_folder || (is_url && examination.is_answered)));
}

std::vector<Diagnosis> examined(const Arguments& arguments, Session& session) {
  Examination examination{.arguments = arguments, .session = session};
  examination.add(binary_diagnosis());
  check_settings(examination);
  const auto names = session.zones.names();
  examination.add(zones_diagnosis(names->version, names->names.size()));
  examination.add(clock_diagnosis(kernel_clock()));
  check_server(examination);
  check_folder(examination);
  check_port(examination);
  return std::move(examination.found);
}

json::array documents_of(const std::vector<Diagnosis>& found) {
  json::array documents;
  for (const Diagnosis& each : found)
    documents.push_back(json::object{{"check", each.check},
                                     {"status", level_name(each.level)},
                                     {"message", each.message},
                                     {"fix", text_or_null(each.fix)}});
  return documents;
}

std::string text_of(const std::vector<Diagnosis>& found, const Paint& paint) {
  std::string text;
  for (const Diagnosis& each : found) {
    const std::string sign = each.level == Level::ok        ? paint(Colour::green, "✔")
                             : each.level == Level::warning ? paint(Colour::yellow, "⚠")
                                                            : paint(Colour::red, "✗");
    text += fmt::format("{} {}{}\n", sign, printable(each.message),
                        each.fix.empty() ? "" : fmt::format(" → {}", printable(each.fix)));
  }
  const auto errors = std::ranges::count(found, Level::error, &Diagnosis::level);
  const auto warnings = std::ranges::count(found, Level::warning, &Diagnosis::level);
  if (errors == 0 && warnings == 0) return text + "no problems found\n";
  return text +
         fmt::format("{} error{}, {} warning{}\n", errors, errors == 1 ? "" : "s", warnings, warnings == 1 ? "" : "s");
}

Result<ExitCode> doctor_command(const Arguments& arguments, Session& session) {
  const Format format = TRY(output_format(arguments.value("output"), doctor_formats));
  const std::vector<Diagnosis> found = examined(arguments, session);
  switch (format) {
    case Format::json: session.console.write(pretty_json(documents_of(found))); break;
    case Format::yaml: session.console.write(to_yaml(documents_of(found))); break;
    default: session.print(text_of(found, session.paint));
  }
  const bool is_well = std::ranges::all_of(found, [](const Diagnosis& each) { return each.level == Level::ok; });
  return is_well ? ExitCode::ok : ExitCode::findings;
}

}  // namespace

const Verb doctor_verb{
    .name = "doctor",
    .targets = "",
    .summary =
        "Checks clock, time zones, disk, port, store, server and token, and names the command that fixes each problem.",
    .examples = {"carillon doctor", "carillon doctor --data /var/lib/carillon --full", "carillon doctor -o json"},
    .group = VerbGroup::yourself,
    .flags =
        [] {
          return joined({data_flag(),
                         {{.names = "--listen",
                           .form = "HOST:PORT",
                           .text = "address the server should listen on; default: the running server's"},
                          {.names = "--full", .form = {}, .text = "read the whole store and check its consistency"}},
                         output_flags("text|json|yaml"),
                         server_flags()});
        },
    .perform = doctor_command,
    .stray_hint = "carillon doctor --data DIR",
};

}  // namespace carillon::cli
