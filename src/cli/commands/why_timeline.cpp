#include "cli/commands/why_timeline.hpp"

#include "cli/commands/reasons.hpp"
#include "cli/display/run_display.hpp"
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

void add_changes(Timeline& timeline, const std::vector<client::ScheduleChange>& changes) {
  const std::size_t first = changes.size() - std::min(changes.size(), change_count_max);
  for (std::size_t i = first; i < changes.size(); ++i) {
    const client::ScheduleChange& change = changes[i];
    timeline.add(change.at, printable(fmt::format(
                                "{}{}{} (revision {})", change.kind, change.by.empty() ? "" : " by " + change.by,
                                change.reason.empty() ? "" : fmt::format(": \"{}\"", change.reason), change.revision)));
  }
}

void add_outages(Timeline& timeline, const std::vector<client::Outage>& outages) {
  for (const client::Outage& outage : outages) {
    timeline.add(outage.from, std::string{outage_words(outage.cause)});
    timeline.add(outage.to, "server running again");
  }
}

std::string named(const client::Run& run) { return fmt::format("{} ({})", printable(run.id), source_text(run)); }

/// Runs of the schedule that had begun and not ended when it was decided. Returns them in words.
std::string add_active_runs(Timeline& timeline, Client& client, const client::Schedule& schedule, Instant decided) {
  const auto runs =
      client.list_runs_of(schedule.id, schedule.name_space, {{"until", to_text(decided + Duration{1})}}, run_count_max);
  std::string words;
  if (!runs) return words;
  for (const client::Run& run : runs->items) {
    const auto started = run.started_at;
    const auto ended = run.ended_at;
    if (!started || *started > decided || (ended && *ended <= decided)) continue;
    timeline.add(started, named(run) + " started");
    if (ended) timeline.add(ended, fmt::format("{} ended: {}", printable(run.id), run.state));
    const auto length = std::chrono::duration_cast<std::chrono::milliseconds>(decided - *started).count();
    words += fmt::format(" · {} running for {}", printable(run.id), length_text(length));
  }
  return words;
}

void add_attempts(Timeline& timeline, const client::Run& run) {
  for (const client::Attempt& attempt : run.attempts) {
    timeline.add(attempt.launched_at, fmt::format("attempt {} started", attempt.number));
    timeline.add(attempt.ended_at, printable(fmt::format("attempt {} ended: {}{}", attempt.number, attempt.state,
                                                         attempt.error.empty() ? "" : ", " + attempt.error)));
  }
}

}  // namespace

bool holds_back(const client::Schedule& schedule, Instant at) {
  if (schedule.status == "active") return false;
  const bool is_over_by_then = schedule.pause && schedule.pause->until && *schedule.pause->until <= at;
  return schedule.status != "paused" || !is_over_by_then;
}

std::string why_timeline(Client& client, const client::Schedule& schedule, const client::Why& why,
                         const client::Run* run, Instant at, const Zone& zone, Session& session) {
  Timeline timeline{at, zone, session.now};
  add_changes(timeline, why.changes);
  add_outages(timeline, why.outages);
  if (!why.occurrence) return timeline.text(session.paint);
  const client::Occurrence& occurrence = *why.occurrence;
  const bool is_by_overlap = occurrence.reason == "overlap";
  const std::string active = is_by_overlap && occurrence.decided_at
                                 ? add_active_runs(timeline, client, schedule, *occurrence.decided_at)
                                 : std::string{};
  const std::string policy =
      is_by_overlap ? fmt::format(" · overlap {}", printable(schedule.policies.overlap)) : std::string{};
  const bool is_held_back = occurrence.outcome == "planned" && holds_back(schedule, at);
  timeline.add(
      occurrence.due.value_or(at),
      fmt::format("due{}{} → {}", policy, active, is_held_back ? "will not start" : printable(occurrence.outcome)));
  if (run != nullptr) add_attempts(timeline, *run);
  return timeline.text(session.paint);
}

}  // namespace carillon::cli
