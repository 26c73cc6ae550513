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

std::string line(std::string_view label, std::string_view text) { return fmt::format("  {:<9}  {}\n", label, text); }

/// What only a server of this machine tells us: it wrote that down when it began.
std::string since_line(const Endpoint& endpoint, const Zone& zone, Session& session) {
  for (const RunningServer& server : running_servers(session.console)) {
    if (server.url != endpoint.url) continue;
    return line("Since", fmt::format("{} · {} · pid {} · {}", time_text(server.started_at, zone, session.now),
                                     rough_duration(std::max(session.now - server.started_at, Duration{0})), server.pid,
                                     printable(server.data.string())));
  }
  return {};
}

std::string clock_line(const client::System& system, Instant now) {
  const Duration difference = std::chrono::abs(system.now - now);
  if (difference <= clock_difference_max) return {};
  return line("Clock", fmt::format("⚠ {} {} this machine", rough_duration(difference),
                                   system.now > now ? "ahead of" : "behind"));
}

std::string next_text(const client::System& system, const Zone& zone, Instant now) {
  const auto next = system.next_wake;
  if (!next) return "nothing is due";
  return fmt::format("{} · {}", time_text(*next, zone, now), *next > now ? relative_text(*next, now) : "now");
}

std::string page_of(const client::System& system, const std::string& version, const Endpoint& endpoint,
                    const Zone& zone, Session& session) {
  const std::string& trouble = system.store.reason;
  const std::string state = trouble.empty() ? session.paint(Colour::green, "● serving")
                                            : session.paint(Colour::red, "✗ not ready: " + printable(trouble));
  std::string text = fmt::format("carillon{}{} at {}  {}\n", version.empty() ? "" : " ", printable(version),
                                 printable(endpoint.url), state);
  text += since_line(endpoint, zone, session);
  // Numbers over all namespaces are not told to a token that is bound to one.
  if (system.schedules) text += line("Schedules", fmt::format("{}", *system.schedules));
  if (system.running)
    text += line("Runs", fmt::format("{} running · {} ready", *system.running, system.ready.value_or(0)));
  if (system.schedules) text += line("Next", next_text(system, zone, session.now));
  text += clock_line(system, session.now);
  return text + line("Zones", fmt::format("tzdata {}", printable(system.tzdata)));
}

Result<ExitCode> system_command(const Arguments& arguments, Session& session) {
  const DisplayZone display = TRY(display_zone(arguments, session));
  const ZonePtr zone = display.zone ? display.zone : TRY(session.zones.zone("UTC"));
  Client client = TRY(connect(arguments, session));
  const auto answer = TRY(client.system());
  if (TRY(print_document(arguments, session, answer.document))) return ExitCode::ok;
  // Without it the page is worth reading all the same.
  const auto version = client.version();
  session.print(page_of(answer.value, version ? version->version : "", client.endpoint(), *zone, session));
  return ExitCode::ok;
}

}  // namespace

const Verb system_verb{
    .name = "system",
    .targets = "",
    .summary = "Shows the server: which, since when, how many schedules and runs it has, what is due next.",
    .examples = {"carillon system", "carillon system -o json", "carillon system --server https://carillon.example.com"},
    .group = VerbGroup::server,
    .flags = [] { return joined({output_flags(document_formats), display_flags(), server_flags()}); },
    .perform = system_command,
};

}  // namespace carillon::cli
