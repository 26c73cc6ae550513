#include "library/scheduler_test.hpp"

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

TimePoint day(int year, unsigned month, unsigned number) {
  return sys_days{std::chrono::year{year} / static_cast<int>(month) / static_cast<int>(number)};
}

TEST_F(SchedulerTest, a_registered_schedule_can_be_looked_at) {
  ASSERT_TRUE(scheduler.register_schedule(
      {.id = "cleanup", .cron = {"0 3 * * *"}, .timezone = "Europe/Berlin", .name = "Clean up"}, do_nothing));

  const ScheduleInfo info = scheduler.get("cleanup").value();

  EXPECT_EQ(info.id, "cleanup");
  EXPECT_EQ(info.name, "Clean up");
  EXPECT_EQ(info.handler, "cleanup");
  EXPECT_EQ(info.status, ScheduleInfo::Status::active);
  EXPECT_TRUE(info.next_run);
  EXPECT_THAT(info.document, HasSubstr(R"("timezone":"Europe/Berlin")"));
  EXPECT_EQ(info.problem, "");
}

TEST_F(SchedulerTest, every_member_of_a_definition_reaches_the_document) {
  ASSERT_TRUE(scheduler.register_schedule({.id = "full",
                                           .handler = "work",
                                           .payload = R"({"depth":3})",
                                           .every = 90min,
                                           .at = {day(2199, 1, 2)},
                                           .enabled = false,
                                           .overlap = Overlap::buffer_latest,
                                           .catch_up = CatchUp::all,
                                           .attempt_count_max = 2,
                                           .retry_delay = 5s,
                                           .timeout = 10min,
                                           .priority = 50,
                                           .description = "All of it"},
                                          do_nothing));

  const ScheduleInfo info = scheduler.get("full").value();

  EXPECT_EQ(info.status, ScheduleInfo::Status::disabled);
  for (const char* part :
       {R"("type":"work")", R"("payload":{"depth":3})", R"("every":"1h30m")", R"("times":["2199-01-02T00:00:00Z"])",
        R"("overlap":"buffer_latest")", R"("policy":"all")", R"("maxAttempts":2)", R"("initial":"5s")",
        R"("timeout":"10m")", R"("priority":"high")", R"("description":"All of it")"})
    EXPECT_THAT(info.document, HasSubstr(part));
}

TEST_F(SchedulerTest, ids_are_checked) {
  const auto refused = scheduler.register_schedule({.id = "no spaces please"}, do_nothing);

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, FailureCode::invalid_argument);
  EXPECT_THAT(refused.error().message, HasSubstr("no spaces please"));
}

TEST_F(SchedulerTest, a_schedule_is_registered_once_however_its_id_is_written) {
  ASSERT_TRUE(scheduler.register_handler("work", do_nothing));
  ASSERT_TRUE(scheduler.register_schedule({.id = "cleanup", .handler = "work"}));

  const auto refused = scheduler.register_schedule({.id = "CleanUp", .handler = "work"});

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, FailureCode::conflict);
  EXPECT_EQ(refused.error().message, "schedule CleanUp is already registered");
}

TEST_F(SchedulerTest, a_bad_expression_is_refused_with_what_is_wrong) {
  const auto refused = scheduler.register_schedule({.id = "cleanup", .cron = {"61 * * * *"}}, do_nothing);

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, FailureCode::invalid_argument);
  EXPECT_THAT(refused.error().message, HasSubstr("/spec/cron"));
  EXPECT_THAT(refused.error().message, HasSubstr("61"));
}

TEST_F(SchedulerTest, an_unknown_zone_a_bad_payload_and_a_negative_delay_are_refused) {
  EXPECT_FALSE(scheduler.register_schedule({.id = "a", .cron = {"@daily"}, .timezone = "Mars/Olympus"}, do_nothing));
  EXPECT_FALSE(scheduler.register_schedule({.id = "a", .payload = "{"}, do_nothing));
  EXPECT_FALSE(scheduler.register_schedule({.id = "a", .retry_delay = -1s}, do_nothing));
  EXPECT_FALSE(scheduler.register_schedule({.id = "a", .every = 10ms}, do_nothing));

  EXPECT_TRUE(scheduler.list()->empty());
}

TEST_F(SchedulerTest, a_refused_schedule_leaves_no_handler_behind) {
  ASSERT_FALSE(scheduler.register_schedule({.id = "cleanup", .cron = {"nonsense"}}, do_nothing));

  EXPECT_TRUE(scheduler.register_schedule({.id = "cleanup", .cron = {"@daily"}}, do_nothing));
}

TEST_F(SchedulerTest, a_schedule_whose_handler_nobody_knows_is_refused) {
  const auto refused = scheduler.register_schedule({.id = "cleanup"});

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, FailureCode::not_found);
  EXPECT_THAT(refused.error().message, HasSubstr(R"(names the handler "cleanup")"));
}

TEST_F(SchedulerTest, must_register_throws_what_register_would_have_said) {
  EXPECT_NO_THROW(scheduler.must_register({.id = "cleanup"}, do_nothing));

  try {
    scheduler.must_register({.id = "cleanup"});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& thrown) {
    EXPECT_STREQ(thrown.what(), "schedule cleanup is already registered");
  }
}

TEST_F(SchedulerTest, the_value_that_is_missing_throws_the_message_of_the_failure) {
  try {
    (void)Scheduler::open({.data = "/dev/null/state"}).value();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const FailureException& thrown) {
    EXPECT_THAT(thrown.what(), HasSubstr("/dev/null"));
    EXPECT_THAT(thrown.what(), HasSubstr(thrown.failure().message));
  }
}

TEST_F(SchedulerTest, documents_are_registered_as_yaml_and_as_json) {
  ASSERT_TRUE(scheduler.register_handler("report.generate", do_nothing));

  EXPECT_TRUE(scheduler.register_document("id: weekly\ncron: 0 9 * * MON\njobType: report.generate\n"));
  EXPECT_TRUE(scheduler.register_document(R"({"id": "hourly", "every": "1h", "jobType": "report.generate"})"));

  EXPECT_THAT(scheduler.list().value(),
              ElementsAre(Field(&ScheduleInfo::id, "weekly"), Field(&ScheduleInfo::id, "hourly")));
}

TEST_F(SchedulerTest, what_only_a_server_performs_is_refused) {
  const auto refused = scheduler.register_document("id: ls\nevery: 1h\ncommand: [/bin/ls]\n");

  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("action command"));
  ASSERT_TRUE(scheduler.register_handler("work", do_nothing));
  EXPECT_FALSE(scheduler.register_document("id: far\nevery: 1h\njobType: work\nqueue: far\n"));
  EXPECT_FALSE(scheduler.register_document("id: far\nnamespace: far\nevery: 1h\njobType: work\n"));
}

TEST_F(SchedulerTest, the_next_run_follows_the_zone) {
  scheduler.must_register({.id = "dawn", .cron = {"0 6 * * *"}, .timezone = "America/New_York"}, do_nothing);

  EXPECT_EQ(scheduler.next_run("dawn", day(2026, 1, 15)).value(), day(2026, 1, 15) + 11h);
  EXPECT_EQ(scheduler.next_run("dawn", day(2026, 7, 15)).value(), day(2026, 7, 15) + 10h);
  EXPECT_EQ(scheduler.next_run("dusk", day(2026, 7, 15)).error().code, FailureCode::not_found);
}

TEST_F(SchedulerTest, a_schedule_without_times_has_no_next_run) {
  scheduler.must_register({.id = "by-hand"}, do_nothing);

  EXPECT_EQ(scheduler.next_run("by-hand", day(2026, 1, 1)).value(), std::nullopt);
  EXPECT_EQ(scheduler.get("by-hand")->next_run, std::nullopt);
}

TEST_F(SchedulerTest, what_comes_next_is_told_over_all_active_schedules) {
  ASSERT_TRUE(scheduler.register_handler("work", do_nothing));
  scheduler.must_register({.id = "first", .handler = "work", .at = {day(2190, 1, 1), day(2190, 1, 3)}});
  scheduler.must_register({.id = "second", .handler = "work", .at = {day(2190, 1, 2), day(2190, 1, 4)}});
  scheduler.must_register({.id = "off", .handler = "work", .at = {day(2190, 1, 1)}, .enabled = false});

  const auto runs = scheduler.upcoming(3).value();

  EXPECT_THAT(runs, ElementsAre(Field(&UpcomingRun::schedule_id, "first"), Field(&UpcomingRun::schedule_id, "second"),
                                Field(&UpcomingRun::schedule_id, "first")));
  EXPECT_EQ(runs.back().nominal, day(2190, 1, 3));
}

TEST_F(SchedulerTest, pausing_keeps_a_schedule_from_starting_and_resuming_lets_it) {
  scheduler.must_register({.id = "cleanup", .cron = {"@daily"}}, do_nothing);

  ASSERT_TRUE(scheduler.pause("cleanup", {.reason = "maintenance"}));
  EXPECT_EQ(scheduler.get("cleanup")->status, ScheduleInfo::Status::paused);
  EXPECT_EQ(scheduler.get("cleanup")->next_run, std::nullopt);
  EXPECT_EQ(scheduler.pause("cleanup").error().message, "Cannot pause schedule with status 'paused'");

  ASSERT_TRUE(scheduler.resume("cleanup"));
  EXPECT_EQ(scheduler.get("cleanup")->status, ScheduleInfo::Status::active);
}

TEST_F(SchedulerTest, a_removed_schedule_is_gone_and_may_be_registered_again) {
  ASSERT_TRUE(scheduler.register_handler("work", do_nothing));
  scheduler.must_register({.id = "cleanup", .handler = "work"});

  ASSERT_TRUE(scheduler.remove("cleanup"));

  EXPECT_EQ(scheduler.get("cleanup").error().code, FailureCode::not_found);
  EXPECT_TRUE(scheduler.list()->empty());
  EXPECT_TRUE(scheduler.register_schedule({.id = "cleanup", .handler = "work"}));
}

TEST_F(SchedulerTest, a_handler_that_came_with_a_schedule_goes_with_it) {
  scheduler.must_register({.id = "cleanup"}, do_nothing);
  ASSERT_TRUE(scheduler.remove("cleanup"));

  EXPECT_TRUE(scheduler.register_schedule({.id = "cleanup"}, do_nothing));
}

TEST(SchedulerFolder, is_one_schedulers_at_a_time) {
  const TemporaryFolder folder;
  const auto first = Scheduler::open({.data = folder.path() / "state"});
  ASSERT_TRUE(first);

  const auto second = Scheduler::open({.data = folder.path() / "state"});

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, FailureCode::conflict);
  EXPECT_THAT(second.error().message, HasSubstr("is in use by pid"));
}

TEST(SchedulerFolder, keeps_schedules_which_the_next_life_of_the_program_registers_again) {
  const TemporaryFolder folder;
  const SchedulerOptions options{.data = folder.path() / "state"};
  TimePoint created_at{};
  {
    auto scheduler = Scheduler::open(options).value();
    scheduler.must_register({.id = "same", .every = 1h}, do_nothing);
    scheduler.must_register({.id = "other", .every = 1h}, do_nothing);
    created_at = scheduler.get("same")->created_at;
  }

  auto scheduler = Scheduler::open(options).value();
  std::vector<std::string> changes;
  scheduler.listen({.schedule_changed = [&](const ScheduleChange& event) {
    changes.push_back(event.schedule_id + (event.change == ScheduleChange::Kind::updated ? " updated" : " added"));
  }});
  scheduler.must_register({.id = "same", .every = 1h}, do_nothing);
  scheduler.must_register({.id = "other", .every = 2h}, do_nothing);

  EXPECT_EQ(scheduler.get("same")->created_at, created_at);
  EXPECT_EQ(scheduler.get("same")->revision, 1);
  EXPECT_THAT(scheduler.get("other")->document, HasSubstr(R"("every":"2h")"));
  EXPECT_THAT(changes, ElementsAre("other updated"));
}

}  // namespace
}  // namespace carillon::testing
