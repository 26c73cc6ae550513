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

/// Beyond so many rows the last ten runs of each are not asked for.
constexpr std::size_t detail_count_max = 100;

constexpr std::string_view column_gap = "  ";
/// Where a line is too long: WHEN, then LAST 10, then LAST. Names and times stay whole.
constexpr std::array<std::size_t, 3> columns_giving_way{2, 6, 5};

std::string last_text(const JsonView& schedule, Session& session) {
  const auto& runs = schedule.items("recentRuns");
  if (runs.empty()) return {};
  const JsonView run{runs.front()};
  const std::string state = run.text("state");
  const auto begun = run.instant("startedAt");
  const std::string sign = state_sign(state).text;
  if (state == "running" && begun) {
    const bool is_by_hand = run.text("source") == "trigger";
    return fmt::format("{} {}{}", sign, rough_duration(session.now - *begun), is_by_hand ? " (manual)" : "");
  }
  const auto ended = run.instant("endedAt");
  if (!ended) return fmt::format("{} {}", sign, state);
  return fmt::format("{} {} {}", sign, relative_text(std::min(*ended, session.now), session.now),
                     length_text(run.number("durationMs")));
}

/// Why there is no next start, or when it is.
std::pair<std::string, std::string> next_texts(const JsonView& schedule, const DisplayZone& display, Session& session) {
  const std::string status = schedule.text("status");
  if (status == "paused") {
    const JsonView pause = schedule["pause"];
    const std::string reason = pause.text("reason");
    return {fmt::format("paused by {}{}", pause.text("by"), reason.empty() ? "" : fmt::format(": \"{}\"", reason)), ""};
  }
  if (status != "active") return {status, ""};
  const auto next = schedule.instant("nextDueAt");
  if (!next) return {"never", ""};
  return {time_text(*next, display.of(zone_of(schedule, session)), session.now),
          *next > session.now ? rough_duration(*next - session.now) : "now"};
}

/// The documents with their last runs, one request each over the same connection.
Result<boost::json::array> with_recent_runs(Client& client, boost::json::array schedules) {
  if (schedules.size() > detail_count_max) return schedules;
  for (auto& schedule : schedules) {
    const JsonView view{schedule};
    auto whole = client.get("/schedules/" + path_part(view.text("id")), {{"namespace", view.text("namespace")}});
    // One that was deleted meanwhile stays as it was listed.
    if (whole) schedule = std::move(whole->body);
  }
  return schedules;
}

/// A warning, and whom it is about.
struct Warnings {
  std::size_t count = 0;
  std::string first_schedule{};

  Cell cell_for(const JsonView& schedule, Session& session) {
    const auto notice = clock_notice(schedule, session);
    if (!notice) return {};
    if (count++ == 0) first_schedule = printable(schedule.text("id"));
    return {.text = "⚠ dst " + notice->day, .colour = Colour::yellow};
  }
};

std::string table_of(const boost::json::array& schedules, const DisplayZone& display, Session& session,
                     Warnings& warnings) {
  Table table;
  table.add({{.text = ""},
             {.text = "NAME", .colour = Colour::bold},
             {.text = "WHEN", .colour = Colour::bold},
             {.text = "NEXT", .colour = Colour::bold},
             {.text = "IN", .colour = Colour::bold},
             {.text = "LAST", .colour = Colour::bold},
             {.text = "LAST 10", .colour = Colour::bold}});
  for (const auto& document : schedules) {
    const JsonView schedule{document};
    const auto [next, wait] = next_texts(schedule, display, session);
    table.add({schedule_sign(schedule),
               {.text = printable(schedule.text("id"))},
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

std::string footer(const Client::Items& found, const DisplayZone& display, const Warnings& warnings) {
  const auto with = [&](std::string_view key, std::string_view value) {
    return std::ranges::count_if(found.items, [&](const auto& item) { return JsonView{item}.text(key) == value; });
  };
  std::string text = fmt::format("{} schedule{}", found.total.value_or(found.items.size()),
                                 found.total.value_or(found.items.size()) == 1 ? "" : "s");
  if (found.has_more) text += fmt::format(", {} shown", found.items.size());
  const auto waiting = std::ranges::count_if(found.items, [](const auto& item) { return only_waits(JsonView{item}); });
  if (const auto running = with("activity", "running") - waiting; running > 0)
    text += fmt::format(" · {} running", running);
  if (waiting > 0) text += fmt::format(" · {} waiting", waiting);
  if (const auto paused = with("status", "paused")) text += fmt::format(" · {} paused", paused);
  text += fmt::format(" · times in {}", display.zone ? display.zone->name() : "the zone of each");
  if (warnings.count > 0)
    text += fmt::format(" · {} warning{} → carillon status {}", warnings.count, warnings.count == 1 ? "" : "s",
                        warnings.first_schedule);
  text += '\n';
  // Once for each queue that holds up anything shown.
  std::set<std::string> holds;
  for (const auto& item : found.items)
    for (const auto& run : JsonView{item}.items("recentRuns"))
      if (std::string hold = hold_text(JsonView{run}); !hold.empty()) holds.insert(std::move(hold));
  for (const std::string& hold : holds) text += fmt::format("⚠ {}\n", hold);
  return text;
}

Result<ExitCode> list_command(const Arguments& arguments, Session& session) {
  const std::size_t limit = TRY(limit_of(arguments));
  const DisplayZone display = TRY(display_zone(arguments, session));
  Client client = TRY(connect(arguments, session));
  Query query{{"status", arguments.value("status").value_or("")},
              {"q", arguments.targets.empty() ? "" : arguments.targets.front()}};
  for (const std::string& label : arguments.values("label")) query.emplace_back("label", label);
  Client::Items found = TRY(client.list("/schedules", query, limit));
  if (TRY(print_documents(arguments, session, found.items))) return ExitCode::ok;
  if (found.items.empty()) {
    session.console.write_error("no schedules; carillon add makes one, carillon apply reads files\n");
    return ExitCode::ok;
  }
  found.items = TRY(with_recent_runs(client, std::move(found.items)));
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
