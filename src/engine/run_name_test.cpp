#include "engine/run_name.hpp"

#include <gtest/gtest.h>

namespace carillon {
namespace {

const Instant at_nine = parse_instant("2026-01-27T09:00:00Z").value();
const ScheduleId nightly = ScheduleId::parse("nightly").value();

TEST(RunName, of_an_occurrence_is_its_schedule_and_nominal_time) {
  EXPECT_EQ(run_name(nightly, at_nine, Source::schedule, ""), "nightly@2026-01-27T09:00:00Z");
  EXPECT_EQ(run_name(nightly, at_nine, Source::catchup, ""), "nightly@2026-01-27T09:00:00Z");
}

TEST(RunName, tells_what_else_has_made_a_run_for_the_same_nominal_time) {
  EXPECT_EQ(run_name(nightly, at_nine, Source::trigger, "t1"), "nightly@2026-01-27T09:00:00Z+trigger-t1");
  EXPECT_EQ(run_name(nightly, at_nine, Source::backfill, "b1"), "nightly@2026-01-27T09:00:00Z+backfill-b1");
  EXPECT_EQ(run_name(nightly, at_nine, Source::chain, "a"), "nightly@2026-01-27T09:00:00Z+chain-a");
  EXPECT_EQ(run_name(nightly, at_nine, Source::adhoc, "~x5"), "~x5");
}

TEST(TriggerId, tells_which_run_is_started_again_and_whether_its_answers_are_reused) {
  EXPECT_EQ(trigger_id(0x79, ""), "79");
  EXPECT_EQ(trigger_id(0x79, "r-7f3a"), "79-of-r-7f3a");
  EXPECT_EQ(trigger_id(0x79, "r-7f3a", Retry::failed_items), "79-failed-items-of-r-7f3a");

  EXPECT_EQ(retried_by("79"), "");
  EXPECT_EQ(retried_by("79-of-r-7f3a"), "r-7f3a");
  EXPECT_EQ(retried_by("79-failed-items-of-r-7f3a"), "r-7f3a");
  EXPECT_EQ(answers_reused_by("79-of-r-7f3a"), "");
  EXPECT_EQ(answers_reused_by("79-failed-items-of-r-7f3a"), "r-7f3a");
}

TEST(RunName, is_taken_apart_again) {
  const auto parts = parse_run_name("nightly@2026-01-27T09:00:00Z+trigger-t1").value();

  EXPECT_EQ(parts.schedule, "nightly");
  EXPECT_EQ(parts.nominal, at_nine);
  EXPECT_EQ(parts.tail, "+trigger-t1");
  EXPECT_EQ(parse_run_name("nightly@2026-01-27T09:00:00Z").value().tail, "");
}

TEST(RunName, of_no_schedule_is_not_taken_apart) {
  for (const std::string_view name : {"", "nightly", "~x5", "nightly@", "nightly@noon", "nightly@+trigger-t1"})
    EXPECT_FALSE(parse_run_name(name)) << name;
}

}  // namespace
}  // namespace carillon
