#include "definitions/schedule_document.hpp"
#include "document/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace carillon {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Checked<std::vector<ScheduleDocument>> read(std::string_view yaml) {
  return read_schedule_file(parse_yaml(yaml).value());
}

std::vector<std::string> ids(std::string_view yaml) {
  std::vector<std::string> found;
  const auto schedules = read(yaml);
  for (const ScheduleDocument& schedule : schedules.value()) found.push_back(schedule.id.text());
  return found;
}

std::vector<std::string> places(std::string_view yaml) {
  std::vector<std::string> found;
  if (const auto checked = read(yaml); !checked) {
    for (const Problem& problem : checked.error()) found.push_back(problem.pointer + " " + std::string{problem.code});
  }
  return found;
}

TEST(ScheduleFile, holds_one_document) { EXPECT_THAT(ids("{id: a, command: ls}"), ElementsAre("a")); }

TEST(ScheduleFile, holds_a_list_of_documents) {
  EXPECT_THAT(ids("schedules: [{id: a, command: ls}, {name: The B, url: 'http://h'}]"), ElementsAre("a", "the-b"));
  EXPECT_THAT(ids("schedules: []"), IsEmpty());
  EXPECT_THAT(ids("schedules:"), IsEmpty());
}

TEST(ScheduleFile, tells_every_fault_of_every_document) {
  EXPECT_THAT(places("{schedules: [{id: a}, {id: b, command: ls}, {cron: x, jobType: t}, 5], version: 1}"),
              ElementsAre("/version unknown-key", "/schedules/0/action missing", "/schedules/2/id missing",
                          "/schedules/2/cron invalid-cron", "/schedules/3 not-an-object"));
  EXPECT_THAT(places("schedules: {a: 1}"), ElementsAre("/schedules wrong-type"));
  EXPECT_THAT(places(""), ElementsAre(" empty"));
}

TEST(ScheduleFile, may_have_several_documents) {
  const auto parsed = parse_schedule_text("a.yaml", "{id: a, command: ls}\n---\nschedules:\n  - {id: b, command: 5}\n");

  ASSERT_TRUE(parsed.document);
  EXPECT_THAT(parsed.faults, IsEmpty());
  const auto schedules = read_schedule_file(*parsed.document);
  ASSERT_FALSE(schedules);
  EXPECT_EQ(schedules.error().front().pointer, "/schedules/1/command");
  EXPECT_EQ(parsed.document->position(schedules.error().front().pointer).line, 4U);
}

TEST(ScheduleFile, one_document_that_cannot_be_parsed_does_not_hide_the_others) {
  const auto parsed = parse_schedule_text("a.yaml", "{id: a\n---\n{id: b}\n---\nid: *c\n");

  EXPECT_THAT(parsed.faults, SizeIs(2));
  ASSERT_TRUE(parsed.document);
  EXPECT_EQ(read_schedule_file(*parsed.document).error().front().message, "a schedule needs an action");
}

TEST(ScheduleFile, two_schedules_of_one_id_are_refused_whatever_their_case) {
  EXPECT_THAT(places("schedules: [{id: Nightly, command: ls}, {name: nightly, command: ls}]"),
              ElementsAre("/schedules/1/id duplicate-id"));
  EXPECT_THAT(places("schedules: [{id: a, command: ls}, {id: a, namespace: other, command: ls}]"), IsEmpty());
}

TEST(ScheduleFile, a_report_has_an_end) {
  boost::json::array schedules;
  for (std::size_t i = 0; i < file_problem_count_max; ++i) schedules.push_back(5);
  Document file;
  file.root = boost::json::object{{"schedules", schedules}};
  file.root.get_object()["extra"] = 1;

  const auto checked = read_schedule_file(file);

  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error(), SizeIs(file_problem_count_max));
}

}  // namespace
}  // namespace carillon
