#include "calendar/timetable.hpp"

#include "calendar/calendar_rule.hpp"
#include "calendar/cron.hpp"
#include "calendar/sources.hpp"
#include "calendar/walk.hpp"

#include <farmhash.h>

#include <algorithm>
#include <array>
#include <utility>

namespace carillon {
namespace {

Result<WallSource> compile_cron(const std::string& text, DstPolicy dst) {
  const Cron cron = TRY(parse_cron(text));
  return WallSource{.rule = cron.rule, .follows_clock = dst == DstPolicy::literal || cron.is_wildcard()};
}

Result<WallSource> compile_source(const Calendar& calendar, DstPolicy dst) {
  const CalendarRule compiled = TRY(compile_calendar(calendar));
  return WallSource{.rule = compiled.rule, .follows_clock = dst == DstPolicy::literal || compiled.is_wildcard};
}

Result<UtcSecond> anchor_of(const Interval& interval, const Spec& spec, Instant creation) {
  switch (interval.anchor) {
    case Anchor::creation: return floor_second(creation);
    case Anchor::epoch: return 0;
    case Anchor::start:
      if (!spec.start_at)
        return fail(ErrorCode::invalid_argument, "an interval is anchored at the start, but startAt is not given");
      return ceil_second(*spec.start_at);
  }
  std::unreachable();
}

Result<IntervalSource> compile_interval(const Interval& interval, const Spec& spec, Instant creation) {
  const auto every = std::chrono::floor<std::chrono::seconds>(interval.every);
  if (every.count() < 1) return fail(ErrorCode::invalid_argument, "an interval is below 1s");
  const UtcSecond anchor = TRY(anchor_of(interval, spec, creation));
  return IntervalSource{.anchor = anchor + std::chrono::floor<std::chrono::seconds>(interval.offset).count(),
                        .every = every.count()};
}

Result<Sources> compile(const Spec& spec, ZonePtr zone, Instant creation) {
  Sources sources;
  sources.zone = std::move(zone);
  for (const std::string& cron : spec.crons) sources.walls.push_back(TRY(compile_cron(cron, spec.dst)));
  for (const Calendar& calendar : spec.calendars) sources.walls.push_back(TRY(compile_source(calendar, spec.dst)));
  if (sources.walls.size() > spec_rules_max || spec.intervals.size() > spec_rules_max) {
    return fail(ErrorCode::invalid_argument, "a spec has at most {} crons and calendars, and as many intervals",
                spec_rules_max);
  }
  for (const Interval& interval : spec.intervals)
    sources.intervals.push_back(TRY(compile_interval(interval, spec, creation)));
  for (const Calendar& calendar : spec.exclude) {
    if (!sources.exclusions.add(TRY(compile_calendar(calendar)).rule)) {
      return fail(ErrorCode::invalid_argument, "at most {} exclusions may name a time of day", Exclusions::partial_max);
    }
  }
  return sources;
}

/// The bytes Temporal hashes: the nominal time in Go's binary form (version 1, seconds since year 1, nanoseconds, UTC),
/// then the seed.
std::string jitter_key(Instant nominal, std::string_view seed) {
  constexpr std::int64_t seconds_before_1970 = 62'135'596'800;
  const auto whole = std::chrono::floor<std::chrono::seconds>(nominal);
  const auto seconds = static_cast<std::uint64_t>(whole.time_since_epoch().count() + seconds_before_1970);
  const auto nanoseconds = static_cast<std::uint32_t>((nominal - whole).count() * 1000);
  std::string key{'\x01'};
  for (int shift = 56; shift >= 0; shift -= 8) key += static_cast<char>(seconds >> shift & 0xff);
  for (int shift = 24; shift >= 0; shift -= 8) key += static_cast<char>(nanoseconds >> shift & 0xff);
  key += "\xff\xff";
  return key += seed;
}

}  // namespace

struct Timetable::Compiled {
  Sources sources;
  std::optional<Sources> without_exclusions;  // kept only where it differs
  std::optional<Instant> start_at;
  std::optional<Instant> end_at;
  Duration jitter;
};

Timetable::Timetable(std::unique_ptr<Compiled> compiled) : compiled_{std::move(compiled)} {}
Timetable::Timetable(Timetable&&) noexcept = default;
Timetable& Timetable::operator=(Timetable&&) noexcept = default;
Timetable::Timetable(const Timetable& other) : compiled_{std::make_unique<Compiled>(*other.compiled_)} {}
Timetable& Timetable::operator=(const Timetable& other) { return *this = Timetable{other}; }
Timetable::~Timetable() = default;

Result<Timetable> Timetable::make(const Spec& spec, ZonePtr zone, Instant creation) {
  Sources sources = TRY(compile(spec, std::move(zone), creation));
  sources.times = spec.times;
  std::ranges::sort(sources.times);
  sources.times.erase(std::ranges::unique(sources.times).begin(), sources.times.end());
  std::optional<Sources> without_exclusions;
  if (!sources.exclusions.is_empty()) {
    without_exclusions = sources;
    without_exclusions->exclusions = {};
  }
  std::erase_if(sources.walls, [&](const WallSource& wall) { return !sources.exclusions.may_leave(wall.rule); });
  std::erase_if(sources.times, [&](Instant time) { return sources.excludes(time); });
  return Timetable{std::make_unique<Compiled>(
      Compiled{std::move(sources), std::move(without_exclusions), spec.start_at, spec.end_at, spec.jitter})};
}

const Zone& Timetable::zone() const { return *compiled_->sources.zone; }

std::optional<Instant> Timetable::next(Instant after) const {
  Budget budget = Budget::unlimited();
  return next(after, budget);
}

std::optional<Instant> Timetable::next(Instant after, Budget& budget) const {
  const auto& [sources, without_exclusions, start_at, end_at, jitter] = *compiled_;
  if (start_at && after < *start_at) after = *start_at - Duration{1};
  const auto found = sources.next(after, end_at.value_or(instant_max), budget);
  return found && end_at && *found > *end_at ? std::nullopt : found;
}

std::optional<Instant> Timetable::previous(Instant before) const {
  Budget budget = Budget::unlimited();
  return previous(before, budget);
}

std::optional<Instant> Timetable::previous(Instant before, Budget& budget) const {
  const auto& [sources, without_exclusions, start_at, end_at, jitter] = *compiled_;
  if (end_at && before > *end_at) before = *end_at + Duration{1};
  const auto found = sources.previous(before, budget);
  return found && start_at && *found < *start_at ? std::nullopt : found;
}

std::uint64_t Timetable::count(Instant from, Instant to) const {
  Budget budget = Budget::unlimited();
  return count(from, to, budget);
}

std::uint64_t Timetable::count(Instant from, Instant to, Budget& budget) const {
  const auto& [sources, without_exclusions, start_at, end_at, jitter] = *compiled_;
  from = std::max(from, start_at.value_or(instant_min));
  to = std::min(to, end_at.value_or(instant_max) + Duration{1});
  return sources.count(from, to, budget);
}

std::vector<Instant> Timetable::occurrences(Instant from, Instant to, std::size_t limit) const {
  Budget budget = Budget::unlimited();
  return occurrences(from, to, limit, budget);
}

std::vector<Instant> Timetable::occurrences(Instant from, Instant to, std::size_t limit, Budget& budget) const {
  const auto& [sources, without_exclusions, start_at, end_at, jitter] = *compiled_;
  from = std::max({from, instant_min, start_at.value_or(instant_min)});
  to = std::min(to, end_at.value_or(instant_max) + Duration{1});
  std::vector<Instant> found;
  if (from >= to || limit == 0) return found;
  Walk walk{sources, from - Duration{1}, to, budget};
  for (auto occurrence = walk.next(); occurrence && *occurrence < to; occurrence = walk.next()) {
    found.push_back(*occurrence);
    if (found.size() == limit) break;
  }
  return found;
}

Result<> Timetable::check_cost(Instant now) const {
  constexpr std::size_t usual_count = 10;
  Budget budget{spec_steps_max};
  static_cast<void>(occurrences(now, instant_max, usual_count, budget));
  static_cast<void>(previous(now, budget));
  static_cast<void>(count(now, now + std::chrono::hours{1}, budget));
  if (!budget.is_spent()) return {};
  Error error = fail(ErrorCode::invalid_argument, "finding its next {} starts takes more than {} steps", usual_count,
                     spec_steps_max)
                    .error();
  error.hint = "use fewer intervals, crons or exclusions, or exclusions that leave more of each day";
  error.rule = "too-complex";
  return std::unexpected(std::move(error));
}

Duration Timetable::jitter(Instant nominal, std::string_view seed) const {
  if (compiled_->jitter <= Duration{0}) return Duration{0};
  // What is excluded or behind the end still bounds the jitter, so that an edit of either moves no other due time.
  Duration longest = compiled_->jitter;
  const Sources& everything = compiled_->without_exclusions ? *compiled_->without_exclusions : compiled_->sources;
  Budget budget = Budget::unlimited();  // nothing is excluded there, so that each source answers at once
  if (const auto following = everything.next(nominal, instant_max, budget))
    longest = std::min(longest, *following - nominal);
  const std::string key = jitter_key(nominal, seed);
  const std::uint64_t milliseconds =
      std::min<std::uint64_t>(static_cast<std::uint64_t>(longest.count() / 1000), 0xffffffff);
  return std::chrono::milliseconds{util::Fingerprint32(key.data(), key.size()) * milliseconds >> 32};
}

Duration Timetable::jitter_max() const { return compiled_->jitter; }

std::optional<ClockChange> Timetable::clock_change(Instant nominal) const {
  const Sources& sources = compiled_->sources;
  const UtcSecond instant = floor_second(nominal);
  const Zone::Index index = zone().period_at(instant);
  const WallSecond wall = instant + zone().period(index).offset;
  const bool is_second_pass = wall < zone().period(index).wall_seen;
  const bool is_first_pass = index + 1 < zone().period_count() && zone().period(index + 1).wall_ahead <= wall;
  Budget budget = Budget::unlimited();  // one instant is looked at
  for (const WallSource& source : sources.walls) {
    if (source.next(sources.exclusions, zone(), instant - 1, instant, budget) != instant) continue;
    if (const auto moved = source.moved_to(sources.exclusions, zone(), instant))
      return ClockChange{ClockChange::Kind::moved, *moved};
    if (!is_first_pass && !is_second_pass) continue;
    if (!source.follows_clock) return ClockChange{ClockChange::Kind::first_pass, wall};
    return ClockChange{ClockChange::Kind::both_passes, wall, is_second_pass};
  }
  return std::nullopt;
}

}  // namespace carillon
