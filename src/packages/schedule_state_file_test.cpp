#include "packages/schedule_state_file.hpp"

#include <gmock/gmock.h>

namespace carillon::packages {
namespace {

using ::testing::HasSubstr;

Instant at_time(std::string_view text) { return parse_instant(text).value(); }

constexpr std::string_view whole_state = R"({
  "version": 1,
  "scheduleId": "daily-report-a1b2c3",
  "pipelineId": "daily-report",
  "status": "idle",
  "enabled": true,
  "lastRun": {
    "startedAt": "2026-01-26T14:00:00.000Z",
    "completedAt": "2026-01-26T14:02:35.000Z",
    "success": true,
    "itemsProcessed": 42,
    "resultFile": ".results/2026-01-26T14-00-00.json"
  },
  "nextRun": "2026-01-27T14:00:00.000Z",
  "stats": {
    "totalRuns": 156,
    "successfulRuns": 152,
    "failedRuns": 4,
    "lastFailure": "2026-01-20T14:00:00.000Z"
  },
  "history": [
    {
      "startedAt": "2026-01-26T14:00:00.000Z",
      "completedAt": "2026-01-26T14:02:35.000Z",
      "success": true,
      "duration": 155000
    }
  ]
}
)";

PackageState a_state() {
  const PackageRun run{.started_at = at_time("2026-01-26T14:00:00Z"),
                       .completed_at = at_time("2026-01-26T14:02:35Z"),
                       .is_success = true};
  PackageState state{.schedule_id = "daily-report-a1b2c3",
                     .pipeline_id = "daily-report",
                     .last_run = run,
                     .next_run = at_time("2026-01-27T14:00:00Z"),
                     .stats = {.total_runs = 156,
                               .successful_runs = 152,
                               .failed_runs = 4,
                               .last_failure = at_time("2026-01-20T14:00:00Z")},
                     .history = {run}};
  state.last_run->items_processed = 42;
  state.last_run->result_file = ".results/2026-01-26T14-00-00.json";
  state.history.front().duration_ms = 155'000;
  return state;
}

TEST(ScheduleStateFile, has_the_documented_form) { EXPECT_EQ(write_package_state(a_state()), whole_state); }

TEST(ScheduleStateFile, is_read_as_it_was_written) {
  EXPECT_EQ(read_package_state(whole_state).value(), a_state());

  PackageState failed = a_state();
  failed.status = PackageStatus::error;
  failed.last_run->is_success = false;
  failed.last_run->error = "said \"no\"\n";
  failed.last_run->retry_attempt = 3;
  failed.last_run->completed_at.reset();
  failed.stats.average_duration_ms = 7;
  EXPECT_EQ(read_package_state(write_package_state(failed)).value(), failed);
}

TEST(ScheduleStateFile, may_say_null_where_nothing_is_known) {
  const auto state = read_package_state(
      R"({"version":1,"scheduleId":"a","pipelineId":"a","status":"paused","enabled":true,"nextRun":null,"other":1,
          "lastRun":{"startedAt":"2026-01-26T14:00:00.000Z","completedAt":null,"success":false,"error":null},
          "stats":{"totalRuns":1,"successfulRuns":0,"failedRuns":1,"lastFailure":null},"history":[]})");

  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(state->status, PackageStatus::paused);
  EXPECT_EQ(state->last_run->completed_at, std::nullopt);
}

TEST(ScheduleStateFile, has_no_next_run_while_nothing_will_run) {
  for (const PackageStatus status : {PackageStatus::paused, PackageStatus::disabled}) {
    PackageState state = a_state();
    state.status = status;

    EXPECT_THAT(write_package_state(state), HasSubstr(R"("nextRun": null)"));
  }
}

TEST(ScheduleStateFile, tells_of_so_many_runs_at_most) {
  PackageState state = a_state();
  state.history.assign(history_count_max + 10, state.history.front());
  state.history.front().duration_ms = 1;

  const PackageState read = read_package_state(write_package_state(state)).value();

  EXPECT_EQ(read.history.size(), history_count_max);
  EXPECT_EQ(read.history.front().duration_ms, 1);
}

TEST(ScheduleStateFile, that_cannot_be_understood_is_an_error_and_never_empty) {
  struct Case {
    std::string text;
    std::string message;
  };
  const std::vector<Case> cases{
      {"", ""},
      {"{", ""},
      {"[]", "no version"},
      {"{}", "no version"},
      {R"({"version": "1"})", "no version"},
      {R"({"version": 2, "status": "idle"})", "it is of version 2"},
      {R"({"version": 1})", "scheduleId is missing"},
      {R"({"version":1,"scheduleId":"a","pipelineId":"a","status":"asleep","enabled":true})", "asleep"},
      {R"({"version":1,"scheduleId":"a","pipelineId":"a","status":"idle","enabled":true,"history":{}})", "history"},
      {R"({"version":1,"scheduleId":"a","pipelineId":"a","status":"idle","enabled":true,"history":[{"success":true}]})",
       "startedAt is missing"}};
  for (const auto& [text, message] : cases) {
    const auto state = read_package_state(text);
    ASSERT_FALSE(state) << text;
    EXPECT_THAT(state.error().message, HasSubstr(message)) << text;
  }
}

TEST(PackageStatusWord, is_that_of_what_matters_most) {
  using enum PackageStatus;
  EXPECT_EQ(status_of({.is_disabled = true, .is_paused = true, .is_running = true, .has_failed = true}), disabled);
  EXPECT_EQ(status_of({.is_paused = true, .is_running = true, .has_failed = true}), paused);
  EXPECT_EQ(status_of({.is_running = true, .has_failed = true}), running);
  EXPECT_EQ(status_of({.has_failed = true}), error);
  EXPECT_EQ(status_of({}), idle);
}

}  // namespace
}  // namespace carillon::packages
