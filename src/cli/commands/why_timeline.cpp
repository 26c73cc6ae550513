#include "cli/commands/why_timeline.hpp"

#include "cli/commands/reasons.hpp"
#include "cli/connection/request_scope.hpp"
#include "cli/connection/run_lookup.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/local_time.hpp"
#include "cli/terminal/printable.hpp"
#include "cli/terminal/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

namespace carillon::cli {

namespace {

constexpr std::size_t change_count_max = 3;
constexpr std::size_t run_count_max = 50;  // that are looked through for those that were active

class Timeline {
 public:
  Timeline(Instant at, const Zone& zone, Instant now) : at_{at}, zone_{zone}, now_{now} {}

  void add(std::optional<Instant> when, std::string text) {
    if (when) entries_.emplace(*when, std::move(text));
  }

  /// Times of the day in question have no date.
  [[nodiscard]] std::string text(const Paint& paint) {
    Table table;
    for (const auto& [at, entry] : entries_) table.add({{.text = when(at)}, {.text = entry}});
    return table.text(paint, "  ", "  ");
  }

 private:
  [[nodiscard]] std::string when(Instant instant) const {
    const WallTime wall = wall_time(instant, zone_);
    const std::string clock = fmt::format("{:02}:{:02}:{:02}", wall.hour, wall.minute, wall.second);
    if (wall.date == wall_time(at_, zone_).date) return clock;
    const bool is_this_year = wall.date.year == wall_time(now_, zone_).date.year;
    return fmt::format("{}{} {}", date_text(wall), is_this_year ? "" : fmt::format(" {}", wall.date.year), clock);
  }

  Instant at_;
  const Zone& zone_;
  Instant now_;
  std::multimap<Instant, std::string> entries_;  // those of one time in the order they came
};

void add_changes(Timeline& timeline, const JsonView& why) {
  const auto& changes = why.items("changes");
  const std::size_t first = changes.size() - std::min(changes.size(), change_count_max);
  for (std::size_t i = first; i < changes.size(); ++i) {
    const JsonView change{changes[i]};
    const std::string by = change.text("by");
    timeline.add(change.instant("at"),
                 printable(fmt::format("{}{} (revision {})", change.text("kind"), by.empty() ? "" : " by " + by,
                                       change.number("revision").value_or(0))));
  }
}

void add_outages(Timeline& timeline, const JsonView& why) {
  for (const auto& item : why.items("outages")) {
    const JsonView outage{item};
    timeline.add(outage.instant("from"), std::string{outage_words(outage.text("cause"))});
    timeline.add(outage.instant("to"), "a server decides again");
  }
}

std::string named(const JsonView& run) {
  return fmt::format("{} ({})", printable(run.text("id")), printable(source_words(run.text("source"))));
}

/// Runs of the schedule that had begun and not ended when it was decided. Returns them in words.
std::string add_active_runs(Timeline& timeline, Client& client, const JsonView& schedule, Instant decided) {
  Query query = namespace_of(schedule);
  query.emplace_back("until", to_text(decided + Duration{1}));
  const auto runs =
      client.list(fmt::format("/schedules/{}/runs", path_part(schedule.text("id"))), query, run_count_max);
  std::string words;
  if (!runs) return words;
  for (const auto& item : runs->items) {
    const JsonView run{item};
    const auto started = run.instant("startedAt");
    const auto ended = run.instant("endedAt");
    if (!started || *started > decided || (ended && *ended <= decided)) continue;
    timeline.add(started, named(run) + " started");
    if (ended) timeline.add(ended, fmt::format("{} ended: {}", printable(run.text("id")), run.text("state")));
    const auto length = std::chrono::duration_cast<std::chrono::milliseconds>(decided - *started).count();
    words += fmt::format(" · {} running for {}", printable(run.text("id")), length_text(length));
  }
  return words;
}

void add_attempts(Timeline& timeline, Client& client, const JsonView& schedule, const std::string& id) {
  const auto answer = client.get("/runs/" + path_part(id), namespace_of(schedule));
  if (!answer) return;
  for (const auto& item : JsonView{answer->body}.items("attempts")) {
    const JsonView attempt{item};
    const std::int64_t number = attempt.number("attempt").value_or(0);
    timeline.add(attempt.instant("launchedAt"), fmt::format("try {} started", number));
    const std::string error = attempt.text("error");
    timeline.add(attempt.instant("endedAt"), printable(fmt::format("try {} ended: {}{}", number, attempt.text("state"),
                                                                   error.empty() ? "" : ", " + error)));
  }
}

}  // namespace

std::string why_timeline(Client& client, const JsonView& schedule, const JsonView& why, Instant at, const Zone& zone,
                         Session& session) {
  Timeline timeline{at, zone, session.now};
  add_changes(timeline, why);
  add_outages(timeline, why);
  const JsonView occurrence = why["occurrence"];
  const std::string outcome = occurrence.text("outcome");
  if (occurrence.is_there()) {
    const auto due = occurrence.instant("due").value_or(at);
    const bool is_by_overlap = occurrence.text("reason") == "overlap";
    const auto decided = occurrence.instant("decidedAt");
    const std::string active =
        is_by_overlap && decided ? add_active_runs(timeline, client, schedule, *decided) : std::string{};
    const std::string policy =
        is_by_overlap ? fmt::format(" · overlap {}", printable(schedule["policies"].text("overlap"))) : "";
    timeline.add(due, fmt::format("due{}{} → {}", policy, active, printable(outcome)));
  }
  if (const std::string run = occurrence.text("run"); !run.empty()) add_attempts(timeline, client, schedule, run);
  return timeline.text(session.paint);
}

}  // namespace carillon::cli
