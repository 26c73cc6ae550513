#include "base/quoted.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/clock_notice.hpp"
#include "cli/display/document_output.hpp"
#include "cli/display/failure_groups.hpp"
#include "cli/display/run_display.hpp"
#include "cli/display/schedule_display.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/local_time.hpp"
#include "cli/terminal/printable.hpp"
#include "definitions/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <set>

namespace carillon::cli {

namespace {

namespace json = boost::json;

constexpr std::string_view recent_count = "10";  // runs of each that are asked for
constexpr std::string_view failing_word = "failing";
constexpr std::string_view column_gap = "  ";
/// Where a line is too long: WHEN, then LAST 10, then LAST. Names and times stay whole.
constexpr std::array<std::size_t, 3> columns_giving_way{2, 6, 5};

bool is_by_hand(const client::RecentRun& run) { return run.source == "trigger" || run.name.contains("+trigger-"); }

/// Of a run that is not at work: `retrying in 40s`, `no worker`, `queue paused`; else its state.
std::string waiting_words(const client::RecentRun& run, Instant now) {
  if (!run.waiting_for) return run.state;
  const client::RunWait& wait = *run.waiting_for;
  if (wait.what == "paused_queue") return "queue paused";
  if (wait.what == "no_worker") return "no worker";
  if (run.state == "retrying" && wait.until && *wait.until > now)
    return "retrying in " + rough_duration(std::chrono::ceil<std::chrono::seconds>(*wait.until - now));
  return run.state;
}

std::string last_text(const client::Schedule& schedule, Session& session) {
  if (schedule.recent.empty()) return {};
  const client::RecentRun& run = schedule.recent.front();
  const std::string sign = state_sign(run.state).text;
  const Instant now = session.exact_now();
  if (run.state == "running" && run.started_at)
    return fmt::format("{} {}{}", sign, rough_duration(std::max(now - *run.started_at, Duration{0})),
                       is_by_hand(run) ? " (manual)" : "");
  if (!run.ended_at) return fmt::format("{} {}", sign, waiting_words(run, now));
  return fmt::format("{} {} {}", sign, relative_text(std::min(*run.ended_at, now), now), length_text(run.duration_ms));
}

/// Why there is no next start, or when it is.
std::pair<std::string, std::string> next_texts(const client::Schedule& schedule, const DisplayZone& display,
                                               Session& session) {
  if (schedule.status == "paused") {
    const client::Pause pause = schedule.pause.value_or(client::Pause{});
    const Zone& zone = display.of(zone_of(schedule, session));
    return {fmt::format("paused by {}{}{}", pause.by,
                        pause.until ? " until " + prose_time(*pause.until, zone, session.now) : "",
                        pause.reason.empty() ? "" : fmt::format(": \"{}\"", pause.reason)),
            pause.until && *pause.until > session.now ? rough_duration(*pause.until - session.now) : ""};
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
  const auto failing = std::ranges::count_if(schedules, is_failing);
  const auto waiting = std::ranges::count_if(schedules, only_waits);
  const auto running = std::ranges::count(schedules, "running", &client::Schedule::activity) - waiting;
  const auto paused = std::ranges::count(schedules, "paused", &client::Schedule::status);
  if (running > 0) text += fmt::format(" · {} running", running);
  if (waiting > 0) text += fmt::format(" · {} waiting", waiting);
  if (paused > 0) text += fmt::format(" · {} paused", paused);
  if (failing > 0) text += fmt::format(" · {} failing → carillon failures", failing);
  text += fmt::format(" · times in {}", display.zone ? display.zone->name() : "the zone of each");
  if (warnings.count > 0)
    text += fmt::format(" · {} warning{} → carillon status {}", warnings.count, warnings.count == 1 ? "" : "s",
                        warnings.first_schedule);
  text += '\n';
  for (const std::string& hold : holds_in(schedules)) text += fmt::format("⚠ {}\n", hold);
  return text;
}

/// The schedules with their newest runs. A server of an older release knows no `recent`, and gives them without.
Result<client::ListAnswer<client::Schedule>> with_recent_runs(Client& client, const Query& filter, std::size_t limit) {
  Query with_recent = filter;
  with_recent.emplace_back("recent", std::string{recent_count});
  auto found = client.list_schedules(with_recent, limit);
  const bool is_refused =
      !found && found.error().code == ErrorCode::invalid_argument && found.error().message.contains("\"recent\"");
  return is_refused ? client.list_schedules(filter, limit) : found;
}

/// Which schedules. `failing` is no status of a schedule but how its newest run went, so it is looked for here.
struct ListFilter {
  Query query{};
  bool has_failing = false;
  std::vector<std::string> statuses{};  // beside failing: any of them

  [[nodiscard]] bool wants(const client::Schedule& schedule) const {
    return is_failing(schedule) || std::ranges::find(statuses, schedule.status) != statuses.end();
  }
};

Result<> check_status(std::string_view word) {
  const auto known = words_of<ScheduleStatus>();
  if (word.empty() || word == failing_word || std::ranges::find(known, word) != known.end()) return {};
  return std::unexpected(usage_error(fmt::format("--status: unknown status {}", carillon::quoted(word)),
                                     fmt::format("one of {}, {}", fmt::join(known, ", "), failing_word)));
}

Result<ListFilter> filter_of(const Arguments& arguments) {
  ListFilter filter;
  const std::string words = fmt::format("{}", fmt::join(arguments.values("status"), ","));
  for (const auto word : words | std::views::split(',')) {
    const std::string_view status{word.begin(), word.end()};
    TRY(check_status(status));
    filter.has_failing |= status == failing_word;
    if (!status.empty() && status != failing_word) filter.statuses.emplace_back(status);
  }
  filter.query = {{"status", filter.has_failing ? "" : words},
                  {"q", arguments.targets.empty() ? "" : arguments.targets.front()},
                  {"filter", fmt::format("{}", fmt::join(arguments.values("filter"), " "))}};
  for (const std::string& label : arguments.values("label")) filter.query.emplace_back("label", label);
  return filter;
}

/// Those of the list that fail, at most so many.
client::ListAnswer<client::Schedule> failing_of(client::ListAnswer<client::Schedule> all, const ListFilter& filter,
                                                std::size_t limit) {
  client::ListAnswer<client::Schedule> failing{.items = {}, .documents = {}, .total = 0, .has_more = all.has_more};
  for (std::size_t i = 0; i < all.items.size(); ++i) {
    if (!filter.wants(all.items[i])) continue;
    ++*failing.total;
    if (failing.items.size() == limit) continue;
    failing.items.push_back(std::move(all.items[i]));
    failing.documents.push_back(std::move(all.documents[i]));
  }
  failing.has_more |= *failing.total > failing.items.size();
  return failing;
}

enum class RecentRuns { wanted, left_out };

Result<client::ListAnswer<client::Schedule>> schedules_of(Client& client, const ListFilter& filter, std::size_t limit,
                                                          RecentRuns recent) {
  const std::size_t count_max = filter.has_failing ? list_count_max : limit;
  auto found = TRY(recent == RecentRuns::wanted ? with_recent_runs(client, filter.query, count_max)
                                                : client.list_schedules(filter.query, count_max));
  return filter.has_failing ? failing_of(std::move(found), filter, limit) : std::move(found);
}

/// Files that should define a schedule and do not. Not among the schedules: they have no id, and no command works on
/// them.
void print_broken_files(const std::vector<std::string>& files, Session& session) {
  for (const std::string& file : files)
    session.console.write_error(fmt::format("⚠ not scheduled: {}\n", printable(file)));
}

/// For programs: documents as they are, which may be those of another release.
Result<> print_for_programs(const Arguments& arguments, Client& client, const ListFilter& filter, std::size_t limit,
                            Session& session) {
  ListExtent extent{.what = "schedules"};
  json::array documents;
  if (filter.has_failing) {
    auto found = TRY(schedules_of(client, filter, limit, RecentRuns::left_out));
    extent.total = found.total;
    extent.has_more = found.has_more;
    documents = std::move(found.documents);
  } else {
    auto found = TRY(client.list("/schedules", filter.query, limit));
    extent.total = found.total;
    extent.has_more = found.has_more;
    documents = std::move(found.items);
    print_broken_files(found.broken_files, session);
  }
  extent.shown = documents.size();
  note_left_out(arguments, session, extent);
  static_cast<void>(TRY(print_documents(arguments, session, documents)));
  return {};
}

/// Why there is nothing to show.
std::string_view empty_list_text(const ListFilter& filter) {
  if (filter.has_failing) return "no schedule is failing\n";
  const bool is_filtered = std::ranges::any_of(filter.query, [](const auto& part) { return !part.second.empty(); });
  return is_filtered ? "no schedule matches; see all: carillon list\n"
                     : "no schedules; add one: carillon add · from files: carillon apply\n";
}

Result<ExitCode> list_command(const Arguments& arguments, Session& session) {
  if (arguments.targets.size() > 1)
    return std::unexpected(usage_error("give one part of a name only", "carillon list etl"));
  const std::size_t limit = TRY(limit_of(arguments, session));
  const DisplayZone display = TRY(display_zone(arguments, session));
  const ListFilter filter = TRY(filter_of(arguments));
  Client client = TRY(connect(arguments, session));
  if (!TRY(wants_table(arguments))) {
    TRY(print_for_programs(arguments, client, filter, limit, session));
    return ExitCode::ok;
  }
  const auto found = TRY(schedules_of(client, filter, limit, RecentRuns::wanted));
  print_broken_files(found.broken_files, session);
  if (found.items.empty()) {
    session.console.write_error(empty_list_text(filter));
    return ExitCode::ok;
  }
  Warnings warnings;
  session.print(table_of(found.items, display, session, warnings));
  session.print(footer(found, display, warnings));
  note_left_out(arguments, session,
                {.what = "schedules", .shown = found.items.size(), .total = found.total, .has_more = found.has_more});
  return ExitCode::ok;
}

}  // namespace

const Verb list_verb{
    .name = "list",
    .targets = "[TEXT]",
    .summary = "Lists schedules: when they run, the next start, how the last runs went. TEXT is any part of a name.",
    .examples = {"carillon list", "carillon list --filter 'state:paused label:team=data'",
                 "carillon list --status failing -o json"},
    .group = VerbGroup::schedules,
    .flags =
        [] {
          return joined({{{.names = "--status",
                           .form = "WORDS",
                           .text = "only schedules with these statuses, comma-separated: active, paused, disabled, "
                                   "done, dead, failing (newest run failed)",
                           .may_repeat = true},
                          {.names = "-l,--label",
                           .form = "KEY=VALUE",
                           .text = "only schedules with this label; repeatable",
                           .may_repeat = true},
                          {.names = "--filter",
                           .form = "SEARCH",
                           .text = "only schedules that fit all terms, such as \"state:paused label:team=data "
                                   "kind:pipeline name~report id:etl-* tz:Europe/* next:<1h -label:test\"",
                           .may_repeat = true}},
                         list_flags(),
                         output_flags(list_formats),
                         fields_flag("JSON with only these fields, comma-separated: id, name, status, activity, "
                                     "nextDueAt, lastRunAt, lastError, labels, …"),
                         display_flags(),
                         server_flags()});
        },
    .perform = list_command,
};

}  // namespace carillon::cli
