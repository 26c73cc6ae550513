#include "conformance/store_test.hpp"

namespace carillon::conformance {
namespace {

class Outages : public StoreTest {
 protected:
  /// A server that has just come tells that it decides.
  std::optional<Outage> arrive(OutageCause cause = OutageCause::down) {
    return must(schedules().note_deciding({.since = now(), .cause = cause}));
  }
};
CARILLON_RUN_FOR_EVERY_STORE(Outages);

TEST_P(Outages, begin_with_the_first_server) {
  EXPECT_EQ(arrive(), std::nullopt);
  EXPECT_THAT(ledger(), IsEmpty());
  EXPECT_EQ(must(schedules().read_page(Uid{}, 0)).decided_at, noon);
}

TEST_P(Outages, are_the_time_between_two_notes) {
  arrive();
  advance(10min);

  const auto outage = arrive(OutageCause::halted);

  ASSERT_TRUE(outage);
  EXPECT_EQ(outage->from, noon);
  EXPECT_EQ(outage->to, noon + 10min);
  EXPECT_EQ(outage->cause, OutageCause::halted);
  const auto written = lines<OutageLine>();
  ASSERT_THAT(written, SizeIs(1));
  EXPECT_EQ(written[0].head.seq, outage->seq);
  EXPECT_EQ(written[0].head.at, noon + 10min);
  EXPECT_EQ(written[0].from, noon);
  EXPECT_EQ(written[0].to, noon + 10min);
  EXPECT_EQ(written[0].cause, OutageCause::halted);
}

TEST_P(Outages, end_when_the_server_came_not_when_it_tells) {
  arrive();
  advance(1h);

  const auto outage = must(schedules().note_deciding({.since = noon + 20min, .cause = OutageCause::down}));

  ASSERT_TRUE(outage);
  EXPECT_EQ(outage->to, noon + 20min);
}

TEST_P(Outages, are_not_told_of_who_was_there_all_the_time) {
  arrive();
  advance(1h);

  EXPECT_EQ(must(schedules().note_deciding({.since = noon, .cause = OutageCause::halted})), std::nullopt);
  EXPECT_THAT(ledger(), IsEmpty());
}

TEST_P(Outages, are_not_told_if_they_are_short_or_another_server_was_there) {
  arrive();
  advance(outage_min);
  EXPECT_EQ(arrive(), std::nullopt);
  advance(outage_min);

  EXPECT_EQ(arrive(), std::nullopt);
  EXPECT_THAT(ledger(), IsEmpty());
}

TEST_P(Outages, are_not_told_of_a_clock_that_was_set_back) {
  arrive();
  set_time(noon - 1h);
  EXPECT_EQ(arrive(), std::nullopt);
  advance(1min);

  const auto outage = arrive();

  ASSERT_TRUE(outage);
  EXPECT_EQ(outage->from, noon - 1h) << "the last note counts, not the latest time";
}

TEST_P(Outages, are_handed_out_with_whatever_is_decided) {
  create("nightly");
  arrive();
  advance(1min);
  const auto first = arrive();
  advance(1min);
  const auto second = arrive(OutageCause::store);

  EXPECT_THAT(read_due().outages, ElementsAre(*first, *second));
  EXPECT_THAT(must(schedules().find(key_of("nightly"))).outages, ElementsAre(*first, *second));
  EXPECT_THAT(must(schedules().read_page(Uid{}, 10)).outages, ElementsAre(*first, *second));
}

TEST_P(Outages, are_numbered_among_the_other_lines) {
  arrive();
  create("nightly");
  const Seq before = start("nightly");
  advance(1min);

  const auto outage = arrive();
  const Seq after = start("nightly");

  ASSERT_TRUE(outage);
  EXPECT_LT(before, outage->seq);
  EXPECT_LT(outage->seq, after);
}

TEST_P(Outages, handed_out_are_the_newest_ones) {
  arrive();
  for (std::size_t i = 0; i < outages_told_max + 2; ++i) {
    advance(1min);
    arrive();
  }

  const auto outages = read_due().outages;

  ASSERT_THAT(outages, SizeIs(outages_told_max));
  EXPECT_EQ(outages.back().to, now());
  EXPECT_EQ(outages.front().to, now() - static_cast<int>(outages_told_max - 1) * 1min);
}

TEST_P(Outages, are_found_by_the_time_they_touch) {
  arrive();
  for (int i = 0; i < 3; ++i) {
    advance(1min);
    arrive();
  }
  const auto ends = [&](Instant from, Instant to, std::size_t count_max) {
    std::vector<Instant> found;
    for (const Outage& outage : must(query_store().read_outages(from, to, count_max))) found.push_back(outage.to);
    return found;
  };

  EXPECT_THAT(ends(noon, noon + 1h, 10), ElementsAre(noon + 1min, noon + 2min, noon + 3min));
  EXPECT_THAT(ends(noon, noon + 1h, 2), ElementsAre(noon + 2min, noon + 3min)) << "the newest";
  EXPECT_THAT(ends(noon + 1min, noon + 90s, 10), ElementsAre(noon + 2min));
  EXPECT_THAT(ends(noon - 1h, noon, 10), IsEmpty());
}

TEST_P(Outages, have_a_bound) {
  arrive();
  for (std::size_t i = 0; i < outages_kept_max + 3; ++i) {
    advance(1min);
    arrive();
  }

  EXPECT_THAT(lines<OutageLine>(), SizeIs(outages_kept_max));
  EXPECT_EQ(lines<OutageLine>().back().to, now());
}

}  // namespace
}  // namespace carillon::conformance
