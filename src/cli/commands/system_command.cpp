#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/settings/running_servers.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/local_time.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace carillon::cli {

namespace {

constexpr Duration clock_difference_max = std::chrono::seconds{5};

std::string system_line(std::string_view label, std::string_view text) {
  return fmt::format("  {:<9}  {}\n", label, text);
}

/// The data folder is known only of a server of this machine, which wrote it down when it began.
std::string data_text(std::int64_t pid, const Endpoint& endpoint, const Session& session) {
  for (const RunningServer& server : running_servers(session.console)) {
    if (server.url == endpoint.url && server.pid == pid) return fmt::format(" · {}", printable(server.data.string()));
  }
  return {};
}

std::string since_line(const client::System& system, const Endpoint& endpoint, const Zone& zone,
                       const Session& session) {
  if (!system.started_at || !system.pid) return {};
  return system_line("Since", fmt::format("{} · {} · pid {}{}", time_text(*system.started_at, zone, session.now),
                                          rough_duration(std::max(session.now - *system.started_at, Duration{0})),
                                          *system.pid, data_text(*system.pid, endpoint, session)));
}

std::string state_text(const client::System& system, const Paint& paint) {
  if (!system.store.reason.empty()) return paint(Colour::red, "✗ not ready: " + printable(system.store.reason));
  if (!system.stopping) return paint(Colour::green, "● serving");
  const auto count = system.stopping->waits_for;
  return paint(Colour::yellow, fmt::format("● stopping (waits for {} run{})", count, count == 1 ? "" : "s"));
}

std::string clock_line(const client::System& system, Instant now) {
  const Duration difference = std::chrono::abs(system.now - now);
  if (difference <= clock_difference_max) return {};
  return system_line("Clock", fmt::format("⚠ {} {} this machine", rough_duration(difference),
                                          system.now > now ? "ahead of" : "behind"));
}

std::string next_text(const client::System& system, const Zone& zone, Instant now) {
  const auto next = system.next_wake;
  if (!next) return "nothing is planned";
  return fmt::format("{} · {}", time_text(*next, zone, now), *next > now ? relative_text(*next, now) : "now");
}

/// One line for each server of a shared store.
std::string servers_text(const client::System& system, const Session& session) {
  if (system.servers.empty()) return {};
  std::string text = fmt::format("Servers of this store: {}\n", system.servers.size());
  for (const client::ServerOfStore& server : system.servers) {
    const std::string seen =
        server.last_seen_at ? relative_text(*server.last_seen_at, session.now) : std::string{"never"};
    text += fmt::format("  {} {}  pid {}  {}  {} · tzdata {} · {} running · clock {:+} ms{}\n",
                        server.is_alive ? session.paint(Colour::green, "●") : session.paint(Colour::red, "✗ gone"),
                        printable(server.host), server.pid, printable(server.url), printable(server.version),
                        printable(server.tzdata), server.running, server.clock_offset_ms,
                        server.is_alive ? "" : " · seen " + seen);
    if (!server.decides_zoned)
      text += "    ⚠ its zone rules are older than those in force: others decide schedules in time zones\n";
  }
  return text;
}

std::string page_of(const client::System& system, const Endpoint& endpoint, const Zone& zone, Session& session) {
  std::string text = fmt::format("carillon{}{} at {}  {}\n", system.version.empty() ? "" : " ",
                                 printable(system.version), printable(endpoint.url), state_text(system, session.paint));
  text += since_line(system, endpoint, zone, session);
  // Numbers over all namespaces are not told to a token that is bound to one.
  if (system.schedules) text += system_line("Schedules", fmt::format("{}", *system.schedules));
  if (system.running)
    text += system_line("Runs", fmt::format("{} running · {} ready", *system.running, system.ready.value_or(0)));
  if (system.schedules) text += system_line("Next", next_text(system, zone, session.now));
  text += clock_line(system, session.now);
  text += system_line("Zones", fmt::format("tzdata {}", printable(system.tzdata)));
  return text + servers_text(system, session);
}

Result<ExitCode> system_command(const Arguments& arguments, Session& session) {
  const DisplayZone display = TRY(display_zone(arguments, session));
  const ZonePtr zone = display.zone ? display.zone : TRY(session.zones.zone("UTC"));
  Client client = TRY(connect(arguments, session));
  const auto answer = TRY(client.system());
  if (TRY(print_document(arguments, session, answer.document))) return ExitCode::ok;
  session.print(page_of(answer.value, client.endpoint(), *zone, session));
  return ExitCode::ok;
}

}  // namespace

const Verb system_verb{
    .name = "system",
    .targets = "",
    .summary = "Shows the server: version, uptime, number of schedules and runs, next start.",
    .examples = {"carillon system", "carillon system -o json", "carillon system --server https://carillon.example.com"},
    .group = VerbGroup::server,
    .flags = [] { return joined({output_flags(document_formats), display_flags(), server_flags()}); },
    .perform = system_command,
};

}  // namespace carillon::cli
