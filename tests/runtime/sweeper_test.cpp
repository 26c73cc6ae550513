#include "runtime/sweeper.hpp"

#include "runtime/runtime_fixture.hpp"

#include <gmock/gmock.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::Each;
using ::testing::Ge;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class SweeperTest : public RuntimeTest {
 protected:
  /// Occurrences of the schedule and their runs, one after the other.
  void perform(int count, AttemptOutcome outcome = AttemptOutcome::succeeded) {
    for (int i = 0; i < count; ++i) {
      pass(5min);
      end_newest({.outcome = outcome, .result = R"("done")"});
    }
  }
  /// Two rounds, since attempts go a round after their run.
  void sweep() {
    for (int i = 0; i < 100; ++i) {
      clock.advance_boot(1h);
      (void)sweeper.tick();
    }
  }
  std::vector<Seq> runs() {
    std::vector<Seq> seqs;
    const auto records = memory.read_ledger(Seq{}, 10'000).value();
    for (const LedgerRecord& record : records)
      if (const auto* line = std::get_if<DecisionLine>(&record)) seqs.push_back(line->head.seq);
    return seqs;
  }
  std::size_t result_count() {
    return static_cast<std::size_t>(
        std::ranges::count_if(runs(), [&](Seq run) { return memory.read_result(run).value().has_value(); }));
  }
  static ScheduleBuilder keeping(std::int64_t run_count, std::int64_t day_count) {
    ScheduleBuilder builder = a_command();
    builder.keep({.runs = run_count, .days = day_count});
    return builder;
  }

  Sweeper sweeper{memory, memory, &logs, clock, log, {.page = 50}};
};

TEST_F(SweeperTest, forgets_results_of_runs_beyond_those_to_keep) {
  create(keeping(3, 30));
  perform(100);

  sweep();

  // Not every run gives cause to look.
  EXPECT_LT(result_count(), 70U);
  EXPECT_GE(result_count(), 3U);
  EXPECT_THAT(runs(), SizeIs(100));
  EXPECT_THAT(logs.removed, IsEmpty()) << "logs are kept by age too";
  EXPECT_THAT(logs.trimmed, Contains(old_logs_size_max)) << "and by size";
}

TEST_F(SweeperTest, removes_logs_that_are_a_week_old_and_beyond_the_runs_to_keep) {
  create(keeping(3, 90));
  perform(100);
  sweep();
  const std::size_t with_details = result_count();

  clock.advance_wall(7 * 24h);
  sweep();

  EXPECT_THAT(logs.removed, SizeIs(100 - with_details));
  EXPECT_THAT(runs(), SizeIs(100)) << "their lines stay";
}

TEST_F(SweeperTest, keeps_logs_of_failed_runs_for_a_month) {
  ScheduleBuilder builder = keeping(3, 90);
  create(builder.with([](Policies& policies) { policies.retry.attempt_count_max = 1; }));
  perform(50, AttemptOutcome::failed);
  perform(50);
  sweep();
  clock.advance_wall(8 * 24h);
  sweep();
  EXPECT_THAT(logs.removed, Each(Gt(runs().at(49))));
  EXPECT_THAT(logs.removed, Not(IsEmpty()));

  clock.advance_wall(23 * 24h);
  sweep();

  EXPECT_THAT(logs.removed, Contains(runs().front()));
}

TEST_F(SweeperTest, forgets_decisions_when_they_are_old_and_their_runs_beyond_those_to_keep) {
  create(keeping(3, 2));
  perform(100);
  const auto all = runs();
  sweep();
  ASSERT_EQ(runs(), all);
  const std::size_t with_details = result_count();

  clock.advance_wall(49h);
  sweep();

  EXPECT_THAT(runs(), SizeIs(with_details));
  EXPECT_THAT(runs(), Each(Ge(all[all.size() - with_details]))) << "the newest stay";
  EXPECT_EQ(ledger().size(), 2 * with_details) << "attempts go with their runs";
}

TEST_F(SweeperTest, goes_by_the_newest_definition) {
  create(keeping(100, 30));
  perform(50);
  sweep();
  ASSERT_EQ(result_count(), 50U);

  ASSERT_TRUE(commands.edit(keeping(1, 1).document(), "anna"));
  sweep();

  EXPECT_LT(result_count(), 45U);
}

TEST_F(SweeperTest, rests_longer_than_it_works_and_looks_again_for_what_comes) {
  EXPECT_EQ(sweeper.tick(), clock.since_boot() + 1min);
  create(keeping(1, 30));
  perform(60);

  EXPECT_EQ(sweeper.tick(), clock.since_boot()) << "there is more, and by this clock it took no time";
}

}  // namespace
}  // namespace carillon::testing
