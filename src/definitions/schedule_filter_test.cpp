#include "definitions/schedule_filter.hpp"

#include <gtest/gtest.h>

#include <array>

namespace carillon {
namespace {

TEST(ScheduleFacts, are_read_from_a_document) {
  const ScheduleFacts facts = facts_of(
      R"({"id":"a","name":"Nightly","labels":{"team":"ops"},"action":{"job":{"type":"t","payload":{"workflowId":7}}}})");

  EXPECT_EQ(facts.name, "Nightly");
  EXPECT_EQ(facts.labels, R"({"team":"ops"})");
  EXPECT_EQ(facts.action, "job");
  EXPECT_EQ(facts.workflow, "7");
}

TEST(ScheduleFacts, are_empty_where_a_document_says_nothing_or_cannot_be_read) {
  for (const std::string_view document : {"", "{", "[]", "{}", R"({"name":7,"labels":[],"action":{}})", R"({"name":"a)",
                                          R"({"name":x,"labels":{"a"},"action":{"job":})"}) {
    const ScheduleFacts facts = facts_of(document);

    EXPECT_EQ(facts.name, "") << document;
    EXPECT_EQ(facts.labels, "{}") << document;
    EXPECT_EQ(facts.action, "") << document;
    EXPECT_EQ(facts.workflow, "") << document;
  }
}

TEST(ScheduleMatcher, lets_through_what_fits_every_part_of_the_filter) {
  const ListedSchedule listed{.name_space = "team",
                              .id = "Nightly-Backup",
                              .status = ScheduleStatus::paused,
                              .name = "Saves all",
                              .action = "job",
                              .labels = R"({"env":"prod","tier":"1"})",
                              .workflow = R"("w7")"};
  struct Case {
    ScheduleFilter filter;
    bool matches;
  };
  const std::array cases{
      Case{{}, true},
      Case{{.name_space = "team"}, true},
      Case{{.name_space = "default"}, false},
      Case{{.statuses = {ScheduleStatus::active, ScheduleStatus::paused}}, true},
      Case{{.statuses = {ScheduleStatus::active}}, false},
      Case{{.labels = {{.key = "env"}}}, true},
      Case{{.labels = {{.key = "env", .value = "prod"}, {.key = "tier", .value = "1"}}}, true},
      Case{{.labels = {{.key = "env", .value = "prod"}, {.key = "tier", .value = "2"}}}, false},
      Case{{.labels = {{.key = "team"}}}, false},
      Case{{.action = "job"}, true},
      Case{{.action = "http"}, false},
      Case{{.text = "BACKUP"}, true},
      Case{{.text = "saves"}, true},
      Case{{.text = "restore"}, false},
      Case{{.workflow = "w7"}, true},
      Case{{.workflow = "w"}, false},
  };

  for (std::size_t i = 0; i < cases.size(); ++i)
    EXPECT_EQ(ScheduleMatcher{cases[i].filter}.matches(listed), cases[i].matches) << "case " << i;
}

TEST(ScheduleMatcher, finds_a_workflow_that_is_a_number_or_a_text) {
  const ScheduleFilter filter{.workflow = "7"};

  EXPECT_TRUE(ScheduleMatcher{filter}.matches({.workflow = "7"}));
  EXPECT_TRUE(ScheduleMatcher{filter}.matches({.workflow = R"("7")"}));
  EXPECT_FALSE(ScheduleMatcher{filter}.matches({.workflow = "77"}));
  EXPECT_FALSE(ScheduleMatcher{filter}.matches({.workflow = ""}));
}

}  // namespace
}  // namespace carillon
