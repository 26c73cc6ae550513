#include "cli/display/clock_notice.hpp"

#include "calendar/spec_document.hpp"
#include "calendar/timetable.hpp"
#include "cli/display/clock_change_notes.hpp"
#include "cli/display/schedule_display.hpp"
#include "cli/terminal/local_time.hpp"

#include <fmt/format.h>

namespace carillon::cli {

namespace {

constexpr auto horizon = std::chrono::days{7};
/// Clock changes touch what lies within hours of them.
constexpr auto neighbourhood = std::chrono::hours{25};
constexpr std::size_t neighbour_count_max = 500;

struct Transition {
  Instant at;
  std::int64_t offset_before;
  std::int64_t offset_after;
};

std::optional<Transition> next_transition(const Zone& zone, Instant now) {
  const Zone::Index index = zone.period_at(to_utc_second(now));
  if (index + 1 >= zone.period_count()) return std::nullopt;
  const Instant at{std::chrono::seconds{zone.period(index).end}};
  if (at > now + horizon) return std::nullopt;
  return Transition{
      .at = at, .offset_before = zone.period(index).offset, .offset_after = zone.period(index + 1).offset};
}

std::string head_of(const Transition& change) {
  const WallTime wall = wall_time(to_utc_second(change.at) + change.offset_before);
  std::string date = date_text(wall);
  if (const std::size_t gap = date.find("  "); gap != std::string::npos) date.erase(gap, 1);
  return fmt::format("{} {} clocks go {}", date, clock_text(wall),
                     change.offset_after > change.offset_before ? "forward" : "back");
}

/// An occurrence whose wall time is skipped or shown twice.
std::optional<std::string> touched(const Timetable& timetable, const Transition& change) {
  for (const Instant nominal :
       timetable.occurrences(change.at - neighbourhood, change.at + neighbourhood, neighbour_count_max)) {
    if (const auto note = clock_change_note(timetable, nominal, timetable.zone()))
      return fmt::format("{}: {}", head_of(change), note->text);
  }
  return std::nullopt;
}

std::string utc_clock(Instant instant) { return clock_text(wall_time(to_utc_second(instant))) + "Z"; }

/// A time of day that stays, so that it moves for everybody elsewhere.
std::optional<std::string> moved_in_utc(const Timetable& timetable, const Transition& change) {
  const auto before = timetable.previous(change.at);
  const auto after = timetable.next(change.at - Duration{1});
  if (!before || !after || *before < change.at - horizon || *after > change.at + horizon) return std::nullopt;
  const auto shift = std::chrono::seconds{change.offset_after - change.offset_before};
  if ((*after - *before + shift) % std::chrono::days{1} != Duration{}) return std::nullopt;
  return fmt::format("{}: local time stays {}, UTC moves {} → {}", head_of(change),
                     clock_text(wall_time(*before, timetable.zone())), utc_clock(*before), utc_clock(*after));
}

}  // namespace

std::optional<ClockNotice> clock_notice(const client::Schedule& schedule, Session& session) {
  if (schedule.status != "active") return std::nullopt;
  const ZonePtr zone = zone_of(schedule, session);
  const auto change = next_transition(*zone, session.now);
  if (!change) return std::nullopt;
  const auto spec = read_spec(schedule.spec.document, "UTC", "");
  if (!spec || spec->timezone != zone->name()) return std::nullopt;
  const auto timetable = Timetable::make(*spec, zone, schedule.created_at);
  if (!timetable) return std::nullopt;
  auto text = touched(*timetable, *change);
  if (!text) text = moved_in_utc(*timetable, *change);
  if (!text) return std::nullopt;
  const WallTime wall = wall_time(to_utc_second(change->at) + change->offset_before);
  return ClockNotice{.day = std::string{short_weekday(wall.weekday)}, .text = *std::move(text)};
}

}  // namespace carillon::cli
