#include "calendar/timetable.hpp"
#include "oracle/oracle.hpp"
#include "oracle/spec_builder.hpp"
#include "oracle/system_zones.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

// Every change of offset of every zone from 1970 to 2100, with the kinds of expressions that clock changes treat
// differently.

namespace carillon::oracle {
namespace {

constexpr auto reach = std::chrono::hours{26};
constexpr Second sweep_begin = 0;            // 1970-01-01
constexpr Second sweep_end = 4'102'444'800;  // 2100-01-01
constexpr int differences_shown_max = 5;
constexpr std::size_t literal_count = 5;  // so many of the expressions are also taken literally

/// The expressions depend on the transition, so that they fall into the hour that is skipped or repeated.
std::vector<std::string> expressions(Second wall_before, Second wall_after) {
  const Second first = std::min(wall_before, wall_after);
  const Second minute = (first / 60) % 60;
  const Second hour = (first / 3600) % 24;
  const Second next_hour = (hour + 1) % 24;
  return {fmt::format("{} {} * * *", minute, hour),
          fmt::format("{} {} * * *", (minute + 29) % 60, hour),
          fmt::format("*/30 {} * * *", hour),
          fmt::format("{0},{1} {2},{3} * * *", minute, (minute + 15) % 60, hour, next_hour),
          fmt::format("10-50/20 {}-{} * * *", std::min(hour, next_hour), std::max(hour, next_hour)),
          "30 0-4 * * *",
          "0 0 * * *",
          "0 * * * *",
          "*/15 * * * *",
          "45 23 * * SAT,SUN",
          fmt::format("59 59 {} * * *", hour),
          "5/25 0,23 1,L * 0-6"};
}

/// One expression, ready to be asked on both sides.
struct Contest {
  explicit Contest(const Spec& spec)
      : timetable{Timetable::make(spec, zone_of(spec.timezone), Instant{}).value()}, oracle{spec, Instant{}} {}

  Timetable timetable;
  Oracle oracle;
};

class Sweep {
 public:
  explicit Sweep(std::string zone_name) : zone_name_{std::move(zone_name)} {}

  void run() {
    const Clock& clock = clock_of(zone_name_);
    for (const Second transition : clock.transitions(sweep_begin, sweep_end)) {
      const Second wall_before = transition + clock.stretch_at(transition - 1).offset;
      const std::vector<std::string> texts = expressions(wall_before, clock.wall_at(transition));
      const Instant instant{std::chrono::seconds{transition}};
      for (const std::string& text : texts) compare(text, DstPolicy::cron, instant);
      for (std::size_t i = 0; i < literal_count; ++i) compare(texts[i], DstPolicy::literal, instant);
    }
  }

  [[nodiscard]] int differences() const { return differences_; }
  [[nodiscard]] std::size_t comparisons() const { return comparisons_; }

 private:
  void compare(const std::string& text, DstPolicy dst, Instant transition) {
    Spec spec = cron_spec(text, zone_name_);
    spec.dst = dst;
    const auto& [timetable, oracle] = contests_.try_emplace({text, dst}, spec).first->second;
    const std::vector<Instant> expected = oracle.occurrences(transition - reach, transition + reach);
    report(text, transition, "occurrences", timetable.occurrences(transition - reach, transition + reach, 100'000),
           expected);
    report(text, transition, "next", ascending(timetable, transition), expected);
    report(text, transition, "previous", descending(timetable, transition), expected);
    ++comparisons_;
  }

  static std::vector<Instant> ascending(const Timetable& timetable, Instant transition) {
    std::vector<Instant> found;
    auto next = timetable.next(transition - reach - Duration{1});
    while (next && *next < transition + reach && (found.empty() || *next > found.back())) {
      found.push_back(*next);
      next = timetable.next(*next);
    }
    return found;
  }

  static std::vector<Instant> descending(const Timetable& timetable, Instant transition) {
    std::vector<Instant> found;
    auto previous = timetable.previous(transition + reach);
    while (previous && *previous >= transition - reach && (found.empty() || *previous < found.back())) {
      found.push_back(*previous);
      previous = timetable.previous(*previous);
    }
    std::reverse(found.begin(), found.end());
    return found;
  }

  void report(const std::string& text, Instant transition, const char* question, const std::vector<Instant>& found,
              const std::vector<Instant>& expected) {
    if (found == expected || ++differences_ > differences_shown_max) return;
    const auto [ours, theirs] = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
    ADD_FAILURE() << fmt::format("{} of '{}' in {} around {}: {} instead of {}", question, text, zone_name_,
                                 to_text(transition), ours == found.end() ? "nothing" : to_text(*ours),
                                 theirs == expected.end() ? "nothing" : to_text(*theirs));
  }

  std::string zone_name_;
  std::map<std::pair<std::string, DstPolicy>, Contest> contests_;  // an expression comes back at most transitions
  int differences_ = 0;
  std::size_t comparisons_ = 0;
};

/// Zones by turns, so that every test has about the same work and they can run side by side.
class TransitionSweep : public testing::TestWithParam<std::size_t> {};
constexpr std::size_t sweep_parts = 4;

TEST_P(TransitionSweep, finds_no_difference_to_the_oracle) {
  std::size_t comparisons = 0;
  for (std::size_t i = GetParam(); i < zone_names().size(); i += sweep_parts) {
    Sweep sweep{zone_names()[i]};
    sweep.run();
    comparisons += sweep.comparisons();
    EXPECT_EQ(sweep.differences(), 0) << zone_names()[i];
  }
  EXPECT_GT(comparisons, 10'000U);
}

INSTANTIATE_TEST_SUITE_P(AllZones, TransitionSweep, testing::Range<std::size_t>(0, sweep_parts));

TEST(ZonesAgainstAbsl, have_the_offsets_of_absl) {
  for (const std::string& name : zone_names()) {
    const ZonePtr zone = zone_of(name);
    const absl::TimeZone& expected = clock_of(name).zone();
    for (const Second transition : clock_of(name).transitions(sweep_begin, sweep_end)) {
      for (const Second instant : {transition - 1, transition, transition + 1}) {
        ASSERT_EQ(zone->offset_at(instant), expected.At(absl::FromUnixSeconds(instant)).offset)
            << name << ' ' << instant;
      }
    }
    // A prime number of hours, so that all times of day and year are met.
    for (Second instant = sweep_begin; instant < sweep_end; instant += 1009 * 3600) {
      ASSERT_EQ(zone->offset_at(instant), expected.At(absl::FromUnixSeconds(instant)).offset) << name << ' ' << instant;
    }
  }
}

}  // namespace
}  // namespace carillon::oracle
