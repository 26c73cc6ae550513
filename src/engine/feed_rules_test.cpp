#include "engine/feed_rules.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>

namespace carillon {
namespace {

const Instant feed_noon = parse_instant("2026-03-01T12:00:00Z").value();
const WrittenRow written_row{.uid = Uid{7}, .seq = Seq{42}, .at = feed_noon};

FeedEvent expected(FeedKind kind, std::optional<RunState> state = {}) {
  return {.at = feed_noon, .kind = kind, .uid = Uid{7}, .subject = Seq{42}, .state = state};
}

Run run_that_is(RunState state) {
  Run run{};
  run.state = state;
  return run;
}

TEST(FeedRules, tell_of_a_decision_unless_it_waits) {
  EXPECT_EQ(event_of_verdict(written_row, Starts{}), expected(FeedKind::run_queued, RunState::queued));
  EXPECT_EQ(event_of_verdict(written_row, Skips{SkipReason::overlap}), expected(FeedKind::occurrence_skipped));
  EXPECT_EQ(event_of_verdict(written_row, Waits{}), std::nullopt);
}

TEST(FeedRules, tell_once_of_occurrences_that_were_skipped_in_a_row) {
  EXPECT_EQ(event_of_skipped_range(written_row), expected(FeedKind::occurrence_skipped));
}

TEST(FeedRules, tell_what_was_done_to_a_schedule) {
  FeedEvent changed = expected(FeedKind::schedule_changed);
  changed.change = ChangeKind::paused;

  EXPECT_EQ(event_of_change(written_row, {.kind = ChangeKind::paused, .by = "ann"}), changed);
}

TEST(FeedRules, name_a_backfill_by_its_number_and_a_schedule_that_was_set_aside_by_its_uid) {
  const FeedEvent progress{.at = feed_noon, .kind = FeedKind::backfill_progress, .uid = Uid{7}, .backfill = 3};
  Backfill backfill{};
  backfill.number = 3;
  const FeedEvent set_aside{.at = feed_noon, .kind = FeedKind::schedule_changed, .uid = Uid{7}};

  EXPECT_EQ(event_of_backfill(written_row, backfill), progress);
  EXPECT_EQ(event_of_quarantine(written_row), set_aside);
}

TEST(FeedRules, tell_of_jobs_and_claims) {
  EXPECT_EQ(event_of_job(written_row), expected(FeedKind::run_queued, RunState::queued));
  EXPECT_EQ(event_of_claim(written_row), expected(FeedKind::run_started, RunState::running));
}

TEST(FeedRules, tell_what_a_run_has_become) {
  struct Case {
    RunState state;
    std::optional<FeedKind> kind;
  };
  const std::array cases{
      Case{RunState::waiting, {}},
      Case{RunState::queued, FeedKind::run_queued},
      Case{RunState::running, {}},
      Case{RunState::retrying, FeedKind::run_retrying},
      Case{RunState::succeeded, FeedKind::run_finished},
      Case{RunState::failed, FeedKind::run_finished},
      Case{RunState::timed_out, FeedKind::run_finished},
      Case{RunState::cancelled, FeedKind::run_finished},
      Case{RunState::lost, FeedKind::run_finished},
      Case{RunState::expired, FeedKind::run_finished},
  };

  for (const Case& one : cases) {
    const auto event = event_of_run(written_row, run_that_is(one.state));
    if (one.kind)
      EXPECT_EQ(event, expected(*one.kind, one.state));
    else
      EXPECT_EQ(event, std::nullopt);
  }
}

TEST(FeedRules, tell_of_an_order_what_it_ended) {
  struct Case {
    RunOrder::Kind order;
    RunState next;
    std::optional<FeedEvent> event;
  };
  const std::array cases{
      Case{RunOrder::Kind::cancel, RunState::cancelled, expected(FeedKind::run_finished, RunState::cancelled)},
      Case{RunOrder::Kind::cancel, RunState::running, {}},
      Case{RunOrder::Kind::terminate, RunState::cancelled, expected(FeedKind::run_finished, RunState::cancelled)},
      Case{RunOrder::Kind::terminate, RunState::running, {}},
      Case{RunOrder::Kind::withdraw, RunState::cancelled, expected(FeedKind::occurrence_skipped)},
      Case{RunOrder::Kind::hold_back, RunState::waiting, {}},
      Case{RunOrder::Kind::end_retries, RunState::running, {}},
      Case{RunOrder::Kind::end_retries, RunState::failed, expected(FeedKind::run_finished, RunState::failed)},
  };

  for (const Case& one : cases)
    EXPECT_EQ(event_of_order(written_row, {.kind = one.order}, run_that_is(one.next)), one.event)
        << static_cast<int>(one.order) << " " << static_cast<int>(one.next);
}

}  // namespace
}  // namespace carillon
