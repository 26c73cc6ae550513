#include "base/duration_text.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/time_value.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/local_time.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carillon::cli {

namespace {

constexpr std::size_t upcoming_count_max = 1000;  // what the server gives

std::string table_of(const std::vector<client::UpcomingStart>& starts, const DisplayZone& display, Session& session) {
  Table table;
  table.add({{.text = "DUE", .colour = Colour::bold},
             {.text = "IN", .colour = Colour::bold, .align = Align::right},
             {.text = "SCHEDULE", .colour = Colour::bold}});
  for (const client::UpcomingStart& start : starts) {
    // With the zone of each, the server's own text tells it.
    const std::string when = display.zone ? time_text(start.due, *display.zone, session.now) : start.local;
    table.add(
        {{.text = printable(when)},
         {.text = start.due > session.now ? rough_duration(start.due - session.now) : "now", .align = Align::right},
         {.text = printable(start.schedule)}});
  }
  return table.text(session.paint, "", "  ");
}

Result<ExitCode> upcoming_command(const Arguments& arguments, Session& session) {
  const std::size_t count = std::min(TRY(limit_of(arguments, session)), upcoming_count_max);
  const DisplayZone display = TRY(display_zone(arguments, session));
  Query query{{"limit", fmt::format("{}", count)}};
  if (arguments.value("window")) {
    const ZonePtr zone = display.zone ? display.zone : TRY(session.zones.zone("UTC"));
    query.emplace_back(
        "until",
        to_text(TRY(time_value("--window", *arguments.value("window"), *zone, TimeSide::future, session.now))));
  }
  Client client = TRY(connect(arguments, session));
  const auto starts = TRY(client.upcoming(query));
  note_left_out(arguments, session,
                {.what = "starts", .shown = starts.items.size(), .has_more = starts.items.size() == count});
  if (TRY(print_documents(arguments, session, starts.documents, "schedule"))) return ExitCode::ok;
  if (starts.items.empty()) {
    session.console.write_error("no starts are planned; see all schedules: carillon list\n");
    return ExitCode::ok;
  }
  session.print(table_of(starts.items, display, session));
  return ExitCode::ok;
}

}  // namespace

const Verb upcoming_verb{
    .name = "upcoming",
    .targets = "",
    .summary = "Lists the next starts of all schedules, soonest first.",
    .examples = {"carillon upcoming", "carillon upcoming --window 2h", "carillon upcoming --limit 10 -o json"},
    .group = VerbGroup::schedules,
    .flags =
        [] {
          return joined(
              {{{.names = "--window", .form = "DURATION", .text = "how far ahead: a duration such as 2h, or a time"}},
               list_flags(),
               output_flags(list_formats),
               fields_flag(
                   "JSON with only these fields, comma-separated: schedule, namespace, name, nominal, due, local"),
               display_flags(),
               server_flags()});
        },
    .perform = upcoming_command,
};

}  // namespace carillon::cli
