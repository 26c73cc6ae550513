#include "cli/connection/server_connection.hpp"

#include "base/ids.hpp"
#include "base/quoted.hpp"
#include "base/token_text.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/connection/token_source.hpp"
#include "cli/settings/running_servers.hpp"
#include "cli/settings/settings.hpp"
#include "cli/terminal/printable.hpp"
#include "document/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace carillon::cli {

namespace {

constexpr std::string_view default_url = "http://127.0.0.1:7070";
constexpr std::size_t listed_name_count_max = 8;
constexpr std::size_t searched_schedule_count_max = 500;

/// An address with one name for this machine: localhost and [::1] are 127.0.0.1.
std::string with_one_loopback(std::string url) {
  for (const std::string_view name : {"://localhost:", "://[::1]:"}) {
    const std::size_t place = url.find(name);
    if (place != std::string::npos) return url.replace(place, name.size(), "://127.0.0.1:");
  }
  return url;
}

/// The server of this machine with that address, whichever of the machine's names is used; null: none.
const RunningServer* server_at(const std::vector<RunningServer>& servers, const std::string& url) {
  const auto exact = std::ranges::find(servers, url, &RunningServer::url);
  if (exact != servers.end()) return &*exact;
  const auto same = std::ranges::find_if(
      servers, [&](const RunningServer& server) { return with_one_loopback(server.url) == with_one_loopback(url); });
  return same == servers.end() ? nullptr : &*same;
}

Error several_servers(const std::vector<RunningServer>& servers) {
  Error error = usage_error(fmt::format("{} servers run on this machine; choose one", servers.size()),
                            fmt::format("--server {}, or CARILLON_SERVER", servers.front().url));
  for (const RunningServer& server : servers)
    error.context.push_back(fmt::format("{}  pid {}  {}", server.url, server.pid, server.data.string()));
  return error;
}

/// The server that is meant where none is named: that of this folder, or the only one; null: none runs.
Result<const RunningServer*> only_server(const std::vector<RunningServer>& servers) {
  if (servers.empty()) return nullptr;
  if (servers.size() == 1 || servers.front().is_of_this_folder) return &servers.front();
  return std::unexpected(several_servers(servers));
}

/// Where requests go. A token that was found beside a server goes to the address that this server wrote down: another
/// name of this machine may lead to a program of somebody else. With TLS the certificate says who answers.
std::string address_of(const std::optional<std::string>& given, const RunningServer* server) {
  if (!given) return server != nullptr ? server->url : std::string{default_url};
  return server != nullptr && !given->starts_with("https:") ? server->url : *given;
}

bool may_ask(const Arguments& arguments, const Console& console) {
  if (arguments.knows("no-input") && arguments.has("no-input")) return false;
  return !console.environment("CI") && console.is_terminal(Stream::error) && console.is_terminal(Stream::output);
}

/// A context that wants to be asked gets a question before the first write. Whoever names it on a command line that
/// nobody watches has answered it.
Transport& transport_for(const Settings& settings, const Arguments& arguments, Session& session) {
  if (!settings.asks_before_writing) return session.transport;
  const bool is_asked = may_ask(arguments, session.console);
  const bool is_named = settings.context->origin == "--context";
  session.consent.is_given |= (arguments.knows("yes") && arguments.has("yes")) || (is_named && !is_asked);
  session.confirming_transport = std::make_unique<ConfirmingTransport>(
      session.transport, session.console, session.consent, settings.context->value, is_asked);
  return *session.confirming_transport;
}

/// Without the secrets of tokens, and without what would change the terminal.
void show_exchange(Console& console, const ServerRequest& request, const Result<ServerAnswer>& answer) {
  std::string text = fmt::format("> {} {}\n", request.method, request.url);
  if (!request.body.empty()) text += fmt::format("> {}\n", request.body);
  text += answer ? fmt::format("< {}\n{}{}", answer->status, answer->body, answer->body.ends_with('\n') ? "" : "\n")
                 : fmt::format("< {}\n", answer.error().message);
  console.write_error(printable_lines(without_token_secrets(text)));
}

std::string first_words(const std::vector<std::string>& names) {
  const std::size_t count = std::min(names.size(), listed_name_count_max);
  return fmt::format("{}{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count), ", "),
                     count < names.size() ? ", …" : "");
}

Error no_schedule(std::string_view word, const std::vector<std::string>& known) {
  std::vector<std::string_view> names{known.begin(), known.end()};
  const std::string_view nearest = nearest_word(word, names);
  return {.code = ErrorCode::not_found,
          .message = fmt::format("schedule {} not found", carillon::quoted(word)),
          .hint = nearest.empty() ? "see all names: carillon list -q" : fmt::format("did you mean {}?", nearest),
          .rule = "not_found",
          .position = {},
          .context = {}};
}

}  // namespace

Result<const Settings*> settings_for(const Arguments& arguments, Session& session) {
  if (!session.settings) session.settings = TRY(load_settings(arguments, session.console));
  return &*session.settings;
}

Result<Client> connect(const Arguments& arguments, Session& session) {
  const Settings& settings = *TRY(settings_for(arguments, session));
  const auto [servers, warnings] = find_running_servers(session.console);
  std::optional<std::string> url;
  if (settings.server) url = settings.server->value;
  TRY(check_token_may_go(settings));
  const RunningServer* server = url ? server_at(servers, *url) : TRY(only_server(servers));
  if (!url) {
    for (const std::string& warning : warnings) session.warn(warning);
  }
  Endpoint endpoint{.url = address_of(url, server),
                    .token = TRY(find_token(settings, server, session)),
                    .name_space = settings.name_space ? settings.name_space->value : std::string{},
                    .authority_file = settings.authority_file ? settings.authority_file->value : std::string{}};
  Client::Observer observer;
  if (arguments.has("debug"))
    observer = [&console = session.console](const ServerRequest& request, const Result<ServerAnswer>& answer) {
      show_exchange(console, request, answer);
    };
  return Client{transport_for(settings, arguments, session), std::move(endpoint), std::move(observer)};
}

Result<client::Answer<client::Schedule>> find_schedule(Client& client, std::string_view word) {
  // A name may have letters that no id has; the server refuses to look for those.
  if (ScheduleId::parse(std::string{word})) {
    auto answer = client.get_schedule(word, "");
    if (answer || answer.error().rule != "not_found") return answer;
  }
  return client.get_schedule(TRY(find_schedule_id(client, word)), "");
}

Result<std::string> find_schedule_id(Client& client, std::string_view word) {
  if (const auto exact = client.get_schedule(word, ""); exact) return exact->value.id;
  const auto found = TRY(client.list_schedules({{"q", std::string{word}}}, searched_schedule_count_max));
  std::vector<std::string> with_name;
  std::vector<std::string> with_prefix;
  for (const client::Schedule& schedule : found.items) {
    if (schedule.name == word) with_name.push_back(schedule.id);
    if (schedule.id.starts_with(word)) with_prefix.push_back(schedule.id);
  }
  for (const auto* matches : {&with_name, &with_prefix}) {
    if (matches->size() == 1) return matches->front();
    if (matches->size() > 1)
      return std::unexpected(
          Error{.code = ErrorCode::not_found,
                .message = fmt::format("{} matches {} schedules", carillon::quoted(word), matches->size()),
                .hint = first_words(*matches),
                .rule = "ambiguous",
                .position = {},
                .context = {}});
  }
  const auto all = TRY(client.list_schedules({}, searched_schedule_count_max));
  std::vector<std::string> ids;
  for (const client::Schedule& schedule : all.items) ids.push_back(schedule.id);
  return std::unexpected(no_schedule(word, ids));
}

Result<std::string> one_target(const Arguments& arguments, std::string_view what, std::string_view example) {
  if (arguments.targets.size() == 1) return arguments.targets.front();
  return std::unexpected(usage_error(arguments.targets.empty() ? fmt::format("the name of {} is missing", what)
                                                               : fmt::format("give only one name of {}", what),
                                     std::string{example}));
}

Result<DisplayZone> display_zone(const Arguments& arguments, Session& session) {
  const Settings& settings = *TRY(settings_for(arguments, session));
  const std::string name = settings.timezone ? settings.timezone->value : "local";
  if (name == "schedule") return DisplayZone{};
  if (name == "utc") return DisplayZone{.zone = TRY(session.zones.zone("UTC"))};
  if (name != "local") return DisplayZone{.zone = TRY(zone_value("--tz", name, session.zones))};
  // What the machine is set to may have no name that we know; times are then shown in UTC rather than not at all.
  auto zone = session.zones.zone(local_zone_name(session.console));
  return DisplayZone{.zone = zone ? *zone : TRY(session.zones.zone("UTC"))};
}

Result<ZonePtr> reading_zone(const Arguments& arguments, const ZonePtr& schedule_zone, Session& session) {
  const bool is_given = arguments.knows("display-tz") && arguments.has("display-tz");
  if (schedule_zone && !is_given) return schedule_zone;
  const DisplayZone shown = TRY(display_zone(arguments, session));
  if (shown.zone) return shown.zone;
  return schedule_zone ? schedule_zone : session.zones.zone("UTC");
}

Result<bool> confirmed(const Arguments& arguments, Session& session, std::string_view question) {
  if (arguments.has("yes")) return true;
  Console& console = session.console;
  if (!may_ask(arguments, console))
    return std::unexpected(
        usage_error(fmt::format("confirmation needed: {}", question), "pass --yes to skip the question"));
  console.write_error(fmt::format("{} [y/N] ", question));
  std::array<char, 64> answer{};
  const std::size_t length = TRY(console.read(answer));
  const bool is_yes = length > 0 && (answer.front() == 'y' || answer.front() == 'Y');
  session.consent.is_given |= is_yes;
  return is_yes;
}

}  // namespace carillon::cli
