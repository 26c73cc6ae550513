#include "calendar/wall_rule.hpp"

#include "calendar/cron.hpp"
#include "support/test_zones.hpp"

#include <gtest/gtest.h>

#include <string>

namespace carillon {
namespace {

using testing::second_at;

WallRule rule(std::string_view cron) { return parse_cron(cron).value().rule; }

std::string first(std::string_view cron, std::string_view from) {
  const WallSecond found = rule(cron).first_at_or_after(second_at(from));
  return found == WallRule::none ? "none" : to_text(Instant{std::chrono::seconds{found}});
}

std::string last(std::string_view cron, std::string_view from) {
  const WallSecond found = rule(cron).last_at_or_before(second_at(from));
  return found == WallRule::none ? "none" : to_text(Instant{std::chrono::seconds{found}});
}

struct Case {
  std::string_view cron;
  std::string_view from;
  std::string_view expected;
};

TEST(WallRule, finds_the_first_match_at_or_after) {
  const Case cases[] = {
      {"* * * * *", "2026-05-05T10:00:00Z", "2026-05-05T10:00:00Z"},
      {"* * * * *", "2026-05-05T10:00:01Z", "2026-05-05T10:01:00Z"},
      {"59 23 31 12 *", "2026-12-31T23:59:01Z", "2027-12-31T23:59:00Z"},
      {"*/10 * * * * *", "2026-05-05T10:00:51Z", "2026-05-05T10:01:00Z"},
      {"0 9 * * 1-5", "2026-05-09T00:00:00Z", "2026-05-11T09:00:00Z"},
      {"0 0 29 2 *", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00Z"},
      {"0 0 13 * 5", "2026-05-05T00:00:00Z", "2026-05-08T00:00:00Z"},
      {"0 0 1,31 * *", "2025-02-02T00:00:00Z", "2025-03-01T00:00:00Z"},
      {"0 0 */30 * *", "2025-02-02T00:00:00Z", "2025-03-01T00:00:00Z"},
      {"0 0 L * *", "2028-02-01T00:00:00Z", "2028-02-29T00:00:00Z"},
      {"0 0 L * *", "2027-02-01T00:00:00Z", "2027-02-28T00:00:00Z"},
      {"0 0 L-3 * *", "2026-04-01T00:00:00Z", "2026-04-27T00:00:00Z"},
      {"0 0 L-30 * *", "2026-04-01T00:00:00Z", "2026-05-01T00:00:00Z"},
      {"0 0 LW * *", "2026-05-01T00:00:00Z", "2026-05-29T00:00:00Z"},   // 31 May is a Sunday
      {"0 0 LW * *", "2026-10-01T00:00:00Z", "2026-10-30T00:00:00Z"},   // 31 October is a Saturday
      {"0 0 15W * *", "2026-08-01T00:00:00Z", "2026-08-14T00:00:00Z"},  // a Saturday goes to Friday
      {"0 0 15W * *", "2026-11-01T00:00:00Z", "2026-11-16T00:00:00Z"},  // a Sunday goes to Monday
      {"0 0 1W * *", "2026-08-01T00:00:00Z", "2026-08-03T00:00:00Z"},   // stays in its month
      {"0 0 31W * *", "2026-05-01T00:00:00Z", "2026-05-29T00:00:00Z"},  // stays in its month
      {"0 0 31W * *", "2026-06-01T00:00:00Z", "2026-07-31T00:00:00Z"},  // silent without a 31st
      {"0 0 * * 5L", "2026-05-01T00:00:00Z", "2026-05-29T00:00:00Z"},
      {"0 0 * * 5#L", "2026-05-01T00:00:00Z", "2026-05-29T00:00:00Z"},
      {"0 0 * * MON#2", "2026-05-01T00:00:00Z", "2026-05-11T00:00:00Z"},
      {"0 0 * * 5#5", "2026-05-30T00:00:00Z", "2026-07-31T00:00:00Z"},  // June has four Fridays
      {"0 0 * * 7", "2026-05-04T00:00:00Z", "2026-05-10T00:00:00Z"},
      {"0 0 * * FRI-SUN", "2026-05-04T00:00:00Z", "2026-05-08T00:00:00Z"},
      {"0 0 29 2 *", "2196-03-01T00:00:00Z", "none"},
  };

  for (const Case& c : cases) EXPECT_EQ(first(c.cron, c.from), c.expected) << c.cron << " from " << c.from;
}

TEST(WallRule, finds_the_last_match_at_or_before) {
  const Case cases[] = {
      {"* * * * *", "2026-05-05T10:00:00Z", "2026-05-05T10:00:00Z"},
      {"* * * * *", "2026-05-05T10:00:59Z", "2026-05-05T10:00:00Z"},
      {"59 23 31 12 *", "2026-12-31T23:58:59Z", "2025-12-31T23:59:00Z"},
      {"*/10 * * * * *", "2026-05-05T10:01:09Z", "2026-05-05T10:01:00Z"},
      {"0 9 * * 1-5", "2026-05-11T08:59:59Z", "2026-05-08T09:00:00Z"},
      {"0 0 29 2 *", "2104-02-28T23:00:00Z", "2096-02-29T00:00:00Z"},
      {"0 0 L * *", "2028-03-30T00:00:00Z", "2028-02-29T00:00:00Z"},
      {"0 0 29 2 *", "1904-02-28T00:00:00Z", "none"},
  };

  for (const Case& c : cases) EXPECT_EQ(last(c.cron, c.from), c.expected) << c.cron << " from " << c.from;
}

TEST(WallRule, days_of_month_and_week_are_alternatives_when_both_are_restricted) {
  EXPECT_EQ(rule("0 0 13 * 5").day.days_of_month(31, 5),
            (1U << 13) | (1U << 1 | 1U << 8 | 1U << 15 | 1U << 22 | 1U << 29));
  EXPECT_EQ(rule("0 0 13 * *").day.days_of_month(31, 5), 1U << 13);
  EXPECT_EQ(rule("0 0 13 * */1").day.days_of_month(31, 5), 1U << 13);
  EXPECT_EQ(rule("0 0 ? * 5").day.days_of_month(28, 5), (1U << 1 | 1U << 8 | 1U << 15 | 1U << 22));
  EXPECT_EQ(rule("0 0 13 * 0-6").day.days_of_month(28, 5), (1U << 29) - 2);
}

TEST(WallRule, knows_whether_anything_can_match) {
  WallRule february_30 = rule("0 0 30 1 *");
  february_30.months = 1 << 2;

  EXPECT_FALSE(february_30.can_match());
  EXPECT_TRUE(rule("0 0 29 2 *").can_match());
}

TEST(WallRule, counts_the_times_of_a_day) {
  EXPECT_EQ(rule("* * * * *").times_per_day(), 1440U);
  EXPECT_EQ(rule("*/15 9-17 * * *").times_per_day(), 36U);
  EXPECT_TRUE(rule("* * * * * *").is_whole_day());
  EXPECT_FALSE(rule("* * * * *").is_whole_day());
}

}  // namespace
}  // namespace carillon
