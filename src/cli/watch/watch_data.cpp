#include "cli/watch/watch_data.hpp"

#include "cli/display/item_display.hpp"
#include "cli/display/run_display.hpp"
#include "cli/display/schedule_display.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/local_time.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace carillon::cli {

namespace {

constexpr std::size_t row_count_max = 200;
constexpr std::size_t watched_start_max = 500;

/// One that is due often stands only once.
std::vector<client::UpcomingStart> first_of_each(std::vector<client::UpcomingStart> upcoming) {
  std::set<std::pair<std::string, std::string>> seen;
  std::vector<client::UpcomingStart> firsts;
  for (client::UpcomingStart& start : upcoming) {
    if (seen.emplace(start.name_space, start.schedule).second) firsts.push_back(std::move(start));
  }
  return firsts;
}

/// The error of the attempt before the newest.
std::string earlier_error(const client::Run& run) {
  return run.attempts.size() < 2 ? std::string{} : run.attempts[run.attempts.size() - 2].error;
}

/// `████████░░░░░░░░░░░░  42%  17/40 items  4m10s  eta 2m40s  cost 1.84`
std::string items_detail(const client::Run& run, Instant now, const Paint& paint) {
  return fmt::format("{}  for {}", item_progress_text(run, paint, Bar::shown), run_length(run, now));
}

std::string running_detail(const client::Run& run, Instant now, const Paint& paint) {
  if (run.state == "retrying") return fmt::format("{} · waits for attempt {}", printable(run.error), run.attempt + 1);
  std::string text =
      run.items_processed ? items_detail(run, now, paint) : fmt::format("running {}", run_length(run, now));
  if (run.attempt > 1) text += fmt::format("  attempt {}", run.attempt);
  if (const std::string error = earlier_error(run); run.attempt > 1 && !error.empty())
    text += fmt::format(" after {}", printable(error));
  return text;
}

/// The end of the sentence that says why: `waits for a worker`.
std::string waiting_detail(const client::Run& run) {
  const std::size_t last = run.why.rfind("; ");
  return printable(last == std::string::npos ? run.why : run.why.substr(last + 2));
}

WatchRow running_row(const client::Run& run, Instant now, const Paint& paint) {
  return {.kind = WatchRow::Kind::running,
          .schedule = run.schedule,
          .name_space = run.name_space,
          .run = run.id,
          .sign = state_sign(run.state),
          .name = printable(run.schedule.empty() ? run.name : run.schedule),
          .detail = fmt::format("{}  {}", printable(run.id), running_detail(run, now, paint))};
}

/// Runs of one schedule that wait are one row; they come newest first.
void append_waiting(std::vector<WatchRow>& rows, const std::vector<client::Run>& runs) {
  std::vector<std::pair<WatchRow, std::size_t>> groups;
  for (const client::Run& run : runs) {
    const std::string& schedule = run.schedule;
    auto group = std::ranges::find_if(groups, [&](const auto& each) {
      return !schedule.empty() && each.first.schedule == schedule && each.first.name_space == run.name_space;
    });
    if (group == groups.end()) {
      groups.push_back({{.kind = WatchRow::Kind::waiting,
                         .schedule = schedule,
                         .name_space = run.name_space,
                         .run = {},
                         .sign = state_sign("waiting"),
                         .name = printable(run.schedule.empty() ? run.name : run.schedule),
                         .detail = {}},
                        0});
      group = std::prev(groups.end());
    }
    group->first.run = run.id;
    group->first.detail = waiting_detail(run);
    ++group->second;
  }
  for (auto& [row, count] : groups) {
    if (count > 1) row.name += fmt::format(" ×{}", count);
    rows.push_back(std::move(row));
  }
}

WatchRow paused_row(const client::Schedule& schedule) {
  const client::Pause pause = schedule.pause.value_or(client::Pause{});
  return {.kind = WatchRow::Kind::paused,
          .schedule = schedule.id,
          .name_space = schedule.name_space,
          .run = {},
          .sign = schedule_sign(schedule),
          .name = printable(schedule.id),
          .detail = fmt::format("paused by {}{}", printable(pause.by),
                                pause.reason.empty() ? "" : fmt::format(": \"{}\"", printable(pause.reason)))};
}

WatchRow next_row(const client::UpcomingStart& start, const Zone& zone, Instant now) {
  const Instant due = start.due;
  return {.kind = WatchRow::Kind::next,
          .schedule = start.schedule,
          .name_space = start.name_space,
          .run = {},
          .sign = state_sign("planned"),
          .name = printable(start.schedule),
          .detail = fmt::format("{:<10}  {}", due > now ? relative_text(due, now) : "now", time_text(due, zone, now))};
}

WatchRow failed_row(const client::Run& run, const Zone& zone, Instant now) {
  return {.kind = WatchRow::Kind::failed,
          .schedule = run.schedule,
          .name_space = run.name_space,
          .run = run.id,
          .sign = state_sign(run.state),
          .name = printable(run.schedule.empty() ? run.name : run.schedule),
          .detail = fmt::format("{}  {}  {}{}", printable(run.id),
                                run.ended_at ? short_time_text(*run.ended_at, zone, now) : "",
                                run.error.empty() ? printable(run.state) : printable(run.error),
                                run.attempt > 1 ? fmt::format("  attempt {}", run.attempt) : "")};
}

/// A schedule that is neither at work nor about to be.
WatchRow found_row(const client::Schedule& schedule) {
  return {.kind = WatchRow::Kind::found,
          .schedule = schedule.id,
          .name_space = schedule.name_space,
          .run = {},
          .sign = schedule_sign(schedule),
          .name = printable(schedule.id),
          .detail = printable(schedule.status)};
}

}  // namespace

Result<WatchData> read_watch_data(Client& client, Instant now, const std::string& filter) {
  WatchData data;
  data.running = TRY(client.list_runs({{"state", "running,retrying"}}, row_count_max)).items;
  data.waiting = TRY(client.list_runs({{"state", "waiting,queued"}}, row_count_max)).items;
  data.paused = TRY(client.list_schedules({{"status", "paused"}}, row_count_max)).items;
  data.upcoming = first_of_each(TRY(client.upcoming({{"limit", fmt::format("{}", watched_start_max)}})).items);
  const Query failed{{"state", "failed,timed_out,lost"}, {"since", to_text(now - std::chrono::hours{24})}};
  data.failed = TRY(client.list_runs(failed, failed_count_max)).items;
  if (!filter.empty()) data.found = TRY(client.list_schedules({{"q", filter}}, row_count_max)).items;
  return data;
}

std::vector<WatchRow> rows_of(const WatchData& data, const Zone& zone, Instant now, const Paint& paint) {
  std::vector<WatchRow> rows;
  for (const auto& run : data.running) rows.push_back(running_row(run, now, paint));
  append_waiting(rows, data.waiting);
  for (const auto& schedule : data.paused) rows.push_back(paused_row(schedule));
  for (const auto& start : data.upcoming) rows.push_back(next_row(start, zone, now));
  std::set<std::pair<std::string, std::string>> shown;
  for (const WatchRow& row : rows) shown.emplace(row.name_space, row.schedule);
  for (const auto& schedule : data.found)
    if (shown.emplace(schedule.name_space, schedule.id).second) rows.push_back(found_row(schedule));
  return rows;
}

bool has_progress(const WatchData& data) {
  return std::ranges::any_of(data.running, [](const client::Run& run) { return run.progress.has_value(); });
}

std::vector<WatchRow> failure_rows_of(const WatchData& data, const Zone& zone, Instant now) {
  std::vector<WatchRow> rows;
  for (const auto& run : data.failed) rows.push_back(failed_row(run, zone, now));
  return rows;
}

}  // namespace carillon::cli
