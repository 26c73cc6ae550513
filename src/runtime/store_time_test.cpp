#include "runtime/store_time.hpp"

#include "support/manual_clock.hpp"

#include <gtest/gtest.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;

const Instant nine = parse_instant("2027-03-01T09:00:00Z").value();

TEST(StoreTime, is_counted_from_the_last_answer_at_the_pace_of_the_boot_clock) {
  ManualClock clock{nine, 1h};
  StoreTime time{clock, StoreTime::Source::answers};

  time.see(nine + 3h);
  clock.advance(10s);
  clock.advance_wall(2h);

  EXPECT_EQ(time.now(), nine + 3h + 10s);
}

TEST(StoreTime, is_not_before_an_answer_that_something_follows) {
  ManualClock clock{nine, 1h};
  StoreTime time{clock, StoreTime::Source::answers};

  time.see(nine);
  clock.advance(10s);

  EXPECT_EQ(time.now_after(nine + 12s), nine + 12s);
  EXPECT_EQ(time.now_after(nine + 5s), nine + 10s);
}

TEST(StoreTime, of_a_clock_that_was_set_back_follows_the_clock) {
  ManualClock clock{nine, 1h};
  StoreTime time{clock, StoreTime::Source::own_clock};

  EXPECT_EQ(time.now_after(nine + 2h), nine);
}

TEST(StoreTime, is_this_machines_wall_clock_if_the_store_goes_by_it) {
  ManualClock clock{nine, 1h};
  StoreTime time{clock, StoreTime::Source::own_clock};

  time.see(nine - 1s);
  clock.advance_wall(2h);

  EXPECT_EQ(time.now(), nine + 2h);
}

}  // namespace
}  // namespace carillon::testing
