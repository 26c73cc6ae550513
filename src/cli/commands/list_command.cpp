#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/clock_notice.hpp"
#include "cli/display/document_output.hpp"
#include "cli/display/schedule_display.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/local_time.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace carillon::cli {

namespace {

constexpr std::string_view recent_count = "10";  // runs of each that are asked for
constexpr std::string_view column_gap = "  ";
/// Where a line is too long: WHEN, then LAST 10, then LAST. Names and times stay whole.
constexpr std::array<std::size_t, 3> columns_giving_way{2, 6, 5};

bool is_by_hand(const client::RecentRun& run) { return run.source == "trigger" || run.name.contains("+trigger-"); }

std::string last_text(const client::Schedule& schedule, Session& session) {
  if (schedule.recent.empty()) return {};
  const client::RecentRun& run = schedule.recent.front();
  const std::string sign = state_sign(run.state).text;
  if (run.state == "running" && run.started_at)
    return fmt::format("{} {}{}", sign, rough_duration(session.now - *run.started_at),
                       is_by_hand(run) ? " (manual)" : "");
  if (!run.ended_at) return fmt::format("{} {}", sign, run.state);
  return fmt::format("{} {} {}", sign, relative_text(std::min(*run.ended_at, session.now), session.now),
                     length_text(run.duration_ms));
}

/// Why there is no next start, or when it is.
std::pair<std::string, std::string> next_texts(const client::Schedule& schedule, const DisplayZone& display,
                                               Session& session) {
  if (schedule.status == "paused") {
    const client::Pause pause = schedule.pause.value_or(client::Pause{});
    return {fmt::format("paused by {}{}", pause.by, pause.reason.empty() ? "" : fmt::format(": \"{}\"", pause.reason)),
            ""};
  }
  if (schedule.status != "active") return {schedule.status, ""};
  const auto next = schedule.next_due_at;
  if (!next) return {"never", ""};
  return {time_text(*next, display.of(zone_of(schedule, session)), session.now),
          *next > session.now ? rough_duration(*next - session.now) : "now"};
}

/// A warning, and whom it is about.
struct Warnings {
  std::size_t count = 0;
  std::string first_schedule{};

  Cell cell_for(const client::Schedule& schedule, Session& session) {
    const auto notice = clock_notice(schedule, session);
    if (!notice) return {};
    if (count++ == 0) first_schedule = printable(schedule.id);
    return {.text = "⚠ dst " + notice->day, .colour = Colour::yellow};
  }
};

std::string table_of(const std::vector<client::Schedule>& schedules, const DisplayZone& display, Session& session,
                     Warnings& warnings) {
  Table table;
  table.add({{.text = ""},
             {.text = "NAME", .colour = Colour::bold},
             {.text = "WHEN", .colour = Colour::bold},
             {.text = "NEXT", .colour = Colour::bold},
             {.text = "IN", .colour = Colour::bold},
             {.text = "LAST", .colour = Colour::bold},
             {.text = "LAST 10", .colour = Colour::bold}});
  for (const client::Schedule& schedule : schedules) {
    const auto [next, wait] = next_texts(schedule, display, session);
    table.add({schedule_sign(schedule),
               {.text = name_text(schedule)},
               {.text = printable(when_text(schedule, session))},
               {.text = printable(next)},
               {.text = wait, .align = Align::right},
               {.text = last_text(schedule, session)},
               recent_cell(schedule, session.paint),
               warnings.cell_for(schedule, session)});
  }
  if (const auto width = width_max(session.console)) {
    for (const std::size_t column : columns_giving_way) table.narrow(column, *width, session.paint, column_gap);
  }
  return table.text(session.paint, "", column_gap);
}

/// Once for each queue that holds up anything shown.
std::set<std::string> holds_in(const std::vector<client::Schedule>& schedules) {
  std::set<std::string> holds;
  for (const client::Schedule& schedule : schedules) {
    for (const client::RecentRun& run : schedule.recent) {
      if (std::string hold = hold_text(run.waiting_for, schedule.name_space); !hold.empty())
        holds.insert(std::move(hold));
    }
  }
  return holds;
}

std::string footer(const client::ListAnswer<client::Schedule>& found, const DisplayZone& display,
                   const Warnings& warnings) {
  const auto& schedules = found.items;
  const std::size_t total = found.total.value_or(schedules.size());
  std::string text = fmt::format("{} schedule{}", total, total == 1 ? "" : "s");
  if (found.has_more) text += fmt::format(", {} shown", schedules.size());
  const auto waiting = std::ranges::count_if(schedules, only_waits);
  const auto running = std::ranges::count(schedules, "running", &client::Schedule::activity) - waiting;
  const auto paused = std::ranges::count(schedules, "paused", &client::Schedule::status);
  if (running > 0) text += fmt::format(" · {} running", running);
  if (waiting > 0) text += fmt::format(" · {} waiting", waiting);
  if (paused > 0) text += fmt::format(" · {} paused", paused);
  text += fmt::format(" · times in {}", display.zone ? display.zone->name() : "the zone of each");
  if (warnings.count > 0)
    text += fmt::format(" · {} warning{} → carillon status {}", warnings.count, warnings.count == 1 ? "" : "s",
                        warnings.first_schedule);
  text += '\n';
  for (const std::string& hold : holds_in(schedules)) text += fmt::format("⚠ {}\n", hold);
  return text;
}

/// The schedules with their newest runs. A server of an older release knows no `recent`, and gives them without.
Result<client::ListAnswer<client::Schedule>> schedules_of(Client& client, const Query& filter, std::size_t limit) {
  Query with_recent = filter;
  with_recent.emplace_back("recent", std::string{recent_count});
  auto found = client.list_schedules(with_recent, limit);
  const bool is_refused =
      !found && found.error().code == ErrorCode::invalid_argument && found.error().message.contains("\"recent\"");
  return is_refused ? client.list_schedules(filter, limit) : found;
}

Result<ExitCode> list_command(const Arguments& arguments, Session& session) {
  const std::size_t limit = TRY(limit_of(arguments));
  const DisplayZone display = TRY(display_zone(arguments, session));
  Client client = TRY(connect(arguments, session));
  Query filter{{"status", arguments.value("status").value_or("")},
               {"q", arguments.targets.empty() ? "" : arguments.targets.front()}};
  for (const std::string& label : arguments.values("label")) filter.emplace_back("label", label);
  if (!TRY(wants_table(arguments))) {
    TRY(print_documents(arguments, session, TRY(client.list("/schedules", filter, limit)).items));
    return ExitCode::ok;
  }
  const auto found = TRY(schedules_of(client, filter, limit));
  if (found.items.empty()) {
    session.console.write_error("no schedules; carillon add makes one, carillon apply reads files\n");
    return ExitCode::ok;
  }
  Warnings warnings;
  session.print(table_of(found.items, display, session, warnings));
  session.print(footer(found, display, warnings));
  return ExitCode::ok;
}

}  // namespace

const Verb list_verb{
    .name = "list",
    .targets = "[TEXT]",
    .summary = "Lists schedules: when they run, when next, how the last runs went. TEXT is any part of a name.",
    .examples = {"carillon list", "carillon list --status paused -q", "carillon list --label team=data -o json"},
    .group = VerbGroup::schedules,
    .flags =
        [] {
          return joined(
              {{{.names = "--status", .form = "WORD", .text = "only active, paused, disabled, done or dead ones"},
                {.names = "-l,--label",
                 .form = "KEY=VALUE",
                 .text = "only those with this label; may be given again",
                 .may_repeat = true}},
               list_flags(),
               output_flags(list_formats),
               fields_flag(),
               display_flags(),
               server_flags()});
        },
    .perform = list_command,
};

}  // namespace carillon::cli
