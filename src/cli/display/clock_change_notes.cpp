#include "cli/display/clock_change_notes.hpp"

#include "base/civil.hpp"
#include "base/duration_text.hpp"
#include "cli/terminal/local_time.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace carillon::cli {

namespace {

std::string clock_of(WallSecond wall) { return clock_text(wall_time(wall)); }

/// `this day`, or the date when the wall time belongs to another day than the one shown.
std::string day_of(WallSecond wall, Instant nominal, const Zone& zone) {
  const WallTime meant = wall_time(wall);
  return meant.date == wall_time(nominal, zone).date ? "this day" : "on " + date_text(meant);
}

/// Says which zone is spoken of, when the reader looks at another.
std::string zone_suffix(const Zone& zone, const Zone& display) {
  return zone.name() == display.name() ? "" : " in " + zone.name();
}

std::string moved_text(const ClockChange& change, Instant nominal, const Zone& zone, const std::string& suffix) {
  const UtcSecond second = to_utc_second(nominal);
  const Zone::Index index = zone.period_at(second);
  const UtcSecond transition = zone.period(index).begin;
  const std::int64_t offset_before = index == 0 ? 0 : zone.period(index - 1).offset;
  return fmt::format("{} does not exist {}{} (clocks go forward {} → {}); runs once at {} {}", clock_of(change.wall),
                     day_of(change.wall, nominal, zone), suffix, clock_of(transition + offset_before),
                     clock_of(transition + zone.period(index).offset), clock_of(second + zone.offset_at(second)),
                     zone.abbreviation_at(second));
}

std::string twice_text(const ClockChange& change, Instant nominal, const Zone& zone, const std::string& suffix) {
  return fmt::format("{} happens twice {}{}", clock_of(change.wall), day_of(change.wall, nominal, zone), suffix);
}

/// Whether clocks have already shown this wall time when the period of this instant begins.
bool is_second_pass(Instant nominal, WallSecond wall, const Zone& zone) {
  return wall < zone.period(zone.period_at(to_utc_second(nominal))).wall_seen;
}

std::string text_of(const ClockChange& change, Instant nominal, const Zone& zone, const std::string& suffix) {
  switch (change.kind) {
    case ClockChange::Kind::moved: return moved_text(change, nominal, zone, suffix);
    case ClockChange::Kind::first_pass:
      return fmt::format("{}; only the first, {}, counts", twice_text(change, nominal, zone, suffix),
                         zone.abbreviation_at(to_utc_second(nominal)));
    case ClockChange::Kind::both_passes:
      return fmt::format("{}; this is the {}, both count", twice_text(change, nominal, zone, suffix),
                         is_second_pass(nominal, change.wall, zone) ? "second" : "first");
  }
  std::unreachable();
}

/// `1 h`, `30 m`: as in a note, where a blank reads better.
std::string shift_text(std::int64_t seconds) {
  const std::int64_t amount = std::abs(seconds);
  if (amount % 3600 == 0) return fmt::format("{} h", amount / 3600);
  if (amount % 60 == 0) return fmt::format("{} min", amount / 60);
  return to_text(Duration{std::chrono::seconds{amount}});
}

std::int64_t shift_between(UtcSecond before, UtcSecond after, const Zone& zone) {
  return zone.offset_at(after) - zone.offset_at(before);
}

/// Which way clocks went in the course of time, also when the lines go back in it.
std::string direction_text(std::int64_t shift, UtcSecond before, UtcSecond after) {
  const bool is_forward = (shift > 0) == (after > before);
  return fmt::format("clocks go {} by {} in between", is_forward ? "forward" : "back", shift_text(shift));
}

bool same_time_of_day(std::int64_t a, std::int64_t b) { return (a - b) % seconds_per_day == 0; }

}  // namespace

std::optional<OccurrenceNote> clock_change_note(const Timetable& timetable, Instant nominal, const Zone& display) {
  const auto change = timetable.clock_change(nominal);
  if (!change) return std::nullopt;
  const Zone& zone = timetable.zone();
  return OccurrenceNote{.is_warning = true, .text = text_of(*change, nominal, zone, zone_suffix(zone, display))};
}

std::optional<OccurrenceNote> shift_note(Instant above, Instant nominal, const Zone& zone, const Zone& display) {
  const UtcSecond before = to_utc_second(above);
  const UtcSecond after = to_utc_second(nominal);
  // A change in the zone of the spec is why local times elsewhere move.
  const std::int64_t zone_shift = shift_between(before, after, zone);
  if (zone_shift != 0 && zone.name() != display.name()) {
    return OccurrenceNote{.text = direction_text(zone_shift, before, after) + zone_suffix(zone, display)};
  }
  const std::int64_t shift = shift_between(before, after, display);
  if (shift == 0) return std::nullopt;
  if (same_time_of_day(before, after + shift)) {
    return OccurrenceNote{.text = fmt::format("UTC shifts by {}", shift_text(shift))};
  }
  if (same_time_of_day(before, after))
    return OccurrenceNote{.text = fmt::format("local time shifts by {}", shift_text(shift))};
  return OccurrenceNote{.text = direction_text(shift, before, after)};
}

}  // namespace carillon::cli
