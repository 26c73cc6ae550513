#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/event_lines.hpp"
#include "cli/display/run_display.hpp"
#include "cli/terminal/printable.hpp"
#include "cli/watch/event_process.hpp"
#include "cli/watch/terminal_screen.hpp"
#include "cli/watch/watch_loop.hpp"

#include <fmt/format.h>

#include <array>

namespace carillon::cli {

namespace {

constexpr std::array watch_formats{Format::table, Format::jsonl};

/// `carillon · 127.0.0.1:7070`.
std::string title_of(const Client& client) {
  std::string_view url = client.endpoint().url;
  if (const std::size_t scheme = url.find("://"); scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  return fmt::format("carillon · {}", printable(url));
}

Result<ExitCode> show_once(Client& client, const Zone& zone, Session& session) {
  const WatchData data = TRY(read_watch_data(client, session.now));
  session.print(watch_snapshot(data, rows_of(data, zone, session.now, session.paint), title_of(client), session.now,
                               session.paint));
  return ExitCode::ok;
}

Result<ExitCode> watch_command(const Arguments& arguments, Session& session) {
  const Format format = TRY(output_format(arguments.value("output"), watch_formats));
  const ZonePtr zone = TRY(run_zone(TRY(display_zone(arguments, session)), session));
  Client client = TRY(connect(arguments, session));
  if (format == Format::jsonl) return print_events(client, {}, {}, session);
  if (arguments.has("once") || !session.console.is_terminal(Stream::output)) return show_once(client, *zone, session);
  // Before the first request: the child shares no connection with us.
  EventProcess events{client.endpoint()};
  const auto screen = TRY(TerminalScreen::open(events));
  return WatchLoop{client, session, *screen, zone, title_of(client)}.run();
}

FlagSpecs watch_flags() {
  return joined(
      {{{.names = "--once", .form = {}, .text = "show it once and exit; the default when there is no terminal"}},
       output_flags("text|jsonl"),
       display_flags(),
       server_flags()});
}

}  // namespace

const Verb watch_verb{
    .name = "watch",
    .targets = "",
    .summary =
        "Shows live what runs, waits and starts next. Keys: j/k, Enter, w, t, c, r, p, f, /, ?, q. With -o jsonl: "
        "prints one line per change.",
    .examples = {"carillon watch", "carillon watch --once", "carillon watch -o jsonl | jq .event"},
    .group = VerbGroup::runs,
    .flags = watch_flags,
    .perform = watch_command,
};

const Verb top_verb{
    .name = "top",
    .targets = "",
    .summary = "The same as watch.",
    .examples = {"carillon top", "carillon top --once", "carillon top --tz utc"},
    .group = VerbGroup::runs,
    .flags = watch_flags,
    .perform = watch_command,
};

}  // namespace carillon::cli
