#include "calendar/timetable.hpp"
#include "oracle/oracle.hpp"
#include "oracle/spec_builder.hpp"
#include "oracle/system_zones.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::oracle {
namespace {

using testing::ElementsAreArray;

Calendar calendar(const char* day_of_month, const char* month, const char* day_of_week, const char* year) {
  Calendar rule;
  rule.day_of_month = day_of_month;
  rule.month = month;
  rule.day_of_week = day_of_week;
  rule.year = year;
  return rule;
}

std::vector<Spec> rare_specs() {
  std::vector<Spec> specs;
  for (const char* text : {"0 0 29 2 *", "30 2 29 2 *", "0 0 * 2 1#5", "0 0 29W 2 *", "59 59 23 L-28 2 *",
                           "0 0 30W 4 *", "0 0 L-30 * *", "0 12 31W 12 *", "0 0 * FEB SUN#5"}) {
    specs.push_back(cron_spec(text, "America/New_York"));
  }
  for (const Calendar& rule :
       {calendar("29", "2", "MON", "*"), calendar("29", "2", "*", "2096,2104"), calendar("13", "*", "FRI", "2199"),
        calendar("29", "2", "7", "2000/100"), calendar("LW", "2", "6#5", "*"), calendar("31", "12", "MON", "*/7"),
        calendar("L", "2", "SUN", "1970-1999"), calendar("1", "1", "?", "2199")}) {
    specs.push_back(calendar_spec(rule, "Europe/Berlin"));
  }
  return specs;
}

TEST(RareOccurrences, are_found_however_far_away_they_are) {
  for (const Spec& spec : rare_specs()) {
    const std::string name = spec.crons.empty() ? std::get<std::string>(spec.calendars[0].day_of_month) : spec.crons[0];
    SCOPED_TRACE(name);
    const auto timetable = Timetable::make(spec, zone_of(spec.timezone), Instant{});
    const Oracle oracle{spec, Instant{}};
    if (!timetable) {
      EXPECT_EQ(timetable.error().rule, "never-fires");
      EXPECT_EQ(oracle.next(instant_min), std::nullopt);
      continue;
    }

    for (const char* time :
         {"1901-01-01T00:00:00Z", "2026-03-01T00:00:00Z", "2096-03-01T00:00:00Z", "2150-06-01T00:00:00Z"}) {
      EXPECT_THAT(following(*timetable, time, 5), ElementsAreArray(following(oracle, time, 5))) << time;
      EXPECT_THAT(preceding(*timetable, time, 5), ElementsAreArray(preceding(oracle, time, 5))) << time;
    }
  }
}

TEST(RareOccurrences, of_the_first_and_last_days_of_the_calendar_are_equal) {
  for (const char* zone : {"UTC", "America/New_York", "Pacific/Kiritimati", "Etc/GMT+12", "Africa/Monrovia"}) {
    for (const char* text : {"0 0 * * *", "*/30 * * * *", "59 59 23 31 12 *", "0 0 1 1 *", "30 1-5 * * *"}) {
      SCOPED_TRACE(testing::Message() << text << " in " << zone);
      const Spec spec = cron_spec(text, zone);
      const auto timetable = Timetable::make(spec, zone_of(zone), Instant{});
      const Oracle oracle{spec, Instant{}};

      ASSERT_TRUE(timetable);
      for (int hour = -30; hour <= 30; ++hour) {
        for (const Instant moment : {instant_min + std::chrono::hours{hour}, instant_max + std::chrono::hours{hour}}) {
          ASSERT_EQ(timetable->next(moment), oracle.next(moment)) << to_text(moment);
          ASSERT_EQ(timetable->previous(moment), oracle.previous(moment)) << to_text(moment);
        }
      }
    }
  }
}

TEST(RareOccurrences, that_are_all_excluded_are_none) {
  Spec spec = cron_spec("0 0 29 2 *", "America/New_York");
  spec.exclude.push_back(Calendar::any());
  spec.exclude.back().month = "2";
  const auto timetable = Timetable::make(spec, zone_of(spec.timezone), Instant{});

  ASSERT_TRUE(timetable);
  EXPECT_EQ(timetable->next(utc("2026-01-01T00:00:00Z")), std::nullopt);
  EXPECT_EQ(timetable->previous(utc("2026-01-01T00:00:00Z")), std::nullopt);
  EXPECT_EQ(timetable->count(instant_min, instant_max), 0U);
}

}  // namespace
}  // namespace carillon::oracle
