#include "service/managed_definition.hpp"
#include "service_fixture.hpp"

#include <gmock/gmock.h>

namespace carillon::testing {
namespace {

using ::testing::HasSubstr;

class ManagedByFileTest : public ServiceTest {
 protected:
  ManagedByFileTest() {
    parts_.has_watched_folder = true;
    must(schedules_.create(keeper(), json(filed), {}));
  }
  static Caller keeper() {
    Caller caller{.actor = "file", .address = {}, .role = Role::admin};
    caller.keeps_files = true;
    return caller;
  }

  static constexpr std::string_view filed =
      R"({"id":"bell","jobType":"ring","labels":{"carillon.managed-by":"file:a/bell.yaml"}})";
};

TEST_F(ManagedByFileTest, a_schedule_is_read_only_for_others_and_says_its_file) {
  const auto refusals = {schedules_.patch(admin(), {.id = "bell"}, json(R"({"name":"Bell"})"), {}).error(),
                         schedules_.put(admin(), {.id = "bell"}, json(R"({"jobType":"ring"})"), {}).error(),
                         schedules_.remove(admin(), {.id = "bell"}, {}).error(),
                         schedules_.disable(admin(), {.id = "bell"}, {}).error(),
                         schedules_.enable(admin(), {.id = "bell"}, {}).error()};
  for (const Refusal& refusal : refusals) {
    EXPECT_EQ(refusal.kind, Refusal::Kind::forbidden);
    EXPECT_EQ(refusal.code, "managed_by_file");
    EXPECT_THAT(refusal.message, HasSubstr("a/bell.yaml"));
  }
}

TEST_F(ManagedByFileTest, a_schedule_can_be_operated_by_others) {
  EXPECT_TRUE(schedules_.pause(admin(), {.id = "bell"}, {}, {}));
  EXPECT_TRUE(schedules_.resume(admin(), {.id = "bell"}, {}));
  EXPECT_TRUE(schedules_.trigger(admin(), {.id = "bell"}, {}, {}));
}

TEST_F(ManagedByFileTest, a_schedule_can_be_changed_by_who_keeps_it_as_the_file_says) {
  EXPECT_TRUE(schedules_.patch(keeper(), {.id = "bell"}, json(R"({"name":"Bell"})"), {}));
  EXPECT_TRUE(schedules_.remove(keeper(), {.id = "bell"}, {}));
}

TEST_F(ManagedByFileTest, nobody_else_can_say_that_a_schedule_is_of_a_file) {
  const auto made =
      schedules_.create(admin(), json(R"({"id":"b","jobType":"ring","labels":{"carillon.managed-by":"file:x"}})"), {});

  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("carillon.managed-by"));
}

TEST_F(ManagedByFileTest, a_schedule_is_free_again_on_a_server_that_watches_no_folder) {
  parts_.has_watched_folder = false;

  EXPECT_TRUE(schedules_.remove(admin(), {.id = "bell"}, {}));
}

TEST_F(ManagedByFileTest, a_fault_of_the_file_is_a_warning_of_the_schedule) {
  parts_.source_findings = [](std::string_view file) {
    return std::vector{
        Finding{.code = "broken-file", .message = std::string{file} + ":3:1: no", .fix = {}, .at = {}, .pointer = {}}};
  };

  const ScheduleAnswer answer = must(schedules_.get(admin(), {.id = "bell"}));

  ASSERT_EQ(answer.source_findings.size(), 1U);
  EXPECT_EQ(answer.source_findings[0].message, "a/bell.yaml:3:1: no");
}

TEST_F(ManagedByFileTest, pipelines_may_be_defined_where_there_is_a_folder_of_them) {
  EXPECT_TRUE(schedules_.create(admin(), json(R"({"id":"p","action":{"pipeline":{"path":"daily"}}})"), {}));
}

TEST_F(ManagedByFileTest, pipelines_need_the_right_to_execute_since_a_provider_can_be_a_program) {
  Caller editor = admin();
  editor.role = Role::editor;

  const auto made = schedules_.create(editor, json(R"({"id":"p","action":{"pipeline":{"path":"daily"}}})"), {});

  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, "execute_required");
}

}  // namespace
}  // namespace carillon::testing
