#include "service/service_fixture.hpp"

#include <gmock/gmock.h>

namespace carillon {
namespace {

using namespace std::chrono_literals;

class OutcomesTest : public testing::ServiceTest {
 protected:
  OutcomesAnswer outcomes(const Caller& caller, Duration bucket) {
    const Instant now = clock_.now();
    return must(runs_.outcomes(caller, {}, now - 1h, now + 1min, bucket));
  }
  void trigger(const std::string& id, const std::string& name_space) {
    must(schedules_.trigger(admin(), {.id = id, .name_space = name_space}, {}, {}));
  }
};

TEST_F(OutcomesTest, are_counted_where_they_were_decided) {
  create(R"({"id":"bell","jobType":"t"})");
  trigger("bell", "default");
  clock_.advance(30min);
  trigger("bell", "default");
  trigger("bell", "default");

  const OutcomesAnswer answer = outcomes(admin(), 15min);

  std::vector<std::int64_t> open;
  for (const OutcomeBucket& bucket : answer.buckets) open.push_back(bucket.open);
  EXPECT_THAT(open, ::testing::ElementsAre(0, 0, 1, 0, 2));
  EXPECT_FALSE(answer.is_partial);
}

TEST_F(OutcomesTest, of_another_namespace_are_not_told) {
  create(R"({"id":"bell","namespace":"blue","jobType":"t"})");
  trigger("bell", "blue");

  EXPECT_EQ(outcomes(bound_to("blue"), 2h).buckets.front().open, 1);
  EXPECT_EQ(outcomes(bound_to("red"), 2h).buckets.front().open, 0);
}

TEST_F(OutcomesTest, are_refused_for_ranges_and_buckets_that_make_no_sense) {
  const Instant now = clock_.now();

  EXPECT_EQ(runs_.outcomes(admin(), {}, now, now, 1h).error().kind, Refusal::Kind::invalid);
  EXPECT_EQ(runs_.outcomes(admin(), {}, now - 1h, now, 1ms).error().kind, Refusal::Kind::invalid);
  EXPECT_EQ(runs_.outcomes(admin(), {}, now - 24h, now, 1s).error().kind, Refusal::Kind::invalid);
}

}  // namespace
}  // namespace carillon
