#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/event_lines.hpp"

namespace carillon::cli {

namespace {

Result<ExitCode> events_command(const Arguments& arguments, Session& session) {
  std::optional<std::size_t> count_max;
  if (const auto text = arguments.value("limit")) count_max = TRY(count_value("--limit", *text, 1'000'000'000));
  Client client = TRY(connect(arguments, session));
  EventFilter filter{.topics = arguments.value("topics").value_or(""),
                     .last_id = arguments.value("after").value_or("")};
  if (const auto schedule = arguments.value("schedule")) filter.schedule = TRY(find_schedule_id(client, *schedule));
  return print_events(client, std::move(filter), count_max, session);
}

}  // namespace

const Verb events_verb{
    .name = "events",
    .targets = "",
    .summary =
        "Prints events as they happen, one JSON object per line, until interrupted. Reconnects when the connection "
        "breaks, without losing events.",
    .examples = {"carillon events", "carillon events --topics run --schedule nightly",
                 "carillon events --topics run | jq -r 'select(.event == \"run.finished\") | .data.name'"},
    .group = VerbGroup::server,
    .flags =
        [] {
          return joined(
              {{{.names = "--topics",
                 .form = "WORDS",
                 .text = "only these topics, comma-separated: run, occurrence, schedule, backfill, server"},
                {.names = "--schedule", .form = "NAME", .text = "only events of this schedule"},
                {.names = "--after", .form = "ID", .text = "begin after the event with this id; default: begin now"},
                {.names = "--limit", .form = "N", .text = "exit after N events"}},
               server_flags()});
        },
    .perform = events_command,
};

}  // namespace carillon::cli
