#include "api/temporal/settings.hpp"

#include "document/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace carillon::temporal {
namespace {

using ::testing::ElementsAre;

Checked<Settings> settings_in(std::string_view text) { return read_settings(parse_yaml(text).value().root); }

std::vector<std::string> faults_in(std::string_view text) {
  std::vector<std::string> found;
  const auto settings = settings_in(text);
  if (settings) return found;
  for (const Problem& problem : settings.error()) found.push_back(problem.pointer + " " + std::string{problem.code});
  return found;
}

TEST(TemporalSettings, say_what_is_done_for_a_workflow_and_what_exists) {
  const auto settings = settings_in(R"(
workflows: {Report: {command: {argv: [/bin/report]}}, "*": {job: {}}}
searchAttributes: {Team: Keyword, Level: Int}
namespaces: [default, blue]
)");

  ASSERT_TRUE(settings);
  EXPECT_THAT(settings->namespaces, ElementsAre("default", "blue"));
  EXPECT_EQ(settings->search_attributes.at("Level"), enums_pb::INDEXED_VALUE_TYPE_INT);
  EXPECT_TRUE(settings->workflows.at("Report").contains("command"));
  EXPECT_TRUE(settings->workflows.contains("*"));
}

TEST(TemporalSettings, know_one_namespace_and_no_workflow_if_they_say_nothing) {
  const auto settings = settings_in("{}");

  ASSERT_TRUE(settings);
  EXPECT_THAT(settings->namespaces, ElementsAre("default"));
  EXPECT_TRUE(settings->workflows.empty());
}

TEST(TemporalSettings, are_refused_with_the_place_of_each_fault) {
  EXPECT_THAT(faults_in("workflow: {}"), ElementsAre("/workflow unknown-key"));
  EXPECT_THAT(faults_in("workflows: {A: {jobb: {}}}"), ElementsAre("/workflows wrong-type"));
  EXPECT_THAT(faults_in("workflows: {A: {job: {}, http: {}}}"), ElementsAre("/workflows wrong-type"));
  EXPECT_THAT(faults_in("searchAttributes: {A: keyword}"), ElementsAre("/searchAttributes/A invalid-word"));
  EXPECT_THAT(faults_in("namespaces: []"), ElementsAre("/namespaces wrong-type"));
  EXPECT_THAT(faults_in("namespaces: [a b]"), ElementsAre("/namespaces wrong-type"));
  EXPECT_THAT(faults_in("5"), ElementsAre(" not-an-object"));
}

}  // namespace
}  // namespace carillon::temporal
