#include "oracle/spec_generator.hpp"

#include "oracle/clock.hpp"
#include "oracle/field_generator.hpp"
#include "oracle/spec_json.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <ostream>
#include <utility>

namespace carillon::oracle {
namespace {

using std::chrono::seconds;

constexpr Instant moment_min{std::chrono::sys_days{std::chrono::year{1970} / 1 / 1}};
constexpr Instant moment_max{std::chrono::sys_days{std::chrono::year{2100} / 1 / 1}};
constexpr int day_seconds = 86400;

const std::vector<std::string> notable_zones{
    "America/New_York",  "Australia/Lord_Howe", "Antarctica/Troll",  "Pacific/Apia",    "Pacific/Kwajalein",
    "Africa/Casablanca", "Asia/Gaza",           "America/Sao_Paulo", "Asia/Kathmandu",  "Asia/Pyongyang",
    "America/Caracas",   "America/Santiago",    "Europe/Dublin",     "Africa/Monrovia", "Europe/Berlin"};

std::string pick_zone(const std::vector<std::string>& names) {
  if (pick_chance(5)) return "UTC";
  if (pick_chance(70)) return *rc::gen::elementOf(names);
  const std::string notable = *rc::gen::elementOf(notable_zones);
  return std::find(names.begin(), names.end(), notable) == names.end() ? "UTC" : notable;
}

Duration pick_distance(int seconds_max) { return seconds{pick_between(-seconds_max, seconds_max)}; }

Duration pick_distance_from_transition() {
  switch (pick_between(0, 4)) {
    case 0: return Duration{0};
    case 1: return pick_distance(1);
    case 2: return pick_distance(3 * 3600);
    case 3: return std::chrono::minutes{pick_between(-180, 180)};
    default: return pick_distance(4 * day_seconds);
  }
}

Duration pick_fraction() { return Duration{pick_chance(10) ? pick_between(1, 999'999) : 0}; }

Instant pick_plain_moment() {
  const auto days = std::chrono::duration_cast<std::chrono::days>(moment_max - moment_min).count();
  return moment_min + std::chrono::days{pick_between(0, static_cast<int>(days))} +
         seconds{pick_between(0, day_seconds - 1)};
}

Instant pick_moment(const std::string& zone) {
  const std::vector<Second> transitions = clock_of(zone).transitions(0, 4'102'444'800);
  if (transitions.empty() || pick_chance(15)) return pick_plain_moment() + pick_fraction();
  return Instant{seconds{*rc::gen::elementOf(transitions)}} + pick_distance_from_transition() + pick_fraction();
}

Focus focus_on(const std::string& zone, Instant moment) {
  const Clock& clock = clock_of(zone);
  // An hour or so off, because a clock change shows up before or after the moment.
  const auto near = std::chrono::floor<seconds>(moment) + seconds{pick_between(-3600, 3600)};
  const absl::CivilSecond wall = civil(clock.wall_at(near.time_since_epoch().count()));
  return {.hour = wall.hour(),
          .day_of_month = wall.day(),
          .month = wall.month(),
          .day_of_week = (static_cast<int>(absl::GetWeekday(wall)) + 1) % 7,
          .year = static_cast<int>(wall.year())};
}

std::string pick_cron(const Focus& focus) {
  if (pick_chance(3)) {
    return *rc::gen::element<std::string>("@yearly", "@annually", "@monthly", "@Weekly", "@daily", "@MIDNIGHT",
                                          "@hourly");
  }
  const std::string space = pick_chance(95) ? " " : *rc::gen::element<std::string>("  ", "\t", " \t ");
  std::string text = pick_chance(3) ? " " : "";
  if (pick_chance(20)) text += pick_field_text(FieldKind::second, focus) + space;
  for (const FieldKind kind : {FieldKind::minute, FieldKind::hour, FieldKind::day_of_month, FieldKind::month}) {
    text += pick_field_text(kind, focus) + space;
  }
  text += pick_field_text(FieldKind::day_of_week, focus);
  return pick_chance(3) ? text + " " : text;
}

Calendar pick_calendar(const Focus& focus) {
  Calendar calendar;
  if (pick_chance(15)) calendar.second = pick_calendar_field(FieldKind::second, focus);
  if (pick_chance(70)) calendar.minute = pick_calendar_field(FieldKind::minute, focus);
  if (pick_chance(80)) calendar.hour = pick_calendar_field(FieldKind::hour, focus);
  if (pick_chance(35)) calendar.day_of_month = pick_calendar_field(FieldKind::day_of_month, focus);
  if (pick_chance(25)) calendar.month = pick_calendar_field(FieldKind::month, focus);
  if (pick_chance(35)) calendar.day_of_week = pick_calendar_field(FieldKind::day_of_week, focus);
  if (pick_chance(15)) calendar.year = pick_calendar_field(FieldKind::year, focus);
  return calendar;
}

Calendar pick_exclusion(const Focus& focus) {
  Calendar excluded = Calendar::any();
  switch (pick_between(0, 6)) {
    case 0: excluded.day_of_week = pick_calendar_field(FieldKind::day_of_week, focus); break;
    case 1: excluded.day_of_month = pick_calendar_field(FieldKind::day_of_month, focus); break;
    case 2: excluded.hour = pick_calendar_field(FieldKind::hour, focus); break;
    case 3: excluded.minute = pick_calendar_field(FieldKind::minute, focus); break;
    case 4:
      excluded.month = pick_calendar_field(FieldKind::month, focus);
      excluded.day_of_month = pick_calendar_field(FieldKind::day_of_month, focus);
      break;
    case 5:
      excluded.hour = pick_calendar_field(FieldKind::hour, focus);
      excluded.minute = pick_calendar_field(FieldKind::minute, focus);
      excluded.day_of_week = pick_calendar_field(FieldKind::day_of_week, focus);
      break;
    default: excluded.year = pick_calendar_field(FieldKind::year, focus); break;
  }
  // Excluding everything is worth a question now and then only.
  if (excluded == Calendar::any() && pick_chance(95)) excluded.hour = std::to_string(focus.hour);
  return excluded;
}

int pick_interval_length() {
  switch (pick_between(0, 3)) {
    case 0: return pick_between(1, 90);
    case 1: return 60 * pick_between(1, 180);
    case 2: return 3600 * pick_between(1, 72);
    default: return pick_between(1, 30 * day_seconds);
  }
}

Interval pick_interval(bool has_start) {
  const int every = pick_interval_length();
  const Anchor anchor = *rc::gen::weightedElement<Anchor>(
      {{45, Anchor::creation}, {40, Anchor::epoch}, {has_start ? 15U : 0U, Anchor::start}});
  return {
      .every = seconds{every}, .offset = seconds{pick_chance(50) ? 0 : pick_between(0, every - 1)}, .anchor = anchor};
}

Instant pick_whole_second_near(Instant moment, int seconds_max) {
  return std::chrono::floor<seconds>(moment) + pick_distance(seconds_max);
}

void pick_bounds(Spec& spec, Instant moment) {
  if (pick_chance(15)) spec.start_at = pick_whole_second_near(moment, 10 * day_seconds);
  if (pick_chance(15)) {
    const Instant end = pick_whole_second_near(moment, 10 * day_seconds);
    if (!spec.start_at || end > *spec.start_at) spec.end_at = end;
  }
}

void pick_source(Spec& spec, Instant moment, const Focus& focus) {
  switch (*rc::gen::weightedElement<int>({{60, 0}, {25, 1}, {10, 2}, {5, 3}})) {
    case 0: spec.crons.push_back(pick_cron(focus)); break;
    case 1: spec.calendars.push_back(pick_calendar(focus)); break;
    case 2: spec.intervals.push_back(pick_interval(spec.start_at.has_value())); break;
    default: spec.times.push_back(pick_whole_second_near(moment, 3 * day_seconds)); break;
  }
}

Spec pick_spec(const std::string& zone, Instant moment) {
  Spec spec;
  spec.timezone = zone;
  pick_bounds(spec, moment);
  const Focus focus = focus_on(zone, moment);
  const int sources = *rc::gen::weightedElement<int>({{70, 1}, {20, 2}, {10, 3}});
  for (int i = 0; i < sources; ++i) pick_source(spec, moment, focus);
  const int exclusions = *rc::gen::weightedElement<int>({{75, 0}, {18, 1}, {7, 2}});
  for (int i = 0; i < exclusions; ++i) spec.exclude.push_back(pick_exclusion(focus));
  if (pick_chance(20)) spec.dst = DstPolicy::literal;
  return spec;
}

}  // namespace

void showValue(const Situation& situation, std::ostream& out) {
  out << boost::json::serialize(json_of_spec(situation.spec)) << "\nat " << to_text(situation.moment) << ", created "
      << to_text(situation.creation);
}

rc::Gen<Situation> situations(std::vector<std::string> zone_names) {
  // At nominal size throughout: a small situation is not a simple one here.
  return rc::gen::resize(rc::kNominalSize, rc::gen::exec([names = std::move(zone_names)] {
                           const std::string zone = pick_zone(names);
                           const Instant moment = pick_moment(zone);
                           const Instant creation =
                               moment - seconds{pick_between(0, 40 * day_seconds)} + pick_fraction();
                           return Situation{.spec = pick_spec(zone, moment), .creation = creation, .moment = moment};
                         }));
}

rc::Gen<std::string> cron_texts() {
  const Focus focus{.hour = 1, .day_of_month = 31, .month = 2, .day_of_week = 0, .year = 2028};
  return rc::gen::resize(rc::kNominalSize, rc::gen::exec([focus] { return pick_cron(focus); }));
}

}  // namespace carillon::oracle
