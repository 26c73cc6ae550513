#include "crontab/cron_starts.hpp"

#include "support/test_zones.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <chrono>

namespace carillon {
namespace {

using carillon::testing::at;
using carillon::testing::new_york;
using carillon::testing::second_at;
using carillon::testing::zone_with_change;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

CronTimes times_of(std::array<std::string_view, 5> fields) { return parse_crontab_times(fields, "").value().times; }

std::vector<std::string> starts(std::array<std::string_view, 5> fields, const ZonePtr& zone, std::string_view from,
                                std::string_view to, CronClock clock = CronClock::daemon) {
  std::vector<std::string> texts;
  for (const UtcSecond start : cron_starts(times_of(fields), *zone, clock, second_at(from), second_at(to)))
    texts.push_back(to_text(Instant{std::chrono::seconds{start}}));
  return texts;
}

TEST(CronStarts, a_daily_line_starts_at_its_local_time) {
  EXPECT_THAT(starts({"30", "2", "*", "*", "*"}, new_york(), "2026-01-10T00:00:00Z", "2026-01-12T00:00:00Z"),
              ElementsAre("2026-01-10T07:30:00Z", "2026-01-11T07:30:00Z"));
}

TEST(CronStarts, the_range_is_half_open) {
  EXPECT_THAT(starts({"0", "*", "*", "*", "*"}, Zone::utc(), "2026-01-10T01:00:00Z", "2026-01-10T03:00:00Z"),
              ElementsAre("2026-01-10T01:00:00Z", "2026-01-10T02:00:00Z"));
}

TEST(CronStarts, a_fixed_time_in_the_hour_skipped_starts_right_after_it) {
  EXPECT_THAT(starts({"30", "2", "*", "*", "*"}, new_york(), "2026-03-08T06:00:00Z", "2026-03-08T12:00:00Z"),
              ElementsAre("2026-03-08T07:00:00Z"));
}

TEST(CronStarts, every_fixed_time_that_was_skipped_is_a_start_of_its_own) {
  EXPECT_THAT(
      starts({"0,30", "2,3", "*", "*", "*"}, new_york(), "2026-03-08T06:00:00Z", "2026-03-08T12:00:00Z"),
      ElementsAre("2026-03-08T07:00:00Z", "2026-03-08T07:00:00Z", "2026-03-08T07:00:00Z", "2026-03-08T07:30:00Z"));
}

TEST(CronStarts, a_line_with_a_star_follows_the_clock_over_the_hour_skipped) {
  EXPECT_THAT(starts({"*/30", "2", "*", "*", "*"}, new_york(), "2026-03-08T05:00:00Z", "2026-03-08T12:00:00Z"),
              IsEmpty());
}

TEST(CronStarts, a_fixed_time_in_the_hour_repeated_starts_once) {
  EXPECT_THAT(starts({"30", "1", "*", "*", "*"}, new_york(), "2026-11-01T04:00:00Z", "2026-11-01T12:00:00Z"),
              ElementsAre("2026-11-01T05:30:00Z"));
  EXPECT_THAT(starts({"30", "1", "*", "*", "*"}, new_york(), "2026-11-01T06:00:00Z", "2026-11-01T12:00:00Z"),
              IsEmpty());
}

TEST(CronStarts, a_line_with_a_star_follows_the_clock_through_the_hour_repeated) {
  EXPECT_THAT(starts({"30", "*", "*", "*", "*"}, new_york(), "2026-11-01T05:00:00Z", "2026-11-01T08:00:00Z"),
              ElementsAre("2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z", "2026-11-01T07:30:00Z"));
}

TEST(CronStarts, a_jump_of_three_hours_is_a_correction) {
  const ZonePtr forward = zone_with_change("2020-10-03T16:00:00Z", 8 * 3600, 11 * 3600);
  EXPECT_THAT(starts({"30", "1", "*", "*", "*"}, forward, "2020-10-03T12:00:00Z", "2020-10-04T12:00:00Z"), IsEmpty());
  const ZonePtr back = zone_with_change("2020-10-03T16:00:00Z", 8 * 3600, 4 * 3600);
  EXPECT_THAT(starts({"30", "21", "*", "*", "*"}, back, "2020-10-03T12:00:00Z", "2020-10-04T12:00:00Z"),
              ElementsAre("2020-10-03T13:30:00Z", "2020-10-03T17:30:00Z"));
}

TEST(CronStarts, a_jump_of_a_few_minutes_is_made_up_for_every_line) {
  const ZonePtr zone = zone_with_change("2020-01-01T12:00:00Z", 0, 180);
  EXPECT_THAT(starts({"*", "*", "*", "*", "*"}, zone, "2020-01-01T11:59:00Z", "2020-01-01T12:02:00Z"),
              ElementsAre("2020-01-01T11:59:00Z", "2020-01-01T12:00:00Z", "2020-01-01T12:00:00Z",
                          "2020-01-01T12:00:00Z", "2020-01-01T12:00:00Z", "2020-01-01T12:01:00Z"));
}

TEST(CronStarts, the_bounds_of_jumps_are_those_of_the_daemon) {
  const auto count_after_jump = [](std::array<std::string_view, 5> fields, int minutes) {
    const ZonePtr zone = zone_with_change("2020-01-01T12:00:00Z", 0, minutes * 60);
    return starts(fields, zone, "2020-01-01T12:00:00Z", "2020-01-01T12:01:00Z").size();
  };
  EXPECT_EQ(count_after_jump({"*", "*", "*", "*", "*"}, 4), 5U);
  EXPECT_EQ(count_after_jump({"*", "*", "*", "*", "*"}, 5), 1U);
  EXPECT_EQ(count_after_jump({"0-59", "0-23", "*", "*", "*"}, 179), 180U);
  EXPECT_EQ(count_after_jump({"0-59", "0-23", "*", "*", "*"}, 180), 1U);
  EXPECT_EQ(count_after_jump({"0-59", "0-23", "*", "*", "*"}, -180), 0U);
  EXPECT_EQ(count_after_jump({"0-59", "0-23", "*", "*", "*"}, -181), 1U);
}

TEST(CronStarts, under_CRON_TZ_a_line_starts_whenever_its_clock_shows_the_time) {
  EXPECT_THAT(
      starts({"30", "2", "*", "*", "*"}, new_york(), "2026-03-08T06:00:00Z", "2026-03-08T12:00:00Z", CronClock::line),
      IsEmpty());
  EXPECT_THAT(
      starts({"30", "1", "*", "*", "*"}, new_york(), "2026-11-01T04:00:00Z", "2026-11-01T12:00:00Z", CronClock::line),
      ElementsAre("2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z"));
}

TEST(CronStarts, a_star_in_one_day_field_asks_for_both) {
  // 2026-01-01 is a Thursday.
  EXPECT_THAT(starts({"0", "0", "*/10", "1", "thu"}, Zone::utc(), "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"),
              ElementsAre("2026-01-01T00:00:00Z"));
  EXPECT_THAT(starts({"0", "0", "1,21", "1", "thu"}, Zone::utc(), "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"),
              ElementsAre("2026-01-01T00:00:00Z", "2026-01-08T00:00:00Z", "2026-01-15T00:00:00Z",
                          "2026-01-21T00:00:00Z", "2026-01-22T00:00:00Z", "2026-01-29T00:00:00Z"));
}

/// The daemon once more, without any shortcut: it wakes every minute, looks at the clock and at its virtual time.
class SlowDaemon {
 public:
  SlowDaemon(const CronTimes& times, const Zone& zone) : times_{times}, zone_{zone} {}

  std::vector<UtcSecond> starts(UtcSecond from, UtcSecond to) {
    std::vector<UtcSecond> found;
    std::int64_t virtual_time = wall_minute(from - 60 - warm_up);
    for (UtcSecond now = from - warm_up; now < to; now += 60) {
      const std::int64_t running = wall_minute(now);
      const std::int64_t difference = running - virtual_time;
      const auto look = [&](std::int64_t minute, bool wild, bool fixed) {
        const bool is_meant = times_.is_wildcard() ? wild : fixed;
        if (is_meant && now >= from && matches(minute)) found.push_back(now);
      };
      if (difference > 180 || difference <= -180) {
        virtual_time = running;
        look(running, true, true);
      } else if (difference > 5) {
        look(running, true, false);
        while (virtual_time < running) look(++virtual_time, false, true);
      } else if (difference > 0) {
        while (virtual_time < running) look(++virtual_time, true, true);
      } else {
        look(running, true, false);
      }
    }
    return found;
  }

 private:
  static constexpr UtcSecond warm_up = 86400;

  [[nodiscard]] std::int64_t wall_minute(UtcSecond instant) const { return (instant + zone_.offset_at(instant)) / 60; }

  [[nodiscard]] bool matches(std::int64_t minute) const {
    using namespace std::chrono;
    const sys_time<minutes> time{minutes{minute}};
    const auto day = floor<days>(time);
    const year_month_day date{day};
    const auto has = [](auto mask, auto bit) { return (mask >> bit & 1) != 0; };
    const bool by_month_day = has(times_.days_of_month, static_cast<unsigned>(date.day()));
    const bool by_weekday = has(times_.weekdays, weekday{day}.c_encoding());
    const bool has_star = times_.has_day_of_month_star || times_.has_weekday_star;
    return has(times_.minutes, (time - day).count() % 60) && has(times_.hours, (time - day).count() / 60) &&
           has(times_.months, static_cast<unsigned>(date.month())) &&
           (has_star ? by_month_day && by_weekday : by_month_day || by_weekday);
  }

  const CronTimes& times_;
  const Zone& zone_;
};

RC_GTEST_PROP(CronStartsProperty, agree_with_a_daemon_that_looks_at_every_minute, ()) {
  const auto mask = [](int bits) {
    return *rc::gen::resize(100, rc::gen::oneOf(rc::gen::just((std::uint64_t{1} << bits) - 1),
                                                rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << bits)));
  };
  const CronTimes times{.minutes = mask(60),
                        .hours = static_cast<std::uint32_t>(mask(24)),
                        .days_of_month = static_cast<std::uint32_t>(mask(31) << 1),
                        .months = 0x1ffe,
                        .weekdays = static_cast<std::uint32_t>(mask(7)),
                        .has_minute_star = *rc::gen::arbitrary<bool>(),
                        .has_hour_star = false,
                        .has_day_of_month_star = *rc::gen::arbitrary<bool>(),
                        .has_weekday_star = *rc::gen::arbitrary<bool>()};
  const int jump = *rc::gen::oneOf(
      rc::gen::element(-1440, -181, -180, -120, -60, -30, -1, 1, 4, 5, 6, 30, 60, 120, 179, 180, 181, 1440),
      rc::gen::inRange(-200, 200));
  const UtcSecond change = second_at("2026-06-15T00:00:00Z") + *rc::gen::inRange(0, 1440) * 60;
  const ZonePtr zone = Zone::make("Test/Jump", {{.begin = 0, .offset = 0, .abbreviation = "A"},
                                                {.begin = change, .offset = jump * 60, .abbreviation = "B"}})
                           .value();
  const UtcSecond from = change - *rc::gen::inRange(-200, 2000) * 60;
  const UtcSecond to = change + *rc::gen::inRange(0, 3000) * 60;

  RC_ASSERT(cron_starts(times, *zone, CronClock::daemon, from, to) == SlowDaemon(times, *zone).starts(from, to));
}

}  // namespace
}  // namespace carillon
