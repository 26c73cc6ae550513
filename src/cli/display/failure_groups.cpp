#include "cli/display/failure_groups.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace carillon::cli {

namespace {

namespace json = boost::json;

constexpr std::string_view stopping_actor = "carillon";  // pauses a schedule whose policy says pauseOnFailure

std::string error_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// What is said of a run without an error of its own.
std::string default_error(std::string_view state) {
  if (state == "timed_out") return "took longer than its timeout";
  if (state == "lost") return "the worker was lost; the outcome is unknown";
  if (state == "expired") return "no worker took it before its start deadline";
  return "no error was reported";
}

std::string error_of(const client::Run& run) {
  const std::string line = error_line(run.error);
  return line.empty() ? default_error(run.state) : line;
}

std::string error_of(const client::Schedule& schedule) {
  if (schedule.status == "dead") return "dead: too many failed runs in a row";
  return "paused by its policy because a run failed";
}

void add_to(FailureGroup& group, const std::string& schedule, std::optional<Instant> at) {
  ++group.count;
  const auto place = std::ranges::lower_bound(group.schedules, schedule);
  if (!schedule.empty() && (place == group.schedules.end() || *place != schedule))
    group.schedules.insert(place, schedule);
  if (!at) return;
  if (!group.first || *at < *group.first) group.first = at;
  if (!group.last || *at > *group.last) group.last = at;
}

std::string next_command(const FailureGroup& group) {
  if (group.state == "expired") return "carillon queue list";
  if (!group.run.empty()) return fmt::format("carillon run logs {}", group.run);
  return fmt::format("carillon {} {}{}", group.state == "dead" ? "reset" : "resume", fmt::join(group.schedules, " "),
                     group.name_space == "default" ? "" : " --namespace " + group.name_space);
}

using GroupKey = std::tuple<std::string, std::string, std::string>;  // namespace, state, error
using Groups = std::map<GroupKey, FailureGroup>;

FailureGroup& group_for(Groups& groups, const std::string& name_space, const std::string& state,
                        const std::string& error) {
  FailureGroup& group = groups[{name_space, state, error}];
  group.name_space = name_space;
  group.state = state;
  group.error = error;
  return group;
}

void append_newest_first(std::vector<FailureGroup>& all, Groups groups) {
  const auto begin = static_cast<std::ptrdiff_t>(all.size());
  for (auto& [key, group] : groups) {
    group.next = next_command(group);
    all.push_back(std::move(group));
  }
  std::ranges::stable_sort(all.begin() + begin, all.end(), std::ranges::greater{}, &FailureGroup::last);
}

json::value instant_or_null(std::optional<Instant> instant) {
  return instant ? json::value(to_text(*instant)) : json::value{};
}

}  // namespace

bool is_failing(const client::Schedule& schedule) {
  if (schedule.status == "disabled") return false;
  if (schedule.status == "dead" || schedule.activity == "error") return true;
  const auto& failure = schedule.stats.last_failure;
  return failure && (!schedule.last_success_at || *failure > *schedule.last_success_at);
}

bool is_stopped_by_failure(const client::Schedule& schedule) {
  if (schedule.status == "dead") return true;
  return schedule.status == "paused" && schedule.pause && schedule.pause->by == stopping_actor;
}

std::vector<FailureGroup> failure_groups(const std::vector<client::Run>& runs,
                                         const std::vector<client::Schedule>& stopped) {
  Groups of_schedules;
  for (const client::Schedule& schedule : stopped) {
    const auto since = schedule.pause ? schedule.pause->at : schedule.stats.last_failure;
    add_to(group_for(of_schedules, schedule.name_space, schedule.status, error_of(schedule)), schedule.id, since);
  }
  Groups of_runs;
  for (const client::Run& run : runs) {
    FailureGroup& group = group_for(of_runs, run.name_space, run.state, error_of(run));
    const auto newest = group.last;
    add_to(group, run.schedule, run.ended_at);
    if (group.run.empty() || group.last != newest) group.run = run.id;
  }
  std::vector<FailureGroup> all;
  append_newest_first(all, std::move(of_schedules));
  append_newest_first(all, std::move(of_runs));
  return all;
}

json::value document_of(const FailureGroup& group) {
  return json::object{{"state", group.state},
                      {"error", group.error},
                      {"count", group.count},
                      {"namespace", group.name_space},
                      {"schedules", json::array(group.schedules.begin(), group.schedules.end())},
                      {"first", instant_or_null(group.first)},
                      {"last", instant_or_null(group.last)},
                      {"run", group.run.empty() ? json::value{} : json::value(group.run)},
                      {"next", group.next}};
}

}  // namespace carillon::cli
