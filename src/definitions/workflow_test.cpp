#include "definitions/schedule_document.hpp"
#include "definitions/workflow_action.hpp"
#include "definitions/workflow_id.hpp"
#include "document/document.hpp"

#include <gtest/gtest.h>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>

#include <string>
#include <vector>

namespace carillon {
namespace {

using namespace std::chrono_literals;

const Instant nine = parse_instant("2026-11-18T09:00:00.25Z").value();

ScheduleDocument schedule_of(std::string_view policies) {
  const std::string text =
      "id: x\naction: {workflow: {type: T, taskQueue: q}}\npolicies: " + std::string{policies} + "\n";
  return read_schedule(parse_yaml(text).value().root).value();
}

std::string id_of(std::optional<std::string> id, Source source = Source::schedule) {
  WorkflowAction action;
  action.id = std::move(id);
  return workflow_id_of(action, {.schedule_id = "nightly", .run_id = "r-1", .nominal = nine, .source = source});
}

TEST(WorkflowId, is_followed_by_the_nominal_time_to_the_second) {
  EXPECT_EQ(id_of(std::nullopt), "nightly-2026-11-18T09:00:00Z");
  EXPECT_EQ(id_of("report"), "report-2026-11-18T09:00:00Z");
  EXPECT_EQ(id_of(""), "-2026-11-18T09:00:00Z");
}

TEST(WorkflowId, of_a_trigger_has_the_run_behind_it_since_two_may_fall_into_one_second) {
  EXPECT_EQ(id_of("report", Source::trigger), "report-2026-11-18T09:00:00Z-r-1");
}

TEST(WorkflowId, with_names_is_what_they_stand_for) {
  EXPECT_EQ(id_of("{{scheduleId}}/{{ nominalTime }}/{{runId}}/{{source}}", Source::backfill),
            "nightly/2026-11-18T09:00:00Z/r-1/backfill");
  EXPECT_EQ(id_of("{{scheduleId}}-{{open"), "nightly-{{open");
  EXPECT_EQ(unknown_id_name("{{scheduleId}} {{day}}"), "day");
  EXPECT_FALSE(unknown_id_name("{day} {{runId}}"));
}

TEST(WorkflowAction, is_tried_once_unless_a_document_says_otherwise) {
  EXPECT_EQ(schedule_of("{}").policies.retry.attempt_count_max, 1);
  EXPECT_EQ(schedule_of("{retry: {initial: 5s}}").policies.retry.attempt_count_max, 1);
  EXPECT_EQ(schedule_of("{retry: {maxAttempts: 4}}").policies.retry.attempt_count_max, 4);
}

TEST(WorkflowAction, outlives_the_document_it_was_read_from) {
  boost::json::monotonic_resource memory;
  const boost::json::value document = boost::json::parse(
      R"({"id": "x", "action": {"workflow": {"type": "T", "taskQueue": "q", "input": [1], "memo": {"a": [2]}}}})",
      &memory);

  const ScheduleDocument schedule = read_schedule(document).value();

  const auto& action = std::get<WorkflowAction>(schedule.action);
  EXPECT_EQ(action.input->storage(), boost::json::storage_ptr{});
  EXPECT_EQ(action.memo.storage(), boost::json::storage_ptr{});
  EXPECT_EQ(action.memo.at("a").storage(), boost::json::storage_ptr{});
}

TEST(WorkflowAction, goes_to_the_cluster_it_names_or_to_the_only_one) {
  const std::vector<std::string> none;
  const std::vector<std::string> one{"blue"};
  const std::vector<std::string> two{"blue", "default"};
  WorkflowAction action;
  EXPECT_FALSE(cluster_of(action, none));
  EXPECT_EQ(cluster_of(action, one), "blue");
  EXPECT_EQ(cluster_of(action, two), "default");
  action.cluster = "green";
  EXPECT_FALSE(cluster_of(action, one));
  EXPECT_EQ(cluster_fault(action, one)->message, "this server has no Temporal cluster \"green\"");
  EXPECT_EQ(cluster_fault(action, none)->message, "this server has no Temporal cluster to start workflows on");
  action.cluster = "blue";
  EXPECT_FALSE(cluster_fault(action, two));
}

}  // namespace
}  // namespace carillon
