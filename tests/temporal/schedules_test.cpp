// What clients of Temporal do with schedules here, and what they share with the other doors.
#include "temporal/temporal_world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <google/protobuf/util/time_util.h>
#include <temporal/health.pb.h>
#include <temporal/operatorservice.pb.h>

#include <string>
#include <vector>

namespace carillon::testing {
namespace {

using namespace carillon::temporal;
using namespace std::chrono_literals;
using google::protobuf::util::TimeUtil;
using grpc::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class TemporalSchedules : public ::testing::Test {
 protected:
  static service_pb::CreateScheduleRequest hourly(const std::string& id) {
    service_pb::CreateScheduleRequest request;
    request.set_namespace_("default");
    request.set_schedule_id(id);
    request.set_request_id("request-of-" + id);
    request.mutable_schedule()->mutable_spec()->add_interval()->mutable_interval()->set_seconds(3'600);
    auto& workflow = *request.mutable_schedule()->mutable_action()->mutable_start_workflow();
    workflow.set_workflow_id("wf");
    workflow.mutable_workflow_type()->set_name("Report");
    workflow.mutable_task_queue()->set_name("reports");
    return request;
  }
  static void add_input(service_pb::CreateScheduleRequest& request, const std::string& encoding,
                        const std::string& data) {
    auto& payload =
        *request.mutable_schedule()->mutable_action()->mutable_start_workflow()->mutable_input()->add_payloads();
    (*payload.mutable_metadata())["encoding"] = encoding;
    payload.set_data(data);
  }
  void create(const service_pb::CreateScheduleRequest& request) {
    world.ask<service_pb::CreateScheduleResponse>("CreateSchedule", request);
  }
  service_pb::DescribeScheduleResponse describe(const std::string& id) {
    service_pb::DescribeScheduleRequest request;
    request.set_namespace_("default");
    request.set_schedule_id(id);
    return world.ask<service_pb::DescribeScheduleResponse>("DescribeSchedule", request);
  }
  static service_pb::PatchScheduleRequest patch_of(const std::string& id) {
    service_pb::PatchScheduleRequest request;
    request.set_namespace_("default");
    request.set_schedule_id(id);
    request.mutable_patch();
    return request;
  }
  void patch(const service_pb::PatchScheduleRequest& request) {
    world.ask<service_pb::PatchScheduleResponse>("PatchSchedule", request);
  }
  void trigger(const std::string& id, enums_pb::ScheduleOverlapPolicy policy) {
    auto request = patch_of(id);
    request.mutable_patch()->mutable_trigger_immediately()->set_overlap_policy(policy);
    patch(request);
  }
  static service_pb::UpdateScheduleRequest update_of(const std::string& id, const schedule_pb::Schedule& schedule) {
    service_pb::UpdateScheduleRequest request;
    request.set_namespace_("default");
    request.set_schedule_id(id);
    *request.mutable_schedule() = schedule;
    return request;
  }
  std::vector<std::string> listed(const std::string& query, int page_size = 0) {
    std::vector<std::string> ids;
    service_pb::ListSchedulesRequest request;
    request.set_namespace_("default");
    request.set_query(query);
    request.set_maximum_page_size(page_size);
    do {
      const auto response = world.ask<service_pb::ListSchedulesResponse>("ListSchedules", request);
      for (const auto& entry : response.schedules()) ids.push_back(entry.schedule_id());
      request.set_next_page_token(response.next_page_token());
    } while (!request.next_page_token().empty());
    return ids;
  }
  std::int64_t counted(const std::string& query) {
    service_pb::CountSchedulesRequest request;
    request.set_namespace_("default");
    request.set_query(query);
    return world.ask<service_pb::CountSchedulesResponse>("CountSchedules", request).count();
  }
  ScheduleAnswer ours(const std::string& id) {
    auto answer = world.application().schedules().get(TemporalWorld::admin(), {.id = id});
    if (!answer) throw std::runtime_error{answer.error().message};
    return *std::move(answer);
  }
  boost::json::value our_document(const std::string& id) { return parse_json(ours(id).record.document).value(); }
  void create_ours(std::string_view document) {
    const auto created =
        world.application().schedules().create(TemporalWorld::admin(), parse_json(document).value(), {});
    if (!created) throw std::runtime_error{created.error().message};
  }

  TemporalWorld world;
};

TEST_F(TemporalSchedules, what_one_door_writes_the_other_shows) {
  auto request = hourly("report");
  add_input(request, "json/plain", R"({"format":"pdf"})");
  add_input(request, "binary/plain", "\x01\x02");
  create(request);

  const auto document = our_document("report");

  EXPECT_EQ(document.at("spec").at("intervals").at(0).at("every"), "1h");
  EXPECT_EQ(document.at("spec").at("dst"), "literal");
  EXPECT_EQ(document.at("policies").at("catchup").at("policy"), "all");
  EXPECT_EQ(document.at("policies").at("retry").at("maxAttempts"), 1);
  const auto& job = document.at("action").at("job");
  EXPECT_EQ(job.at("type"), "Report");
  EXPECT_EQ(job.at("queue"), "reports");
  EXPECT_EQ(job.at("payload").at("input").at(0).at("format"), "pdf");
  EXPECT_EQ(job.at("payload").at("input").at(1).at("data"), "AQI=");
}

TEST_F(TemporalSchedules, an_action_is_given_back_as_it_was_sent_also_what_is_not_known_here) {
  auto request = hourly("report");
  auto& workflow = *request.mutable_schedule()->mutable_action()->mutable_start_workflow();
  workflow.GetReflection()->MutableUnknownFields(&workflow)->AddLengthDelimited(99, "summary");
  (*workflow.mutable_header()->mutable_fields())["trace"].set_data("x");
  workflow.mutable_task_queue()->set_kind(enums_pb::TASK_QUEUE_KIND_NORMAL);
  create(request);

  EXPECT_EQ(describe("report").schedule().action().SerializeAsString(),
            request.schedule().action().SerializeAsString());
}

TEST_F(TemporalSchedules, a_schedule_of_another_door_has_everything_that_clients_need) {
  create_ours(R"({"id": "nightly", "cron": "0 2 * * 1-5", "timezone": "Europe/Berlin", "command": ["/bin/true"]})");

  const auto described = describe("nightly");

  EXPECT_THAT(described.schedule().spec().cron_string(), ElementsAre("0 2 * * 1-5"));
  EXPECT_EQ(described.schedule().spec().timezone_name(), "Europe/Berlin");
  EXPECT_EQ(described.schedule().action().start_workflow().workflow_type().name(), "command");
  EXPECT_EQ(described.schedule().action().start_workflow().task_queue().name(), "carillon");
  EXPECT_EQ(described.schedule().policies().overlap_policy(), enums_pb::SCHEDULE_OVERLAP_POLICY_SKIP);
  EXPECT_TRUE(described.schedule().policies().has_catchup_window());
  EXPECT_EQ(described.info().future_action_times_size(), 10);
  EXPECT_TRUE(described.info().has_create_time());
  EXPECT_THAT(listed(""), ElementsAre("nightly"));
}

TEST_F(TemporalSchedules, replacing_the_spec_of_a_command_keeps_the_command) {
  create_ours(R"({"id": "nightly", "cron": "0 2 * * *", "command": ["/bin/true"]})");
  auto schedule = describe("nightly").schedule();
  schedule.mutable_spec()->Clear();
  schedule.mutable_spec()->add_cron_string("0 3 * * *");

  world.ask<service_pb::UpdateScheduleResponse>("UpdateSchedule", update_of("nightly", schedule));

  EXPECT_EQ(our_document("nightly").at("action").at("command").at("argv").at(0), "/bin/true");
  EXPECT_EQ(describe("nightly").schedule().spec().structured_calendar(0).hour(0).start(), 3);
}

TEST_F(TemporalSchedules, an_edit_by_another_door_is_shown_as_it_is) {
  create(hourly("report"));
  const auto patched = world.application().schedules().patch(TemporalWorld::admin(), {.id = "report"},
                                                             parse_json(R"({"every": "10m"})").value(), {});
  ASSERT_TRUE(patched) << patched.error().message;

  const auto spec = describe("report").schedule().spec();

  EXPECT_EQ(spec.interval(0).interval().seconds(), 600);
}

TEST_F(TemporalSchedules, ids_of_any_kind_are_kept_apart) {
  const std::vector<std::string> ids{"Daily",      "daily", "a/b c", "a/b  c",
                                     "\xC3\xBC\n", "   ",   "batch", std::string(977, 'x')};
  for (const std::string& id : ids) create(hourly(id));

  for (const std::string& id : ids) {
    EXPECT_EQ(describe(id).schedule().action().start_workflow().workflow_id(), "wf") << id;
    EXPECT_EQ(world
                  .refused("CreateSchedule",
                           [&] {
                             auto again = hourly(id);
                             again.set_request_id("other");
                             return again;
                           }())
                  .code,
              StatusCode::already_exists)
        << id;
  }
  EXPECT_THAT(listed("", 3), ::testing::UnorderedElementsAreArray(ids));
  service_pb::DescribeScheduleRequest request;
  request.set_namespace_("default");
  request.set_schedule_id("DAILY");
  EXPECT_EQ(world.refused("DescribeSchedule", request).code, StatusCode::not_found);
}

TEST_F(TemporalSchedules, a_workflow_that_nothing_is_said_about_is_refused_with_what_to_do) {
  TemporalWorld bare{Settings{}};

  const auto status = bare.refused("CreateSchedule", hourly("report"));

  EXPECT_EQ(status.code, StatusCode::failed_precondition);
  EXPECT_THAT(status.message, HasSubstr("workflows of type \"Report\""));
  EXPECT_THAT(status.message, HasSubstr("--temporal"));
}

TEST_F(TemporalSchedules, a_workflow_may_stand_for_a_command_or_a_request) {
  const auto document = parse_json(R"({"workflows": {"Report": {"command": {"argv": ["/bin/report"]}},
                                                     "Ping": {"http": {"url": "http://h/"}}}})");
  TemporalWorld mapped{read_settings(*document).value()};
  auto ping = hourly("ping");
  ping.mutable_schedule()->mutable_action()->mutable_start_workflow()->mutable_workflow_type()->set_name("Ping");

  mapped.ask<service_pb::CreateScheduleResponse>("CreateSchedule", hourly("report"));
  mapped.ask<service_pb::CreateScheduleResponse>("CreateSchedule", ping);

  const auto get = [&](const char* id) {
    return parse_json(mapped.application().schedules().get(TemporalWorld::admin(), {.id = id})->record.document)
        .value();
  };
  EXPECT_THAT(std::string{get("report").at("action").at("command").at("stdin").get_string()},
              HasSubstr("\"workflowType\":\"Report\""));
  EXPECT_EQ(get("ping").at("action").at("http").at("body").at("workflowType"), "Ping");
  // Who may not define commands may not do it this way either.
  EXPECT_EQ(mapped.refused("CreateSchedule", hourly("second"), "editor").code, StatusCode::permission_denied);
}

TEST_F(TemporalSchedules, limited_actions_are_counted_down_by_automatic_starts) {
  auto request = hourly("report");
  request.mutable_schedule()->mutable_policies()->set_overlap_policy(enums_pb::SCHEDULE_OVERLAP_POLICY_ALLOW_ALL);
  request.mutable_schedule()->mutable_state()->set_limited_actions(true);
  request.mutable_schedule()->mutable_state()->set_remaining_actions(3);
  create(request);
  EXPECT_EQ(describe("report").info().future_action_times_size(), 3);

  trigger("report", enums_pb::SCHEDULE_OVERLAP_POLICY_ALLOW_ALL);
  world.pass(1h);

  const auto after_one = describe("report");
  EXPECT_TRUE(after_one.schedule().state().limited_actions());
  EXPECT_EQ(after_one.schedule().state().remaining_actions(), 2);
  EXPECT_EQ(after_one.info().action_count(), 2);
  EXPECT_EQ(after_one.info().future_action_times_size(), 2);
  EXPECT_EQ(ours("report").remaining_starts, 2);
  EXPECT_EQ(our_document("report").at("policies").at("maxStarts"), 3);
  for (int i = 0; i < 5; ++i) world.pass(1h);
  EXPECT_EQ(describe("report").schedule().state().remaining_actions(), 0);
  EXPECT_EQ(describe("report").info().action_count(), 4);
}

TEST_F(TemporalSchedules, an_update_says_how_many_actions_are_left_from_now_on) {
  auto request = hourly("report");
  request.mutable_schedule()->mutable_policies()->set_overlap_policy(enums_pb::SCHEDULE_OVERLAP_POLICY_ALLOW_ALL);
  create(request);
  world.pass(1h);
  auto schedule = describe("report").schedule();
  EXPECT_FALSE(schedule.state().limited_actions());

  schedule.mutable_state()->set_limited_actions(true);
  schedule.mutable_state()->set_remaining_actions(2);
  world.ask<service_pb::UpdateScheduleResponse>("UpdateSchedule", update_of("report", schedule));
  EXPECT_EQ(describe("report").schedule().state().remaining_actions(), 2);
  world.pass(1h);
  EXPECT_EQ(describe("report").schedule().state().remaining_actions(), 1);
  schedule.mutable_state()->set_remaining_actions(5);
  world.ask<service_pb::UpdateScheduleResponse>("UpdateSchedule", update_of("report", schedule));

  EXPECT_EQ(describe("report").schedule().state().remaining_actions(), 5);
  schedule.mutable_state()->set_limited_actions(false);
  world.ask<service_pb::UpdateScheduleResponse>("UpdateSchedule", update_of("report", schedule));
  EXPECT_FALSE(describe("report").schedule().state().limited_actions());
  EXPECT_EQ(ours("report").remaining_starts, std::nullopt);
}

TEST_F(TemporalSchedules, roles_and_namespaces_are_those_of_every_door) {
  create(hourly("report"));
  service_pb::DescribeScheduleRequest describing;
  describing.set_namespace_("default");
  describing.set_schedule_id("report");

  EXPECT_EQ(world.refused("DescribeSchedule", describing, "").code, StatusCode::unauthenticated);
  EXPECT_EQ(world.refused("GetSystemInfo", service_pb::GetSystemInfoRequest{}, "").code, StatusCode::unauthenticated);
  EXPECT_EQ(world.refused("GetSystemInfo", service_pb::GetSystemInfoRequest{}, "Bearer nonsense").code,
            StatusCode::unauthenticated);
  EXPECT_TRUE(world.refused("DescribeSchedule", describing, "viewer").is_ok());
  EXPECT_EQ(world.refused("CreateSchedule", hourly("second"), "viewer").code, StatusCode::permission_denied);
  EXPECT_EQ(world.refused("CreateSchedule", hourly("second"), "operator").code, StatusCode::permission_denied);
  EXPECT_TRUE(world.refused("PatchSchedule", patch_of("report"), "operator").is_ok());
  EXPECT_EQ(world.refused("DescribeSchedule", describing, "blue").code, StatusCode::not_found);
}

TEST_F(TemporalSchedules, an_operator_may_pause_and_unpause_a_command_with_a_note) {
  create_ours(R"({"id": "nightly", "cron": "0 2 * * *", "command": ["/bin/true"]})");
  auto pause = patch_of("nightly");
  pause.mutable_patch()->set_pause("disk full");
  auto unpause = patch_of("nightly");
  unpause.mutable_patch()->set_unpause("disk is well");

  EXPECT_TRUE(world.refused("PatchSchedule", pause, "operator").is_ok());
  EXPECT_EQ(ours("nightly").record.pause->reason, "disk full");
  const auto status = world.refused("PatchSchedule", unpause, "operator");

  EXPECT_TRUE(status.is_ok()) << status.message;
  EXPECT_FALSE(describe("nightly").schedule().state().paused());
  EXPECT_EQ(describe("nightly").schedule().state().notes(), "disk is well");
}

TEST_F(TemporalSchedules, every_change_is_in_the_audit_log) {
  create(hourly("report"));
  trigger("report", enums_pb::SCHEDULE_OVERLAP_POLICY_UNSPECIFIED);

  const auto records = world.application().system().audit(TemporalWorld::admin(), std::nullopt, 10);

  ASSERT_TRUE(records);
  std::vector<std::string> operations;
  for (const AuditRecord& record : *records) operations.push_back(record.entry.operation);
  EXPECT_THAT(operations, ::testing::Contains("schedule.create"));
  EXPECT_THAT(operations, ::testing::Contains("schedule.trigger"));
}

TEST_F(TemporalSchedules, two_triggers_in_one_second_are_two_runs) {
  create(hourly("report"));

  trigger("report", enums_pb::SCHEDULE_OVERLAP_POLICY_ALLOW_ALL);
  trigger("report", enums_pb::SCHEDULE_OVERLAP_POLICY_ALLOW_ALL);

  const auto info = describe("report").info();
  EXPECT_EQ(info.action_count(), 2);
  EXPECT_EQ(info.recent_actions_size(), 2);
  EXPECT_EQ(info.running_workflows_size(), 2);
  EXPECT_THAT(info.recent_actions(0).start_workflow_result().workflow_id(), StartsWith("wf-2026-11-17T03:34:46"));
  EXPECT_NE(info.recent_actions(0).start_workflow_result().run_id(),
            info.recent_actions(1).start_workflow_result().run_id());
  EXPECT_EQ(info.recent_actions(0).start_workflow_status(), enums_pb::WORKFLOW_EXECUTION_STATUS_RUNNING);
}

TEST_F(TemporalSchedules, a_trigger_without_a_policy_takes_that_of_the_schedule) {
  create(hourly("report"));

  trigger("report", enums_pb::SCHEDULE_OVERLAP_POLICY_UNSPECIFIED);
  trigger("report", enums_pb::SCHEDULE_OVERLAP_POLICY_UNSPECIFIED);

  EXPECT_EQ(describe("report").info().action_count(), 1);
  EXPECT_EQ(describe("report").info().overlap_skipped(), 1);
}

TEST_F(TemporalSchedules, a_request_that_is_sent_again_is_carried_out_once) {
  create(hourly("report"));
  create(hourly("report"));
  auto request = patch_of("report");
  request.set_request_id("once");
  request.mutable_patch()->mutable_trigger_immediately()->set_overlap_policy(
      enums_pb::SCHEDULE_OVERLAP_POLICY_ALLOW_ALL);

  patch(request);
  patch(request);

  EXPECT_EQ(describe("report").info().action_count(), 1);
}

TEST_F(TemporalSchedules, a_backfill_includes_both_ends) {
  create(hourly("report"));
  auto request = patch_of("report");
  auto& backfill = *request.mutable_patch()->add_backfill_request();
  static_cast<void>(TimeUtil::FromString("2026-11-02T10:00:00Z", backfill.mutable_start_time()));
  static_cast<void>(TimeUtil::FromString("2026-11-02T12:00:00Z", backfill.mutable_end_time()));
  backfill.set_overlap_policy(enums_pb::SCHEDULE_OVERLAP_POLICY_ALLOW_ALL);

  patch(request);

  const auto backfills = world.application().backfills().list(TemporalWorld::admin(), {.id = "report"});
  ASSERT_TRUE(backfills && backfills->size() == 1);
  EXPECT_EQ(backfills->front().record.total, 3);
  EXPECT_EQ(backfills->front().record.reprocess, Reprocess::all);
}

TEST_F(TemporalSchedules, a_backfill_that_skips_starts_the_first_and_counts_the_others) {
  create(hourly("report"));
  auto request = patch_of("report");
  auto& backfill = *request.mutable_patch()->add_backfill_request();
  static_cast<void>(TimeUtil::FromString("2026-11-02T10:00:00Z", backfill.mutable_start_time()));
  static_cast<void>(TimeUtil::FromString("2026-11-02T14:00:00Z", backfill.mutable_end_time()));

  patch(request);
  world.pass(1s);

  const auto info = describe("report").info();
  EXPECT_EQ(info.action_count(), 1);
  EXPECT_EQ(info.overlap_skipped(), 4);
  EXPECT_EQ(info.recent_actions(0).start_workflow_result().workflow_id(), "wf-2026-11-02T10:00:00Z");
}

TEST_F(TemporalSchedules, a_backfill_that_buffers_waits_for_the_slot) {
  create(hourly("report"));
  auto request = patch_of("report");
  auto& backfill = *request.mutable_patch()->add_backfill_request();
  static_cast<void>(TimeUtil::FromString("2026-11-02T10:00:00Z", backfill.mutable_start_time()));
  static_cast<void>(TimeUtil::FromString("2026-11-02T14:00:00Z", backfill.mutable_end_time()));
  backfill.set_overlap_policy(enums_pb::SCHEDULE_OVERLAP_POLICY_BUFFER_ALL);

  patch(request);
  world.pass(1s);

  EXPECT_EQ(describe("report").info().action_count(), 1);
  EXPECT_EQ(describe("report").info().buffer_size(), 4);
}

TEST_F(TemporalSchedules, a_pause_and_a_patch_come_with_the_creation_in_one_write) {
  auto request = hourly("report");
  request.mutable_schedule()->mutable_state()->set_paused(true);
  request.mutable_schedule()->mutable_state()->set_notes("not yet");
  request.mutable_initial_patch()->mutable_trigger_immediately();
  auto& backfill = *request.mutable_initial_patch()->add_backfill_request();
  static_cast<void>(TimeUtil::FromString("2026-11-02T10:00:00Z", backfill.mutable_start_time()));
  static_cast<void>(TimeUtil::FromString("2026-11-02T12:00:00Z", backfill.mutable_end_time()));
  backfill.set_overlap_policy(enums_pb::SCHEDULE_OVERLAP_POLICY_ALLOW_ALL);

  create(request);

  EXPECT_EQ(ours("report").record.view.state.version, 1);
  const auto described = describe("report");
  EXPECT_TRUE(described.schedule().state().paused());
  EXPECT_EQ(described.schedule().state().notes(), "not yet");
  EXPECT_EQ(described.info().action_count(), 1);
  EXPECT_EQ(described.info().future_action_times_size(), 10);
  EXPECT_EQ(ours("report").record.pause->reason, "not yet");
  world.pass(1s);
  EXPECT_EQ(describe("report").info().action_count(), 4);
}

TEST_F(TemporalSchedules, an_unpause_that_comes_with_the_creation_leaves_its_note) {
  auto request = hourly("report");
  request.mutable_initial_patch()->set_unpause("go");
  create(request);

  EXPECT_FALSE(describe("report").schedule().state().paused());
  EXPECT_EQ(describe("report").schedule().state().notes(), "go");
}

TEST_F(TemporalSchedules, one_that_is_created_again_begins_anew) {
  auto request = hourly("report");
  request.mutable_schedule()->mutable_state()->set_paused(true);
  create(request);
  service_pb::DeleteScheduleRequest deleting;
  deleting.set_namespace_("default");
  deleting.set_schedule_id("report");
  world.ask<service_pb::DeleteScheduleResponse>("DeleteSchedule", deleting);
  auto again = hourly("report");
  again.set_request_id("again");
  again.mutable_initial_patch()->mutable_trigger_immediately();

  create(again);

  EXPECT_FALSE(describe("report").schedule().state().paused());
  EXPECT_EQ(describe("report").info().action_count(), 1);
}

TEST_F(TemporalSchedules, notes_are_one_text_for_every_door) {
  create_ours(R"({"id": "nightly", "cron": "0 2 * * *", "action": {"job": {"type": "t"}}, "notes": "ask anna"})");
  EXPECT_EQ(describe("nightly").schedule().state().notes(), "ask anna");
  auto pausing = patch_of("nightly");
  pausing.mutable_patch()->set_pause("disk full");
  patch(pausing);
  EXPECT_EQ(ours("nightly").record.note, "disk full");

  const auto patched = world.application().schedules().patch(TemporalWorld::admin(), {.id = "nightly"},
                                                             parse_json(R"({"description": "at night"})").value(), {});

  ASSERT_TRUE(patched) << patched.error().message;
  EXPECT_EQ(our_document("nightly").at("notes"), "disk full");
  EXPECT_EQ(describe("nightly").schedule().state().notes(), "disk full");
}

TEST_F(TemporalSchedules, an_update_can_pause_and_keeps_what_it_does_not_name) {
  auto request = hourly("report");
  (*request.mutable_memo()->mutable_fields())["k"].set_data("v");
  create(request);
  auto schedule = describe("report").schedule();
  schedule.mutable_state()->set_paused(true);
  schedule.mutable_state()->set_notes("by update");

  world.ask<service_pb::UpdateScheduleResponse>("UpdateSchedule", update_of("report", schedule));

  EXPECT_EQ(ours("report").record.view.state.status, ScheduleStatus::paused);
  EXPECT_EQ(describe("report").schedule().state().notes(), "by update");
  EXPECT_EQ(describe("report").memo().fields().at("k").data(), "v");
  EXPECT_TRUE(describe("report").info().has_update_time());
}

TEST_F(TemporalSchedules, a_list_is_filtered_and_paged) {
  for (int i = 0; i < 7; ++i) {
    auto request = hourly("s" + std::to_string(i));
    auto& attributes = *request.mutable_search_attributes()->mutable_indexed_fields();
    (*attributes["Team"].mutable_metadata())["encoding"] = "json/plain";
    attributes["Team"].set_data(i % 2 == 0 ? R"("even")" : R"(["odd"])");
    request.mutable_schedule()->mutable_state()->set_paused(i == 3);
    create(request);
  }

  EXPECT_THAT(listed("Team = 'odd'", 1), ElementsAre("s1", "s3", "s5"));
  EXPECT_THAT(listed("TemporalSchedulePaused = true"), ElementsAre("s3"));
  EXPECT_THAT(listed("", 2), ElementsAre("s0", "s1", "s2", "s3", "s4", "s5", "s6"));
  EXPECT_EQ(counted(""), 7);
  EXPECT_EQ(counted("Team = 'even' AND NOT ScheduleId = 's0'"), 3);
  EXPECT_EQ(describe("s1").search_attributes().indexed_fields().at("Team").metadata().at("type"), "Keyword");
}

TEST_F(TemporalSchedules, a_method_that_is_not_here_says_so) {
  const auto status = world.call("StartWorkflowExecution", "").status;

  EXPECT_EQ(status.code, StatusCode::unimplemented);
  EXPECT_EQ(status.message,
            "unknown method StartWorkflowExecution for service temporal.api.workflowservice.v1.WorkflowService");
}

TEST_F(TemporalSchedules, a_message_that_cannot_be_read_is_refused) {
  ::testing::internal::CaptureStderr();

  EXPECT_EQ(world.call("DescribeSchedule", "\xff\xff").status.code, StatusCode::internal);
  EXPECT_EQ(world.call("DescribeSchedule", "\x12\x01\xff").status.code, StatusCode::internal);

  // Whoever may send bytes could fill the log.
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(TemporalSchedules, clients_learn_what_they_ask_on_connecting) {
  const auto info = world.ask<service_pb::GetSystemInfoResponse>("GetSystemInfo", service_pb::GetSystemInfoRequest{});
  EXPECT_TRUE(info.capabilities().internal_error_differentiation());
  EXPECT_TRUE(info.capabilities().supports_schedules());

  const auto cluster =
      world.ask<service_pb::GetClusterInfoResponse>("GetClusterInfo", service_pb::GetClusterInfoRequest{});
  EXPECT_EQ(cluster.cluster_name(), "carillon");

  const auto namespaces =
      world.ask<service_pb::ListNamespacesResponse>("ListNamespaces", service_pb::ListNamespacesRequest{});
  ASSERT_EQ(namespaces.namespaces_size(), 1);
  service_pb::DescribeNamespaceRequest by_id;
  by_id.set_id(namespaces.namespaces(0).namespace_info().id());
  EXPECT_EQ(world.ask<service_pb::DescribeNamespaceResponse>("DescribeNamespace", by_id).namespace_info().name(),
            "default");

  const auto attributes = world.ask<::temporal::api::operatorservice::v1::ListSearchAttributesResponse>(
      "ListSearchAttributes", ::temporal::api::operatorservice::v1::ListSearchAttributesRequest{});
  EXPECT_EQ(attributes.custom_attributes().at("Team"), enums_pb::INDEXED_VALUE_TYPE_KEYWORD);

  const auto health =
      world.ask<::grpc::health::v1::HealthCheckResponse>("Check", ::grpc::health::v1::HealthCheckRequest{}, "");
  EXPECT_EQ(health.status(), ::grpc::health::v1::HealthCheckResponse::SERVING);
}

}  // namespace
}  // namespace carillon::testing
