#include "server/schedule_files.hpp"

#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ScheduleFilesTest : public ::testing::Test {
 protected:
  std::vector<std::string> ids(const ScheduleFiles& files) {
    std::vector<std::string> ids;
    for (const FiledSchedule& schedule : files.schedules) ids.push_back(schedule.document.id.text());
    return ids;
  }
  TemporaryFolder folder_;
};

TEST_F(ScheduleFilesTest, of_a_folder_are_read_in_the_order_of_their_names) {
  folder_.write("b.yaml", "id: second\ncron: '0 9 * * *'\ncommand: [echo, b]\n");
  folder_.write("a.json", R"({"id": "first", "every": "10s", "command": ["echo", "a"]})");
  folder_.write("deep/c.yml", "id: third\nevery: 1h\nurl: https://example.com/\n");
  folder_.write("notes.txt", "not a schedule");
  folder_.write(".hidden/d.yaml", "id: fourth\nevery: 1h\ncommand: [echo]\n");

  const auto files = read_schedule_files({folder_.path()});

  EXPECT_THAT(files.problems, IsEmpty());
  EXPECT_THAT(ids(files), ElementsAre("first", "second", "third"));
}

TEST_F(ScheduleFilesTest, that_are_broken_say_where_and_leave_the_others_alone) {
  folder_.write("bad.yaml", "id: bad\nspec:\n  cron: '61 * * * *'\naction:\n  command: {argv: [echo]}\n");
  folder_.write("good.yaml", "id: good\nevery: 1h\ncommand: [echo]\n");
  folder_.write("torn.yaml", "id: [\n");

  const auto files = read_schedule_files({folder_.path()});

  EXPECT_THAT(ids(files), ElementsAre("good"));
  ASSERT_THAT(files.problems, SizeIs(2));
  EXPECT_THAT(files.problems[0].text(), HasSubstr("bad.yaml:3:"));
  EXPECT_THAT(files.problems[1].text(), HasSubstr("torn.yaml:"));
}

TEST_F(ScheduleFilesTest, that_are_not_there_are_a_problem) {
  const auto files = read_schedule_files({folder_.path() / "missing.yaml"});

  ASSERT_THAT(files.problems, SizeIs(1));
  EXPECT_THAT(files.problems[0].text(), HasSubstr("missing.yaml: cannot be read: No such file"));
}

TEST_F(ScheduleFilesTest, with_one_id_twice_keep_the_first) {
  folder_.write("a.yaml", "id: tower\nevery: 1h\ncommand: [echo]\n");
  folder_.write("b.yaml", "id: Tower\nevery: 2h\ncommand: [echo]\n");

  const auto files = read_schedule_files({folder_.path()});

  EXPECT_THAT(ids(files), ElementsAre("tower"));
  ASSERT_THAT(files.problems, SizeIs(1));
  EXPECT_THAT(files.problems[0].text(), HasSubstr("is already in"));
}

}  // namespace
}  // namespace carillon
