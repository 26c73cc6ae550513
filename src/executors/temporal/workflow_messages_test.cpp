#include "executors/temporal/workflow_messages.hpp"

#include "grpc_wire/framing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <temporal/status.pb.h>

namespace carillon::workflows {
namespace {

using ::testing::StartsWith;

Envelope an_envelope() {
  Envelope envelope{};
  envelope.schedule_id = "nightly";
  envelope.run_id = "r-1";
  envelope.run_name = "nightly@2026-11-18T09:00:00Z";
  envelope.nominal = parse_instant("2026-11-18T09:00:00Z").value();
  envelope.attempt = 2;
  envelope.payload = "{}";
  return envelope;
}

const CallContext context{.name_space = "prod", .identity = "carillon:h"};

AttemptEnd end_of(const history_pb::HistoryEvent& close, bool was_asked = false) {
  return std::get<AttemptEnd>(meaning_of(close, was_asked));
}

TEST(WorkflowStart, is_named_by_the_run_and_its_attempt) {
  WorkflowAction action;
  action.type = "Report";
  action.task_queue = "reports";

  const auto request = start_request(action, an_envelope(), context);

  EXPECT_EQ(request.namespace_(), "prod");
  EXPECT_EQ(request.workflow_id(), "nightly-2026-11-18T09:00:00Z");
  EXPECT_EQ(request.request_id(), "nightly@2026-11-18T09:00:00Z/r-1#2");
  EXPECT_EQ(request.workflow_id_conflict_policy(), enums_pb::WORKFLOW_ID_CONFLICT_POLICY_FAIL);
  EXPECT_EQ(request.search_attributes().indexed_fields().at("TemporalScheduledById").data(), "\"nightly\"");
  EXPECT_EQ(request.search_attributes().indexed_fields().at("TemporalScheduledStartTime").data(),
            "\"2026-11-18T09:00:00Z\"");
  EXPECT_FALSE(request.has_last_completion_result());
  workflow_pb::WorkflowExecutionInfo info;
  EXPECT_FALSE(is_started_by(info, request.request_id()));
  *info.mutable_memo() = request.memo();
  EXPECT_TRUE(is_started_by(info, request.request_id()));
  EXPECT_FALSE(is_started_by(info, "another"));
}

TEST(WorkflowStart, has_what_a_client_defined_unless_the_document_says_otherwise) {
  workflow_pb::NewWorkflowExecutionInfo defined;
  defined.mutable_input()->add_payloads()->set_data("secret bytes");
  defined.mutable_workflow_run_timeout()->set_seconds(5);
  defined.mutable_user_metadata()->mutable_summary()->set_data("s");
  defined.mutable_versioning_override()
      ->GetReflection()
      ->MutableUnknownFields(defined.mutable_versioning_override())
      ->AddVarint(4, 1);
  WorkflowAction action;
  action.message = grpc::base64_unpadded(defined.SerializeAsString());
  action.run_timeout = std::chrono::seconds{9};

  const auto request = start_request(action, an_envelope(), context);

  EXPECT_EQ(request.input().payloads(0).data(), "secret bytes");
  EXPECT_EQ(request.workflow_run_timeout().seconds(), 9);
  EXPECT_EQ(request.user_metadata().summary().data(), "s");
  EXPECT_EQ(request.versioning_override().SerializeAsString(), std::string("\x20\x01"));
}

TEST(WorkflowStart, hands_the_last_result_on_as_it_came) {
  common_pb::Payload encrypted;
  (*encrypted.mutable_metadata())["encoding"] = "binary/encrypted";
  encrypted.set_data(std::string("\x00\xff\x01", 3));
  Envelope envelope = an_envelope();

  envelope.last_result = json_text(encrypted);
  const auto passed_on = start_request({}, envelope, context).last_completion_result().payloads(0);
  envelope.last_result = R"({"rows":3})";
  const auto plain = start_request({}, envelope, context).last_completion_result().payloads(0);

  EXPECT_EQ(passed_on.SerializeAsString(), encrypted.SerializeAsString());
  EXPECT_EQ(plain.data(), R"({"rows":3})");
  EXPECT_EQ(plain.metadata().at("encoding"), "json/plain");
}

TEST(WorkflowStart, hands_the_last_failure_on) {
  Envelope last = an_envelope();
  last.last_failure = R"({"state":"timed_out","error":"disk full"})";

  const auto failure = start_request({}, last, context).continued_failure();

  EXPECT_EQ(failure.message(), "disk full");
  EXPECT_EQ(failure.application_failure_info().type(), "timed_out");
  EXPECT_FALSE(start_request({}, an_envelope(), context).has_continued_failure());
}

TEST(WorkflowStart, names_an_attempt_so_that_it_is_found_again) {
  const AttemptKey key{static_cast<Seq>(123), 4};

  EXPECT_EQ(attempt_text(key), "123/4");
  EXPECT_EQ(attempt_of("123/4"), key);
  for (const std::string_view wrong : {"", "/", "1/", "/1", "1", "1/2/3", " 1/2", "1/x", "99999999999999999999/1"})
    EXPECT_FALSE(attempt_of(wrong)) << wrong;
}

TEST(WorkflowPage, is_where_people_look_at_it) {
  const CallContext known{.name_space = "acme.prod", .identity = {}, .web = "https://temporal.example"};

  EXPECT_EQ(web_address(known, "report-2026-11-19T05:00:00Z", "9f"),
            "https://temporal.example/namespaces/acme.prod/workflows/report-2026-11-19T05%3A00%3A00Z/9f/history");
  EXPECT_EQ(web_address(known, "a/../b c", "9f"),
            "https://temporal.example/namespaces/acme.prod/workflows/a%2F..%2Fb%20c/9f/history");
  EXPECT_EQ(web_address({.name_space = "default", .identity = {}}, "a", "b"), "");
}

TEST(WorkflowEnd, is_the_end_of_the_attempt) {
  history_pb::HistoryEvent close;
  auto* payload = close.mutable_workflow_execution_completed_event_attributes()->mutable_result()->add_payloads();
  (*payload->mutable_metadata())["encoding"] = "json/plain";
  payload->set_data("{\"rows\": 3}");
  EXPECT_EQ(end_of(close).outcome, AttemptOutcome::succeeded);
  EXPECT_EQ(end_of(close).result, "{\"rows\":3}");

  auto& failure = *close.mutable_workflow_execution_failed_event_attributes()->mutable_failure();
  failure.set_message("Activity task failed");
  failure.mutable_cause()->set_message("disk full");
  failure.mutable_cause()->mutable_application_failure_info()->set_type("IOError");
  EXPECT_EQ(end_of(close).outcome, AttemptOutcome::failed);
  EXPECT_EQ(end_of(close).error, "Activity task failed; caused by IOError: disk full");

  close.mutable_workflow_execution_timed_out_event_attributes();
  EXPECT_EQ(end_of(close).outcome, AttemptOutcome::timed_out);

  close.mutable_workflow_execution_canceled_event_attributes();
  EXPECT_EQ(end_of(close, true).outcome, AttemptOutcome::cancelled);
  EXPECT_EQ(end_of(close, false).outcome, AttemptOutcome::failed);
}

TEST(WorkflowEnd, of_one_run_of_a_chain_is_none) {
  history_pb::HistoryEvent close;
  close.mutable_workflow_execution_failed_event_attributes()->set_new_execution_run_id("second");

  EXPECT_EQ(std::get<NextRun>(meaning_of(close, false)).run_id, "second");
}

TEST(WorkflowErrors, tell_who_has_the_id) {
  errors_pb::WorkflowExecutionAlreadyStartedFailure failure;
  failure.set_start_request_id("theirs");
  google::rpc::Status status;
  status.add_details()->PackFrom(failure);

  EXPECT_EQ(already_started({.details = status.SerializeAsString()}).start_request_id(), "theirs");
  EXPECT_EQ(already_started({.details = "garbage"}).start_request_id(), "");
}

TEST(WorkflowErrors, pass_or_are_final) {
  for (const auto code : {grpc::StatusCode::unavailable, grpc::StatusCode::resource_exhausted,
                          grpc::StatusCode::deadline_exceeded, grpc::StatusCode::aborted, grpc::StatusCode::internal})
    EXPECT_TRUE(is_passing(code));
  for (const auto code : {grpc::StatusCode::not_found, grpc::StatusCode::invalid_argument,
                          grpc::StatusCode::permission_denied, grpc::StatusCode::unauthenticated})
    EXPECT_FALSE(is_passing(code));
  EXPECT_THAT(to_text(grpc::Status{.code = grpc::StatusCode::not_found, .message = "x"}), StartsWith("NOT_FOUND: x"));
}

}  // namespace
}  // namespace carillon::workflows
