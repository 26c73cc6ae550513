// Every call of a real Temporal server that was recorded (recorded_answers.json), made here in the same order: the same
// code, the same text, the same details, the same schedule. Where carillon answers otherwise on purpose, `differences`
// says how; nothing else may differ.
#include "document/document.hpp"
#include "temporal/temporal_world.hpp"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>
#include <temporal/errordetails.pb.h>
#include <temporal/status.pb.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace carillon::testing {
namespace {

namespace json = boost::json;
using namespace carillon::temporal;

constexpr std::array<std::string_view, 17> code_names{
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

struct Expected {
  std::string code;
  std::string message;
};

/// By the name of the call, or its beginning.
const std::map<std::string, Expected, std::less<>>& differences() {
  static const std::map<std::string, Expected, std::less<>> all{
      // Temporal's newer engine refuses them too: what has no action breaks the lists of its clients.
      {"create_bad_no_schedule", {"INVALID_ARGUMENT", "Only StartWorkflow action is supported for schedules"}},
      {"create_bad_no_action", {"INVALID_ARGUMENT", "Only StartWorkflow action is supported for schedules"}},
      {"create_bad_empty_action", {"INVALID_ARGUMENT", "Only StartWorkflow action is supported for schedules"}},
      // A name that is no place, and one that means another zone on every machine.
      {"spec_tz_est.create", {"INVALID_ARGUMENT", "Invalid schedule spec: unknown time zone EST"}},
      {"spec_tz_local.create", {"INVALID_ARGUMENT", "Invalid schedule spec: unknown time zone Local"}},
      // A change from what the client does not know is refused; Temporal's default engine says OK and drops it.
      {"update.old_token", {"FAILED_PRECONDITION", "mismatched conflict token"}},
      {"update.garbage_token", {"FAILED_PRECONDITION", "mismatched conflict token"}},
      // As the newer engine does.
      {"update.memo", {"OK", ""}},
      // Attributes of the system are not declared here.
      {"create_bad_system_sa",
       {"INVALID_ARGUMENT",
        "Namespace default has no mapping defined for search attribute "
        "TemporalSchedulePaused"}},
      // Wrong for good: UNKNOWN would be tried again.
      {"list.bad_token", {"INVALID_ARGUMENT", "invalid next_page_token: it is not from this server"}},
  };
  return all;
}

/// One text for what does not exist, whatever it was before.
bool is_not_found_text(std::string_view text) {
  return text.starts_with("workflow not found for ID") || text == "workflow execution already completed" ||
         text == "schedule not found";
}

std::unique_ptr<google::protobuf::Message> request_message(std::string_view method) {
  if (method == "GetSystemInfo") return std::make_unique<service_pb::GetSystemInfoRequest>();
  if (method == "GetClusterInfo") return std::make_unique<service_pb::GetClusterInfoRequest>();
  if (method == "DescribeNamespace") return std::make_unique<service_pb::DescribeNamespaceRequest>();
  if (method == "CreateSchedule") return std::make_unique<service_pb::CreateScheduleRequest>();
  if (method == "DescribeSchedule") return std::make_unique<service_pb::DescribeScheduleRequest>();
  if (method == "UpdateSchedule") return std::make_unique<service_pb::UpdateScheduleRequest>();
  if (method == "PatchSchedule") return std::make_unique<service_pb::PatchScheduleRequest>();
  if (method == "DeleteSchedule") return std::make_unique<service_pb::DeleteScheduleRequest>();
  if (method == "ListSchedules") return std::make_unique<service_pb::ListSchedulesRequest>();
  if (method == "CountSchedules") return std::make_unique<service_pb::CountSchedulesRequest>();
  return std::make_unique<service_pb::ListScheduleMatchingTimesRequest>();
}

std::string serialised(std::string_view method, const json::value& request) {
  auto message = request_message(method);
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const auto parsed = google::protobuf::util::JsonStringToMessage(json::serialize(request), message.get(), options);
  if (!parsed.ok()) throw std::runtime_error{std::string{parsed.message()}};
  return message->SerializeAsString();
}

json::value to_json(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string text;
  static_cast<void>(google::protobuf::util::MessageToJsonString(message, &text, options));
  return parse_json(text).value();
}

std::vector<std::string> detail_types(const std::string& details) {
  google::rpc::Status status;
  static_cast<void>(status.ParseFromString(details));
  std::vector<std::string> types;
  for (const auto& detail : status.details())
    types.push_back(detail.type_url().substr(detail.type_url().rfind('/') + 1));
  return types;
}

std::string text_at(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string{value->get_string()} : std::string{};
}

class RecordedAnswers : public ::testing::Test {
 protected:
  RecordedAnswers() {
    std::ifstream file{CARILLON_RECORDED_ANSWERS};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    record_ = parse_json(text).value();
  }

  service_pb::DescribeScheduleResponse describe(const std::string& id) {
    service_pb::DescribeScheduleRequest request;
    request.set_namespace_("default");
    request.set_schedule_id(id);
    return world_.ask<service_pb::DescribeScheduleResponse>("DescribeSchedule", request);
  }

  void replay(const json::object& call) {
    const std::string name = text_at(call, "name");
    const std::string method = text_at(call, "rpc");
    SCOPED_TRACE(name);
    // Whatever the requests of one record name, the tokens are ours.
    const grpc::Answer answer = world_.call(method, serialised(method, with_own_token(name, call)));
    Expected expected{text_at(call, "code"), text_at(call, "message")};
    const auto difference = differences().find(name);
    if (difference != differences().end()) {
      expected = difference->second;
      ++different_;
    } else if (is_not_found_text(expected.message)) {
      expected.message = "schedule not found";
    }
    EXPECT_EQ(code_names[static_cast<std::size_t>(answer.status.code)], expected.code) << answer.status.message;
    EXPECT_EQ(answer.status.message, expected.message);
    if (const json::value* details = call.if_contains("details"); details != nullptr && expected.code != "OK") {
      std::vector<std::string> types;
      for (const json::value& type : details->get_array()) types.emplace_back(type.get_string());
      EXPECT_EQ(detail_types(answer.status.details), types);
    }
    if (const json::value* schedule = call.if_contains("schedule"); schedule != nullptr && schedule->is_object())
      compare_schedule(answer.message, *schedule);
    if (const json::value* times = call.if_contains("times")) {
      service_pb::ListScheduleMatchingTimesResponse response;
      ASSERT_TRUE(response.ParseFromString(answer.message));
      const json::value own = to_json(response);
      const json::value* listed = own.get_object().if_contains("start_time");
      EXPECT_EQ(listed == nullptr ? json::value(json::array{}) : *listed, *times);
    }
    ++calls_;
  }

  json::value with_own_token(const std::string& name, const json::object& call) {
    json::object request = call.at("request").get_object();
    if (name == "update.right_token")
      request["conflict_token"] = to_json(describe(text_at(request, "schedule_id"))).at("conflict_token");
    return request;
  }

  static void compare_schedule(const std::string& message, const json::value& expected) {
    service_pb::DescribeScheduleResponse response;
    ASSERT_TRUE(response.ParseFromString(message));
    EXPECT_EQ(to_json(response.schedule()), expected);
    EXPECT_TRUE(response.info().has_create_time());
    EXPECT_EQ(response.conflict_token().size(), 8U);
  }

  void compare_spec(const json::object& call) {
    if (differences().contains(text_at(call, "name").substr(0, text_at(call, "name").find('.')) + ".create")) return;
    const auto response = describe(text_at(call, "schedule_id"));
    EXPECT_EQ(to_json(response.schedule().spec()), call.at("spec")) << text_at(call, "name");
    json::array future;
    for (const auto& time : response.info().future_action_times())
      if (future.size() < 3) future.push_back(to_json(time));
    EXPECT_EQ(json::value(future), call.at("future")) << text_at(call, "name");
    ++compared_;
  }

  void compare_policies(const json::object& call) {
    const auto response = describe(text_at(call, "schedule_id"));
    json::value expected = call.at("policies");
    // One that nobody knows means the usual one.
    if (expected.at("overlap_policy").is_int64())
      expected.get_object()["overlap_policy"] = "SCHEDULE_OVERLAP_POLICY_SKIP";
    EXPECT_EQ(to_json(response.schedule().policies()), expected) << text_at(call, "name");
    ++compared_;
  }

  void compare_state(const json::object& call) {
    const std::string name = text_at(call, "name");
    // What was changed with a wrong token, or a memo, is another state with us.
    if (name == "update.after_garbage_token" || name == "update.after_memo") return;
    const auto response = describe(text_at(call, "schedule_id"));
    EXPECT_EQ(to_json(response.schedule().state()), call.at("state")) << name;
    if (const json::value* count = call.if_contains("future_count")) {
      EXPECT_EQ(response.info().future_action_times_size(), count->to_number<int>()) << name;
    }
    if (const json::value* memo = call.if_contains("memo")) {
      EXPECT_EQ(response.has_memo() ? to_json(response.memo()) : json::value(), *memo) << name;
    }
    if (const json::value* attributes = call.if_contains("search_attributes")) {
      EXPECT_EQ(response.has_search_attributes() ? to_json(response.search_attributes()) : json::value(), *attributes)
          << name;
    }
    ++compared_;
  }

  json::value record_;
  TemporalWorld world_;
  int calls_ = 0;
  int compared_ = 0;
  int different_ = 0;
};

TEST_F(RecordedAnswers, are_given_here_too_but_for_what_is_better) {
  for (const json::value& entry : record_.at("calls").get_array()) {
    const json::object& call = entry.get_object();
    const std::string kind = text_at(call, "rpc");
    if (kind == "described_spec")
      compare_spec(call);
    else if (kind == "described_policies")
      compare_policies(call);
    else if (kind == "described_state")
      compare_state(call);
    else
      replay(call);
  }

  EXPECT_EQ(different_, static_cast<int>(differences().size())) << "a difference that is none any more";
  std::cout << fmt::format("{} calls answered as recorded, {} on purpose otherwise; {} descriptions compared\n",
                           calls_ - different_, different_, compared_);
}

}  // namespace
}  // namespace carillon::testing
