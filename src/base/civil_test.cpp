#include "base/civil.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>

namespace carillon {
namespace {

using std::chrono::day;
using std::chrono::month;
using std::chrono::sys_days;
using std::chrono::weekday;
using std::chrono::year;
using std::chrono::year_month_day;

constexpr sys_days first_day{year{1890} / 1 / 1};
constexpr sys_days last_day{year{2210} / 12 / 31};

std::int32_t count_of(sys_days days) { return static_cast<std::int32_t>(days.time_since_epoch().count()); }

CivilDate civil(year_month_day date) {
  return {.year = static_cast<int>(date.year()),
          .month = static_cast<int>(static_cast<unsigned>(date.month())),
          .day = static_cast<int>(static_cast<unsigned>(date.day()))};
}

TEST(Civil, every_day_from_1890_to_2210_has_the_date_the_standard_library_gives_it) {
  for (sys_days days = first_day; days <= last_day; days += std::chrono::days{1}) {
    ASSERT_EQ(civil_from_days(count_of(days)), civil(days)) << count_of(days);
  }
}

TEST(Civil, every_date_from_1890_to_2210_has_the_day_count_the_standard_library_gives_it) {
  for (sys_days days = first_day; days <= last_day; days += std::chrono::days{1}) {
    const CivilDate date = civil(days);
    ASSERT_EQ(days_from_civil(date.year, date.month, date.day), count_of(days));
  }
}

TEST(Civil, every_day_from_1890_to_2210_has_the_weekday_the_standard_library_gives_it) {
  for (sys_days days = first_day; days <= last_day; days += std::chrono::days{1}) {
    ASSERT_EQ(weekday_from_days(count_of(days)), static_cast<int>(weekday{days}.c_encoding())) << count_of(days);
  }
}

TEST(Civil, every_month_from_1890_to_2210_has_the_length_the_standard_library_gives_it) {
  for (int y = 1890; y <= 2210; ++y) {
    ASSERT_EQ(is_leap_year(y), year{y}.is_leap());
    for (unsigned m = 1; m <= 12; ++m) {
      const auto last = (year{y} / month{m} / std::chrono::last).day();
      ASSERT_EQ(days_in_month(y, static_cast<int>(m)), static_cast<int>(static_cast<unsigned>(last))) << y << '-' << m;
    }
  }
}

TEST(Civil, the_first_and_last_dates_of_four_digit_years_keep_their_day_counts) {
  for (const CivilDate date : {CivilDate{1, 1, 1}, CivilDate{1, 2, 28}, CivilDate{4, 2, 29}, CivilDate{9999, 12, 31}}) {
    const std::int32_t days = days_from_civil(date.year, date.month, date.day);

    EXPECT_EQ(civil_from_days(days), date);
    EXPECT_EQ(days, count_of(year{date.year} / date.month / date.day));
    EXPECT_EQ(weekday_from_days(days),
              static_cast<int>(weekday{sys_days{year{date.year} / date.month / date.day}}.c_encoding()));
  }
}

TEST(Civil, a_date_is_checked_against_the_calendar) {
  struct Case {
    CivilDate date;
    bool exists;
  };
  constexpr std::array cases{Case{{2024, 2, 29}, true},  Case{{2023, 2, 29}, false}, Case{{1900, 2, 29}, false},
                             Case{{2000, 2, 29}, true},  Case{{2023, 4, 31}, false}, Case{{2023, 12, 31}, true},
                             Case{{2023, 13, 1}, false}, Case{{2023, 0, 1}, false},  Case{{2023, 1, 0}, false},
                             Case{{2023, 1, 32}, false}, Case{{0, 1, 1}, false},     Case{{-5, 1, 1}, false},
                             Case{{1, 1, 1}, true},      Case{{2023, -1, 1}, false}, Case{{2023, 1, -1}, false}};

  for (const auto& [date, exists] : cases) {
    EXPECT_EQ(checked_date(date.year, date.month, date.day).has_value(), exists)
        << date.year << '-' << date.month << '-' << date.day;
  }
}

TEST(Civil, division_rounds_towards_the_past) {
  struct Case {
    std::int64_t dividend;
    std::int64_t quotient;
  };
  constexpr std::array cases{Case{0, 0},   Case{1, 0},       Case{86399, 0},   Case{86400, 1},
                             Case{-1, -1}, Case{-86400, -1}, Case{-86401, -2}, Case{172800, 2}};

  for (const auto& [dividend, quotient] : cases)
    EXPECT_EQ(floor_divide(dividend, seconds_per_day), quotient) << dividend;
}

}  // namespace
}  // namespace carillon
