#include "oracle/oracle.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace carillon::oracle {
namespace {

Second second_at_or_after(Instant instant) {
  return std::chrono::ceil<std::chrono::seconds>(instant).time_since_epoch().count();
}

Second second_at_or_before(Instant instant) {
  return std::chrono::floor<std::chrono::seconds>(instant).time_since_epoch().count();
}

Instant instant_of(Second second) { return Instant{std::chrono::seconds{second}}; }

Second anchor_of(const Interval& interval, const Spec& spec, Instant creation) {
  switch (interval.anchor) {
    case Anchor::creation: return second_at_or_before(creation);
    case Anchor::start: return second_at_or_before(spec.start_at.value());
    case Anchor::epoch: return 0;
  }
  return 0;
}

Second seconds_of(Duration duration) { return std::chrono::floor<std::chrono::seconds>(duration).count(); }

std::unique_ptr<Source> wall_source(Pattern pattern, const Spec& spec, const Surroundings& surroundings) {
  if (pattern.follows_clock || spec.dst == DstPolicy::literal) return clock_source(std::move(pattern), surroundings);
  return fixed_source(std::move(pattern), surroundings);
}

}  // namespace

Oracle::Oracle(const Spec& spec, Instant creation)
    : first_{second_at_or_after(std::max(spec.start_at.value_or(instant_min), instant_min))},
      last_{second_at_or_before(std::min(spec.end_at.value_or(instant_max), instant_max))} {
  auto excluded = std::make_shared<std::vector<Pattern>>();
  for (const Calendar& calendar : spec.exclude) excluded->push_back(pattern_of_calendar(calendar));
  const Surroundings surroundings{.clock = &clock_of(spec.timezone), .excluded = excluded};

  for (const std::string& text : spec.crons) {
    sources_.push_back(wall_source(pattern_of_cron(text), spec, surroundings));
  }
  for (const Calendar& calendar : spec.calendars) {
    sources_.push_back(wall_source(pattern_of_calendar(calendar), spec, surroundings));
  }
  for (const Interval& interval : spec.intervals) {
    const Second phase = anchor_of(interval, spec, creation) + seconds_of(interval.offset);
    sources_.push_back(interval_source(seconds_of(interval.every), phase, surroundings));
  }
  for (const Instant time : spec.times) {
    sources_.push_back(time_source(second_at_or_before(time), surroundings));
  }
}

std::optional<Instant> Oracle::next(Instant after) const {
  const Second from = std::max(second_at_or_before(after) + 1, first_);
  Second to = last_;
  std::optional<Instant> found;
  for (const auto& source : sources_) {
    const std::optional<Second> second = source->first_within(from, to);
    if (!second) continue;
    found = instant_of(*second);
    to = *second - 1;
  }
  return found;
}

std::optional<Instant> Oracle::previous(Instant before) const {
  Second from = first_;
  const Second to = std::min(second_at_or_after(before) - 1, last_);
  std::optional<Instant> found;
  for (const auto& source : sources_) {
    const std::optional<Second> second = source->last_within(from, to);
    if (!second) continue;
    found = instant_of(*second);
    from = *second + 1;
  }
  return found;
}

std::vector<Instant> Oracle::occurrences(Instant from, Instant to) const {
  const Second begin = std::max(second_at_or_after(from), first_);
  const Second end = std::min(second_at_or_after(to) - 1, last_);
  std::vector<Instant> found;
  for (const auto& source : sources_) {
    for (const Second second : source->all_within(begin, end)) found.push_back(instant_of(second));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace carillon::oracle
