#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/time_value.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/display/run_display.hpp"
#include "cli/display/schedule_display.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace carillon::cli {

namespace {

std::string why_text(const client::Run& run) {
  return run.error.empty() ? source_text(run) : fmt::format("{}; {}", source_text(run), printable(run.error));
}

std::string due_text(const client::Run& run, const Zone& zone, Instant now) {
  const auto due = run.due ? run.due : run.queued_at;
  return due ? short_time_text(*due, zone, now) : std::string{};
}

/// What is not there is a dash, so that columns are not taken for one another.
std::string or_dash(std::string text) { return text.empty() ? "–" : text; }

std::string table_of(const std::vector<client::Run>& runs, const Zone& zone, bool is_wide, Session& session) {
  Table table;
  std::vector<Cell> headings{heading("RUN"),     heading("SCHEDULE"), heading("DUE"),
                             heading("STARTED"), heading("LATE"),     heading("TOOK"),
                             heading("ATT."),    heading("RESULT"),   heading("WHY")};
  if (is_wide) headings.push_back(heading("NAME"));
  table.add(std::move(headings));
  for (const client::Run& run : runs) {
    const Cell state = state_words(run.state);
    std::vector<Cell> row{{.text = printable(run.id)},
                          {.text = or_dash(printable(run.schedule))},
                          {.text = or_dash(due_text(run, zone, session.now))},
                          {.text = or_dash(clock_of(run.started_at, zone))},
                          {.text = or_dash(length_text(run.late_ms))},
                          {.text = or_dash(run_length(run, session.exact_now()))},
                          {.text = fmt::format("{}", run.attempt)},
                          {.text = printable(state.text), .colour = state.colour},
                          {.text = is_wide ? printable(run.why) : why_text(run)}};
    if (is_wide) row.push_back({.text = printable(run.name)});
    table.add(std::move(row));
  }
  return table.text(session.paint, "", "  ");
}

Result<Query> filters_of(const Arguments& arguments, Client& client, Session& session) {
  Query query{{"state", fmt::format("{}", fmt::join(arguments.values("state"), ","))},
              {"source", arguments.value("source").value_or("")}};
  ZonePtr own_zone;
  if (const auto word = arguments.value("schedule")) {
    const client::Schedule schedule = TRY(find_schedule(client, *word)).value;
    own_zone = zone_of(schedule, session);
    query.emplace_back("schedule", schedule.id);
  }
  if (const auto since = arguments.value("since")) {
    const ZonePtr zone = TRY(reading_zone(arguments, own_zone, session));
    query.emplace_back("since", to_text(TRY(time_value("--since", *since, *zone, TimeSide::past, session.now))));
  }
  return query;
}

Result<ExitCode> run_list_command(const Arguments& arguments, Session& session) {
  const std::size_t limit = TRY(limit_of(arguments, session));
  const DisplayZone display = TRY(display_zone(arguments, session));
  const ZonePtr zone = TRY(run_zone(display, session));
  Client client = TRY(connect(arguments, session));
  const Query query = TRY(filters_of(arguments, client, session));
  const auto found = TRY(client.list_runs(query, limit));
  note_left_out(arguments, session, {.what = "runs", .shown = found.items.size(), .has_more = found.has_more});
  if (TRY(print_documents(arguments, session, found.documents))) return ExitCode::ok;
  if (found.items.empty()) {
    session.console.write_error("no matching runs; start one: carillon trigger\n");
    return ExitCode::ok;
  }
  session.print(table_of(found.items, *zone, arguments.value("output") == "wide", session));
  session.print(fmt::format("{} run{}{} · times in {}\n", found.items.size(), found.items.size() == 1 ? "" : "s",
                            found.has_more ? ", the newest" : "", zone->name()));
  return ExitCode::ok;
}

}  // namespace

const Verb run_list_verb{
    .name = "run list",
    .targets = "",
    .summary = "Lists runs, newest first: when they were due, how late they started, how they ended.",
    .examples = {"carillon run list --state failed --since 24h", "carillon run list --schedule nightly -q",
                 "carillon run list --source trigger,backfill -o json"},
    .group = VerbGroup::runs,
    .flags =
        [] {
          return joined({{{.names = "--schedule", .form = "NAME", .text = "only runs of this schedule"},
                          {.names = "--state",
                           .form = "WORDS",
                           .text = "only runs in these states, for example failed,timed_out,lost; repeatable",
                           .may_repeat = true},
                          {.names = "--source",
                           .form = "WORDS",
                           .text = "only runs from these sources, comma-separated: schedule, catchup, trigger, "
                                   "backfill, chain, adhoc"},
                          {.names = "--since",
                           .form = "TIME",
                           .text = "only runs due since this time, or within this duration: 24h"}},
                         list_flags(),
                         output_flags(list_formats),
                         fields_flag("JSON with only these fields, comma-separated: id, schedule, nominal, due, state, "
                                     "attempt, startedAt, endedAt, error, …"),
                         display_flags(),
                         server_flags()});
        },
    .perform = run_list_command,
    .stray_hint = "runs of one schedule: carillon run list --schedule NAME",
};

}  // namespace carillon::cli
