#include "calendar/timetable.hpp"
#include "oracle/oracle.hpp"
#include "oracle/spec_builder.hpp"
#include "oracle/spec_generator.hpp"
#include "oracle/system_zones.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

// Each property is asked two thousand times; RC_PARAMS="max_success=100000" asks more often.

namespace carillon::oracle {

namespace {

// rapidcheck reads its parameters when the first property begins, and by itself asks only a hundred times.
[[maybe_unused]] const int parameters_set = setenv("RC_PARAMS", "max_success=2000", 0);

constexpr int occurrences_followed = 12;
constexpr std::size_t occurrences_listed_max = 200;

std::string shown(std::optional<Instant> instant) { return instant ? to_text(*instant) : "none"; }

std::vector<std::string> shown(const std::vector<Instant>& instants) {
  std::vector<std::string> texts;
  for (const Instant instant : instants) texts.push_back(to_text(instant));
  return texts;
}

/// Asks a property about generated situations. A spec that the calendar refuses must be one that can never happen; that
/// is the business of another property, and so is a scan the oracle finds too long.
template <typename Property>
void ask(const Property& property) {
  const Situation situation = *situations(zone_names());
  const auto timetable = Timetable::make(situation.spec, zone_of(situation.spec.timezone), situation.creation);
  if (!timetable && timetable.error().rule == "never-fires") RC_DISCARD("never fires");
  if (!timetable) RC_FAIL("refused: " + timetable.error().message);
  try {
    property(*timetable, Oracle{situation.spec, situation.creation}, situation.moment);
  } catch (const SearchTooLong&) {
    RC_DISCARD("too long for the oracle");
  }
}

RC_GTEST_PROP(TimetableAgainstOracle, following_occurrences_are_equal_and_ascend, ()) {
  ask([](const Timetable& timetable, const Oracle& oracle, Instant moment) {
    for (int i = 0; i < occurrences_followed; ++i) {
      const std::optional<Instant> next = timetable.next(moment);
      RC_ASSERT(shown(next) == shown(oracle.next(moment)));
      if (!next) return;
      RC_ASSERT(*next > moment);
      moment = *next;
    }
  });
}

RC_GTEST_PROP(TimetableAgainstOracle, preceding_occurrences_are_equal_and_descend, ()) {
  ask([](const Timetable& timetable, const Oracle& oracle, Instant moment) {
    for (int i = 0; i < occurrences_followed; ++i) {
      const std::optional<Instant> previous = timetable.previous(moment);
      RC_ASSERT(shown(previous) == shown(oracle.previous(moment)));
      if (!previous) return;
      RC_ASSERT(*previous < moment);
      moment = *previous;
    }
  });
}

void compare_range_near_moment() {
  const auto before = std::chrono::minutes{*rc::gen::inRange(0, 3000)};
  const auto length = std::chrono::seconds{*rc::gen::inRange(0, 400'000)};
  ask([&](const Timetable& timetable, const Oracle& oracle, Instant moment) {
    const Instant from = moment - before;
    std::vector<Instant> expected = oracle.occurrences(from, from + length);
    RC_ASSERT(timetable.count(from, from + length) == expected.size());
    expected.resize(std::min(expected.size(), occurrences_listed_max));
    RC_ASSERT(shown(timetable.occurrences(from, from + length, occurrences_listed_max)) == shown(expected));
  });
}

RC_GTEST_PROP(TimetableAgainstOracle, occurrences_of_a_range_and_their_count_are_equal, ()) {
  // The cheapest property and the one that sees most, so it is asked more often.
  for (int i = 0; i < 5; ++i) compare_range_near_moment();
}

RC_GTEST_PROP(TimetableAgainstOracle, count_of_a_long_range_is_equal, ()) {
  const auto length = std::chrono::hours{*rc::gen::inRange(0, 24 * 500)};
  ask([&](const Timetable& timetable, const Oracle& oracle, Instant moment) {
    const Instant from = moment - length / 2;
    const std::vector<Instant> expected = oracle.occurrences(from, from + length);
    if (expected.size() > 2'000'000) RC_DISCARD("too many to count by hand");
    RC_ASSERT(timetable.count(from, from + length) == expected.size());
  });
}

RC_GTEST_PROP(Timetable, previous_mirrors_next, ()) {
  ask([](const Timetable& timetable, const Oracle&, Instant moment) {
    const std::optional<Instant> next = timetable.next(moment);
    if (!next) return;
    RC_ASSERT(shown(timetable.previous(*next + Duration{1})) == shown(next));
    const std::optional<Instant> before_next = timetable.previous(*next);
    RC_ASSERT(!before_next || *before_next <= moment);
    if (before_next) RC_ASSERT(shown(timetable.next(*before_next)) == shown(next));
  });
}

RC_GTEST_PROP(Timetable, next_mirrors_previous, ()) {
  ask([](const Timetable& timetable, const Oracle&, Instant moment) {
    const std::optional<Instant> previous = timetable.previous(moment);
    if (!previous) return;
    RC_ASSERT(shown(timetable.next(*previous - Duration{1})) == shown(previous));
    const std::optional<Instant> after_previous = timetable.next(*previous);
    RC_ASSERT(!after_previous || *after_previous >= moment);
    if (after_previous) RC_ASSERT(shown(timetable.previous(*after_previous)) == shown(previous));
  });
}

RC_GTEST_PROP(Timetable, counts_of_neighbouring_ranges_add_up, ()) {
  const auto first = std::chrono::hours{*rc::gen::inRange(0, 24 * 4000)};
  const auto second = std::chrono::minutes{*rc::gen::inRange(0, 60 * 24 * 100)};
  ask([&](const Timetable& timetable, const Oracle&, Instant moment) {
    const auto whole = timetable.count(moment, moment + first + second);
    RC_ASSERT(whole ==
              timetable.count(moment, moment + first) + timetable.count(moment + first, moment + first + second));
  });
}

RC_GTEST_PROP(Timetable, refuses_a_cron_exactly_when_it_can_never_happen, ()) {
  const Spec spec = cron_spec(*cron_texts());
  const auto timetable = Timetable::make(spec, Zone::utc(), Instant{});
  const bool happens = Oracle{spec, Instant{}}.next(instant_min - std::chrono::seconds{1}).has_value();
  if (!timetable) RC_ASSERT(std::string(timetable.error().rule) == "never-fires");
  RC_ASSERT(timetable.has_value() == happens);
}

}  // namespace
}  // namespace carillon::oracle
