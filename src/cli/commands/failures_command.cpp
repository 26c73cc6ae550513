#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/time_value.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/display/failure_groups.hpp"
#include "cli/display/run_display.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace carillon::cli {

namespace {

namespace json = boost::json;

constexpr std::string_view window_text_default = "24h";
constexpr std::size_t failure_count_max = 100'000;
constexpr std::size_t shown_schedule_count_max = 5;
/// The server filters by when a run was queued; one that ended in the window may have been queued before it.
constexpr Duration longest_run = std::chrono::days{7};

struct Failures {
  std::vector<client::Run> runs{};
  std::vector<client::Schedule> stopped{};
  bool has_more = false;
};

Result<Failures> failures_since(Client& client, Instant since) {
  const Query of_runs{{"state", std::string{failure_states}},
                      {"since", to_text(std::max(since - longest_run, instant_min))}};
  auto runs = TRY(client.list_runs(of_runs, failure_count_max));
  auto schedules = TRY(client.list_schedules({{"status", "dead,paused"}}, failure_count_max));
  Failures failures{.has_more = runs.has_more || schedules.has_more};
  std::ranges::copy_if(runs.items, std::back_inserter(failures.runs),
                       [&](const client::Run& run) { return run.ended_at && *run.ended_at >= since; });
  std::ranges::copy_if(schedules.items, std::back_inserter(failures.stopped), is_stopped_by_failure);
  return failures;
}

std::string schedules_text(const FailureGroup& group) {
  if (group.schedules.empty()) return "a job without a schedule";
  const std::size_t shown = std::min(group.schedules.size(), shown_schedule_count_max);
  std::string text = fmt::format("{}", fmt::join(std::span{group.schedules}.first(shown), ", "));
  if (shown < group.schedules.size()) text += fmt::format(" and {} more", group.schedules.size() - shown);
  if (group.name_space != "default") text += fmt::format(" (namespace {})", group.name_space);
  return text;
}

std::string failure_text(const FailureGroup& group, const Zone& zone, Session& session) {
  const auto line = [](std::string_view label, std::string_view text) {
    return text.empty() ? std::string{} : fmt::format("  {:<9} {}\n", label, text);
  };
  const auto time = [&](std::optional<Instant> at) {
    return at ? prose_time(std::chrono::floor<std::chrono::seconds>(*at), zone, session.now) : std::string{};
  };
  const bool is_one = group.first == group.last;
  const Cell words = group.run.empty() ? Cell{.text = "✗ stopped", .colour = Colour::red} : state_words(group.state);
  std::string text =
      fmt::format("\n{} {} × {}\n", session.paint(words.colour, words.text), group.count, printable(group.error));
  text += line(group.schedules.size() == 1 ? "Schedule" : "Schedules", printable(schedules_text(group)));
  text += line("First", is_one ? std::string{} : time(group.first));
  text += line("Last", time(group.last) + (group.run.empty() ? "" : "  " + printable(group.run)));
  return text + line("Next", printable(group.next));
}

std::string failure_summary(const std::vector<FailureGroup>& groups, const std::string& since) {
  std::int64_t run_count = 0;
  std::int64_t stopped_count = 0;
  for (const FailureGroup& group : groups) (group.run.empty() ? stopped_count : run_count) += group.count;
  std::string text = fmt::format("{} run{} failed since {}", run_count, run_count == 1 ? "" : "s", since);
  if (stopped_count > 0)
    text += fmt::format(" · {} schedule{} stopped by failures", stopped_count, stopped_count == 1 ? "" : "s");
  return text + '\n';
}

Result<ExitCode> failures_command(const Arguments& arguments, Session& session) {
  const bool is_for_people = TRY(wants_table(arguments));
  const DisplayZone display = TRY(display_zone(arguments, session));
  const ZonePtr zone = TRY(run_zone(display, session));
  const std::string window = arguments.value("since").value_or(std::string{window_text_default});
  const Instant since = TRY(time_value("--since", window, *zone, TimeSide::past, session.now));
  Client client = TRY(connect(arguments, session));
  const Failures failures = TRY(failures_since(client, since));
  const auto groups = failure_groups(failures.runs, failures.stopped);
  const std::string since_text = prose_time(std::chrono::floor<std::chrono::seconds>(since), *zone, session.now);
  if (failures.has_more) session.warn(fmt::format("there are more than {}; choose a shorter time", failure_count_max));
  if (!is_for_people) {
    json::array documents;
    for (const FailureGroup& group : groups) documents.push_back(document_of(group));
    TRY(print_documents(arguments, session, documents));
  } else if (groups.empty()) {
    session.print(fmt::format("✔ no failures since {}\n", since_text));
  } else {
    std::string text = failure_summary(groups, since_text);
    for (const FailureGroup& group : groups) text += failure_text(group, *zone, session);
    session.print(text);
  }
  return groups.empty() ? ExitCode::ok : ExitCode::findings;
}

}  // namespace

const Verb failures_verb{
    .name = "failures",
    .targets = "",
    .summary =
        "Shows what went wrong in all schedules: runs that failed, timed out, were lost or expired, and schedules that "
        "stopped because of failures. Groups equal errors. Exit 0: no failures, 7: failures.",
    .examples = {"carillon failures", "carillon failures --since 12h --namespace billing",
                 "carillon failures --since 18:00 -o json"},
    .group = VerbGroup::runs,
    .flags =
        [] {
          return joined({{{.names = "--since",
                           .form = "TIME",
                           .text = "only runs that ended since this time, or within this duration; default: 24h. "
                                   "Stopped schedules are always shown"}},
                         output_flags(list_formats),
                         fields_flag("JSON with only these fields, comma-separated: state, error, count, namespace, "
                                     "schedules, first, last, run, next"),
                         display_flags(),
                         server_flags()});
        },
    .perform = failures_command,
};

}  // namespace carillon::cli
