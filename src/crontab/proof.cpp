#include "crontab/proof.hpp"

#include "base/civil.hpp"
#include "calendar/local_text.hpp"
#include "calendar/spec_document.hpp"
#include "calendar/timetable.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <limits>
#include <map>

namespace carillon {
namespace {

constexpr auto length_max = std::chrono::days{366 * proof_years_max};

UtcSecond ceil_second(Instant instant) {
  return std::chrono::ceil<std::chrono::seconds>(instant).time_since_epoch().count();
}

Instant to_instant(UtcSecond second) { return Instant{std::chrono::seconds{second}}; }

std::string time_text(WallSecond wall) {
  const std::int64_t minute = floor_divide(wall, 60) - floor_divide(wall, seconds_per_day) * (seconds_per_day / 60);
  return fmt::format("{:02}:{:02}", minute / 60, minute % 60);
}

std::string why_after_gap(StartDifference::Side side, std::int64_t gap, const CronTimes& times) {
  if (side == StartDifference::Side::only_ours) return "cron does not catch up after a jump of three hours or more";
  if (times.is_wildcard() && gap < small_jump_minutes * 60)
    return "cron catches up after such a short jump even for a line with a *";
  return "cron starts the line once for each of its times that were skipped, carillon once for all of them";
}

/// A difference comes with a clock change, or there is a mistake in one of the two readings.
std::string why(StartDifference::Side side, UtcSecond at, const CronTimes& times, const Zone& zone) {
  const Zone::Index index = zone.period_at(at);
  const Zone::Period& period = zone.period(index);
  if (index == 0) return "no clock change explains it";
  const WallSecond before = zone.period(index - 1).wall_end();
  const WallSecond after = period.wall_begin();
  const std::string jump = fmt::format("clocks go from {} to {}", time_text(before), time_text(after));
  if (after > before && at - period.begin < 60)
    return fmt::format("{}: {}", jump, why_after_gap(side, after - before, times));
  if (after < before && at + period.offset < period.wall_seen && side == StartDifference::Side::only_cron)
    return fmt::format("{}: cron takes so large a jump for a correction and starts again what the clock repeats", jump);
  if (at - period.begin < seconds_per_day) return fmt::format("{} shortly before", jump);
  return "no clock change explains it";
}

/// Compares two ascending lists, in which instants may repeat.
class Comparison {
 public:
  Comparison(const CronTimes& times, const Zone& zone, Proof& proof) : times_{times}, zone_{zone}, proof_{proof} {}

  void compare(std::span<const UtcSecond> cron, std::span<const Instant> ours) {
    proof_.count_cron = cron.size();
    proof_.count_ours = ours.size();
    constexpr UtcSecond never = std::numeric_limits<UtcSecond>::max();
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < cron.size() || j < ours.size()) {
      const UtcSecond theirs = i < cron.size() ? cron[i] : never;
      const UtcSecond own = j < ours.size() ? to_utc_second(ours[j]) : never;
      if (theirs < own) note(StartDifference::Side::only_cron, theirs);
      if (own < theirs) note(StartDifference::Side::only_ours, own);
      if (theirs <= own) ++i;
      if (own <= theirs) ++j;
    }
  }

 private:
  void note(StartDifference::Side side, UtcSecond at) {
    if (++proof_.difference_count > proof_differences_max) return;
    proof_.differences.push_back({.side = side,
                                  .at = to_instant(at),
                                  .local = local_text(to_instant(at), zone_),
                                  .why = why(side, at, times_, zone_)});
  }

  const CronTimes& times_;
  const Zone& zone_;
  Proof& proof_;
};

Result<Proof> prove_one(const ImportedSchedule& schedule, Instant from, Instant to, ZoneSource& zones) {
  const Spec& spec = schedule.document.spec;
  const ZonePtr zone = TRY(zones.zone(spec.timezone));
  const Timetable timetable = TRY(Timetable::make(spec, zone, from));
  const std::vector<Instant> ours = timetable.occurrences(from, to, std::numeric_limits<std::size_t>::max());
  const std::vector<UtcSecond> cron =
      cron_starts(schedule.times, *zone, schedule.clock, ceil_second(from), ceil_second(to));
  Proof proof{.line = 0};
  Comparison{schedule.times, *zone, proof}.compare(cron, ours);
  return proof;
}

/// Lines of equal times have equal proofs, and crontabs are full of them.
std::string key_of(const ImportedSchedule& schedule) {
  const CronTimes& times = schedule.times;
  return fmt::format("{} {} {} {} {} {}{}{}{}{} {}", times.minutes, times.hours, times.days_of_month, times.months,
                     times.weekdays, times.has_minute_star, times.has_hour_star, times.has_day_of_month_star,
                     times.has_weekday_star, schedule.clock == CronClock::line,
                     boost::json::serialize(write_spec(schedule.document.spec)));
}

}  // namespace

Result<std::vector<Proof>> prove(std::span<const ImportedLine> lines, Instant from, Instant to, ZoneSource& zones) {
  if (to - from > length_max)
    return fail(ErrorCode::invalid_argument, "{} to {} is more than {} years", to_text(from), to_text(to),
                proof_years_max);
  std::map<std::string, Proof> known;
  std::vector<Proof> proofs;
  for (const ImportedLine& line : lines) {
    if (!line.schedule) continue;
    const std::string key = key_of(*line.schedule);
    auto found = known.find(key);
    if (found == known.end()) {
      Proof proof = TRY(while_doing(prove_one(*line.schedule, from, to, zones), "comparing line {}", line.number));
      found = known.emplace(key, std::move(proof)).first;
    }
    proofs.push_back(found->second);
    proofs.back().line = line.number;
  }
  return proofs;
}

}  // namespace carillon
