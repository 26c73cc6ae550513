#include "service/load_work.hpp"

#include <gmock/gmock.h>

namespace carillon {
namespace {

using namespace std::chrono_literals;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

RunRecordRow a_run(Uid uid, RunState state, Duration took) {
  RunRecordRow row;
  row.uid = uid;
  row.key = ScheduleKey{NamespaceId::parse("default").value(), ScheduleId::parse("nightly").value()};
  row.run.state = state;
  row.run.started_at = Instant{1h};
  row.run.ended_at = Instant{1h} + took;
  return row;
}

TEST(AverageDurations, are_of_runs_that_ended_by_themselves) {
  const std::vector<RunRecordRow> runs{a_run(Uid{1}, RunState::succeeded, 10s), a_run(Uid{1}, RunState::failed, 30s),
                                       a_run(Uid{1}, RunState::cancelled, 1h), a_run(Uid{2}, RunState::running, 1h)};

  EXPECT_THAT(average_durations(runs), ElementsAre(Pair(Uid{1}, Duration{20s})));
  EXPECT_THAT(average_durations({}), IsEmpty());
}

TEST(WorkForecast, a_start_is_at_work_for_as_long_as_it_takes) {
  struct Case {
    const char* name;
    std::size_t bucket;
    std::int64_t count;
    Duration takes;
    std::vector<double> busy;
  };
  const std::vector<Case> cases{
      {"within its bucket", 1, 1, 15min, {0, 0.25, 0, 0}}, {"many of them", 1, 8, 15min, {0, 2, 0, 0}},
      {"exactly its bucket", 0, 1, 1h, {1, 0, 0, 0}},      {"into the next", 0, 2, 90min, {2, 1, 0, 0}},
      {"beyond the end", 2, 1, 10h, {0, 0, 1, 1}},         {"in no time", 0, 5, 0s, {0, 0, 0, 0}},
  };
  for (const Case& one : cases) {
    WorkForecast forecast{4, 1h};
    forecast.add(one.bucket, one.count, one.takes);
    const auto busy = forecast.busy();
    ASSERT_EQ(busy.size(), 4U) << one.name;
    for (std::size_t i = 0; i < busy.size(); ++i)
      EXPECT_NEAR(busy[i], one.busy[i], 1e-9) << one.name << ", bucket " << i;
  }
}

TEST(WorkForecast, starts_add_up) {
  WorkForecast forecast{2, 1h};
  forecast.add(0, 2, 90min);
  forecast.add(1, 1, 30min);

  EXPECT_THAT(forecast.busy(), ElementsAre(DoubleNear(2, 1e-9), DoubleNear(1.5, 1e-9)));
}

}  // namespace
}  // namespace carillon
