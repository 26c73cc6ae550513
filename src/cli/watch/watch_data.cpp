#include "cli/watch/watch_data.hpp"

#include "cli/connection/json_view.hpp"
#include "cli/connection/request_scope.hpp"
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
constexpr std::size_t upcoming_count_max = 500;

/// One that is due often stands only once.
boost::json::array first_of_each(const boost::json::array& upcoming) {
  std::set<std::pair<std::string, std::string>> seen;
  boost::json::array firsts;
  for (const auto& item : upcoming) {
    const JsonView start{item};
    if (seen.emplace(start.text("namespace"), start.text("schedule")).second) firsts.push_back(item);
  }
  return firsts;
}

/// The error of the attempt before the newest.
std::string earlier_error(const JsonView& run) {
  const auto& attempts = run.items("attempts");
  return attempts.size() < 2 ? std::string{} : JsonView{attempts[attempts.size() - 2]}.text("error");
}

std::string running_detail(const JsonView& run, Instant now) {
  const std::int64_t attempt = run.number("attempt").value_or(1);
  if (run.text("state") == "retrying")
    return fmt::format("{} · waits for try {}", printable(run.text("error")), attempt + 1);
  std::string text = fmt::format("running {}", run_length(run, now));
  if (attempt > 1) text += fmt::format("  try {}", attempt);
  if (const std::string error = earlier_error(run); attempt > 1 && !error.empty())
    text += fmt::format(" after {}", printable(error));
  return text;
}

/// The end of the sentence that says why: `waits for a worker`.
std::string waiting_detail(const JsonView& run) {
  const std::string why = run.text("why");
  const std::size_t last = why.rfind("; ");
  return printable(last == std::string::npos ? why : why.substr(last + 2));
}

WatchRow running_row(const JsonView& run, Instant now) {
  const std::string schedule = run.text("schedule");
  return {.kind = WatchRow::Kind::running,
          .schedule = schedule,
          .name_space = run.text("namespace"),
          .run = run.text("id"),
          .sign = state_sign(run.text("state")),
          .name = printable(schedule.empty() ? run.text("name") : schedule),
          .detail = fmt::format("{}  {}", printable(run.text("id")), running_detail(run, now))};
}

/// Runs of one schedule that wait are one row; they come newest first.
void append_waiting(std::vector<WatchRow>& rows, const boost::json::array& runs) {
  std::vector<std::pair<WatchRow, std::size_t>> groups;
  for (const auto& document : runs) {
    const JsonView run{document};
    const std::string schedule = run.text("schedule");
    auto group = std::ranges::find_if(groups, [&](const auto& each) {
      return !schedule.empty() && each.first.schedule == schedule && each.first.name_space == run.text("namespace");
    });
    if (group == groups.end()) {
      groups.push_back({{.kind = WatchRow::Kind::waiting,
                         .schedule = schedule,
                         .name_space = run.text("namespace"),
                         .run = {},
                         .sign = state_sign("waiting"),
                         .name = printable(schedule.empty() ? run.text("name") : schedule),
                         .detail = {}},
                        0});
      group = std::prev(groups.end());
    }
    group->first.run = run.text("id");
    group->first.detail = waiting_detail(run);
    ++group->second;
  }
  for (auto& [row, count] : groups) {
    if (count > 1) row.name += fmt::format(" ×{}", count);
    rows.push_back(std::move(row));
  }
}

WatchRow paused_row(const JsonView& schedule) {
  const JsonView pause = schedule["pause"];
  const std::string reason = pause.text("reason");
  return {.kind = WatchRow::Kind::paused,
          .schedule = schedule.text("id"),
          .name_space = schedule.text("namespace"),
          .run = {},
          .sign = schedule_sign(schedule),
          .name = printable(schedule.text("id")),
          .detail = fmt::format("paused by {}{}", printable(pause.text("by")),
                                reason.empty() ? "" : fmt::format(": \"{}\"", printable(reason)))};
}

WatchRow next_row(const JsonView& start, const Zone& zone, Instant now) {
  const Instant due = start.instant("due").value_or(now);
  return {.kind = WatchRow::Kind::next,
          .schedule = start.text("schedule"),
          .name_space = start.text("namespace"),
          .run = {},
          .sign = state_sign("planned"),
          .name = printable(start.text("schedule")),
          .detail = fmt::format("{:<10}  {}", due > now ? relative_text(due, now) : "now", time_text(due, zone, now))};
}

}  // namespace

Result<WatchData> read_watch_data(Client& client, Instant now) {
  WatchData data;
  data.system = TRY(client.get("/system", server_wide())).body;
  data.running = TRY(client.list("/runs", {{"state", "running,retrying"}}, row_count_max)).items;
  data.waiting = TRY(client.list("/runs", {{"state", "waiting,queued"}}, row_count_max)).items;
  data.paused = TRY(client.list("/schedules", {{"status", "paused"}}, row_count_max)).items;
  const ApiAnswer upcoming = TRY(client.get("/upcoming", {{"limit", fmt::format("{}", upcoming_count_max)}}));
  data.upcoming = first_of_each(JsonView{upcoming.body}.items("items"));
  const Query failed{{"state", "failed,timed_out,lost"}, {"since", to_text(now - std::chrono::hours{24})}};
  data.failed_count = TRY(client.list("/runs", failed, failed_count_max)).items.size();
  return data;
}

std::vector<WatchRow> rows_of(const WatchData& data, const Zone& zone, Instant now) {
  std::vector<WatchRow> rows;
  for (const auto& run : data.running) rows.push_back(running_row(JsonView{run}, now));
  append_waiting(rows, data.waiting);
  for (const auto& schedule : data.paused) rows.push_back(paused_row(JsonView{schedule}));
  for (const auto& start : data.upcoming) rows.push_back(next_row(JsonView{start}, zone, now));
  return rows;
}

}  // namespace carillon::cli
