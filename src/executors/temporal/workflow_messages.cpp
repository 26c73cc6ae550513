#include "executors/temporal/workflow_messages.hpp"

#include "definitions/workflow_callback.hpp"
#include "definitions/workflow_id.hpp"
#include "grpc_wire/framing.hpp"
#include "ports/run_queue.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <google/protobuf/util/time_util.h>
#include <temporal/status.pb.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <utility>

namespace carillon::workflows {
namespace {

namespace json = boost::json;
using google::protobuf::util::TimeUtil;
using grpc::StatusCode;

constexpr std::string_view json_encoding = "json/plain";
constexpr int cause_depth_max = 5;

common_pb::Payload json_payload(std::string text) {
  common_pb::Payload payload;
  (*payload.mutable_metadata())["encoding"] = json_encoding;
  payload.set_data(std::move(text));
  return payload;
}

common_pb::Payload json_payload(const json::value& value) { return json_payload(json::serialize(value)); }

common_pb::Payload keyword(std::string_view text) {
  common_pb::Payload payload = json_payload(json::value(text));
  (*payload.mutable_metadata())["type"] = "Keyword";
  return payload;
}

common_pb::Payload datetime(Instant instant) {
  common_pb::Payload payload = json_payload(json::value(carillon::to_text(instant)));
  (*payload.mutable_metadata())["type"] = "Datetime";
  return payload;
}

void set_duration(google::protobuf::Duration& target, Duration duration) {
  target = TimeUtil::MicrosecondsToDuration(duration.count());
}

workflow_pb::NewWorkflowExecutionInfo defined_by_client(const WorkflowAction& action) {
  workflow_pb::NewWorkflowExecutionInfo info;
  const auto bytes = action.message.empty() ? std::nullopt : grpc::base64_decoded(action.message);
  if (!bytes || !info.ParseFromString(*bytes)) info.Clear();
  return info;
}

/// A trigger may bring arguments of its own: a list of them, or one.
void set_input(common_pb::Payloads& input, const WorkflowAction& action, const Envelope& envelope) {
  std::error_code error;
  const json::value own = json::parse(envelope.payload, error);
  const bool has_own = !error && !own.is_null() && own != json::value(json::object{});
  if (!has_own && !action.input) return;
  input.Clear();
  const json::array arguments = !has_own ? *action.input : own.is_array() ? own.get_array() : json::array{own};
  for (const json::value& argument : arguments) *input.add_payloads() = json_payload(argument);
}

common_pb::RetryPolicy retry_policy(const WorkflowRetry& retry) {
  common_pb::RetryPolicy policy;
  policy.set_maximum_attempts(static_cast<std::int32_t>(retry.attempt_count_max));
  if (retry.initial) set_duration(*policy.mutable_initial_interval(), *retry.initial);
  if (retry.factor) policy.set_backoff_coefficient(*retry.factor);
  if (retry.delay_max) set_duration(*policy.mutable_maximum_interval(), *retry.delay_max);
  for (const std::string& type : retry.non_retryable) policy.add_non_retryable_error_types(type);
  return policy;
}

void copy_client_part(service_pb::StartWorkflowExecutionRequest& request,
                      const workflow_pb::NewWorkflowExecutionInfo& info) {
  if (info.has_input()) *request.mutable_input() = info.input();
  if (info.has_workflow_execution_timeout())
    *request.mutable_workflow_execution_timeout() = info.workflow_execution_timeout();
  if (info.has_workflow_run_timeout()) *request.mutable_workflow_run_timeout() = info.workflow_run_timeout();
  if (info.has_workflow_task_timeout()) *request.mutable_workflow_task_timeout() = info.workflow_task_timeout();
  if (info.has_retry_policy()) *request.mutable_retry_policy() = info.retry_policy();
  if (info.has_memo()) *request.mutable_memo() = info.memo();
  if (info.has_search_attributes()) *request.mutable_search_attributes() = info.search_attributes();
  if (info.has_header()) *request.mutable_header() = info.header();
  if (info.has_user_metadata()) *request.mutable_user_metadata() = info.user_metadata();
  if (info.has_versioning_override()) *request.mutable_versioning_override() = info.versioning_override();
  if (info.has_priority()) *request.mutable_priority() = info.priority();
}

enums_pb::WorkflowIdReusePolicy reuse_policy(WorkflowIdReuse reuse) {
  switch (reuse) {
    case WorkflowIdReuse::allow_duplicate: return enums_pb::WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE;
    case WorkflowIdReuse::allow_duplicate_failed_only:
      return enums_pb::WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY;
    case WorkflowIdReuse::reject_duplicate: return enums_pb::WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE;
  }
  std::unreachable();
}

std::string failure_text(const ::temporal::api::failure::v1::Failure& failure) {
  std::string text;
  const auto* one = &failure;
  for (int depth = 0; depth < cause_depth_max; ++depth) {
    const std::string& type = one->application_failure_info().type();
    if (!text.empty()) text += "; caused by ";
    text += type.empty() ? one->message() : fmt::format("{}: {}", type, one->message());
    if (!one->has_cause()) break;
    one = &one->cause();
  }
  return text.empty() ? "the workflow failed" : text;
}

std::optional<std::string> result_of(const common_pb::Payloads& payloads) {
  if (payloads.payloads().empty()) return std::nullopt;
  const common_pb::Payload& first = payloads.payloads(0);
  const auto encoding = first.metadata().find("encoding");
  if (encoding != first.metadata().end() && encoding->second == "binary/null") return std::nullopt;
  std::string text = json_text(first);
  if (text.size() > run_result_size_max) return std::nullopt;
  return text;
}

/// As the last run told it: `{"state":"failed","error":"disk full"}`.
void set_failure(::temporal::api::failure::v1::Failure& failure, std::string_view last_failure) {
  std::error_code error;
  const json::value told = json::parse(last_failure, error);
  const auto text = [&](std::string_view member) {
    const json::object* object = error ? nullptr : told.if_object();
    const json::value* found = object == nullptr ? nullptr : object->if_contains(member);
    return found == nullptr || !found->is_string() ? std::string{} : std::string{std::string_view{found->get_string()}};
  };
  const std::string why = text("error");
  failure.set_message(why.empty() ? text("state") : why);
  failure.set_source("carillon");
  failure.mutable_application_failure_info()->set_type(text("state"));
}

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Who asked for it knows why.
AttemptEnd stopped_end(bool was_asked, std::string why) {
  if (was_asked) return {.outcome = AttemptOutcome::cancelled};
  return {.outcome = AttemptOutcome::failed, .error = std::move(why)};
}

}  // namespace

StartName start_name_of(const WorkflowAction& action, const Envelope& envelope) {
  return {.workflow_id = workflow_id_of(action, {.schedule_id = envelope.schedule_id,
                                                 .run_id = envelope.run_id,
                                                 .nominal = envelope.nominal,
                                                 .source = envelope.source}),
          .request_id = fmt::format("{}/{}#{}", envelope.run_name, envelope.run_id, envelope.attempt)};
}

service_pb::StartWorkflowExecutionRequest start_request(const WorkflowAction& action, const Envelope& envelope,
                                                        const CallContext& context) {
  const StartName name = start_name_of(action, envelope);
  service_pb::StartWorkflowExecutionRequest request;
  const auto info = defined_by_client(action);
  copy_client_part(request, info);
  request.set_namespace_(context.name_space);
  request.set_workflow_id(name.workflow_id);
  request.mutable_workflow_type()->set_name(action.type);
  request.mutable_task_queue()->set_name(action.task_queue);
  request.mutable_task_queue()->set_kind(enums_pb::TASK_QUEUE_KIND_NORMAL);
  set_input(*request.mutable_input(), action, envelope);
  if (action.execution_timeout) set_duration(*request.mutable_workflow_execution_timeout(), *action.execution_timeout);
  if (action.run_timeout) set_duration(*request.mutable_workflow_run_timeout(), *action.run_timeout);
  if (action.task_timeout) set_duration(*request.mutable_workflow_task_timeout(), *action.task_timeout);
  if (action.retry) *request.mutable_retry_policy() = retry_policy(*action.retry);
  for (const auto& entry : action.memo)
    (*request.mutable_memo()->mutable_fields())[std::string{entry.key()}] = json_payload(entry.value());
  (*request.mutable_memo()->mutable_fields())[std::string{memo_key}] = json_payload(json::value(name.request_id));
  auto& attributes = *request.mutable_search_attributes()->mutable_indexed_fields();
  for (const auto& entry : action.search_attributes) attributes[std::string{entry.key()}] = json_payload(entry.value());
  attributes["TemporalScheduledById"] = keyword(envelope.schedule_id);
  attributes["TemporalScheduledStartTime"] = datetime(envelope.nominal);
  request.set_identity(context.identity);
  request.set_request_id(name.request_id);
  request.set_workflow_id_reuse_policy(reuse_policy(action.id_reuse));
  request.set_workflow_id_conflict_policy(enums_pb::WORKFLOW_ID_CONFLICT_POLICY_FAIL);
  if (envelope.last_result)
    *request.mutable_last_completion_result()->add_payloads() = payload_of(*envelope.last_result);
  if (envelope.last_failure) set_failure(*request.mutable_continued_failure(), *envelope.last_failure);
  return request;
}

void ask_for_callback(service_pb::StartWorkflowExecutionRequest& request, const AttemptKey& key,
                      const CallContext& context) {
  if (context.callback_url.empty()) return;
  auto& nexus = *request.add_completion_callbacks()->mutable_nexus();
  nexus.set_url(context.callback_url);
  const std::string attempt = attempt_text(key);
  (*nexus.mutable_header())[std::string{workflow_callback_attempt_header}] = attempt;
  (*nexus.mutable_header())[std::string{workflow_callback_key_header}] = context.callback_key(attempt);
}

std::string attempt_text(const AttemptKey& key) {
  return fmt::format("{}/{}", static_cast<std::int64_t>(key.run), key.attempt);
}

std::optional<AttemptKey> attempt_of(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return std::nullopt;
  const auto run = number_in(text.substr(0, slash));
  const auto attempt = number_in(text.substr(slash + 1));
  if (!run || !attempt) return std::nullopt;
  return AttemptKey{static_cast<Seq>(*run), *attempt};
}

bool is_started_by(const workflow_pb::WorkflowExecutionInfo& info, const std::string& request_id) {
  const auto found = info.memo().fields().find(std::string{memo_key});
  return found != info.memo().fields().end() && found->second.data() == json::serialize(json::value(request_id));
}

errors_pb::WorkflowExecutionAlreadyStartedFailure already_started(const grpc::Status& status) {
  google::rpc::Status whole;
  errors_pb::WorkflowExecutionAlreadyStartedFailure failure;
  if (!whole.ParseFromString(status.details)) return failure;
  for (const google::protobuf::Any& detail : whole.details())
    if (detail.UnpackTo(&failure)) return failure;
  return {};
}

std::string web_address(const CallContext& context, std::string_view workflow_id, std::string_view run_id) {
  if (context.web.empty()) return {};
  const auto encoded = [](std::string_view text) {
    std::string out;
    for (const char c : text) {
      const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                            c == '.' || c == '_' || c == '~';
      out += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
  };
  return fmt::format("{}/namespaces/{}/workflows/{}/{}/history", context.web, encoded(context.name_space),
                     encoded(workflow_id), encoded(run_id));
}

bool is_passing(StatusCode code) {
  switch (code) {
    case StatusCode::unavailable:
    case StatusCode::resource_exhausted:
    case StatusCode::deadline_exceeded:
    case StatusCode::aborted:
    case StatusCode::internal:
    case StatusCode::unknown:
    case StatusCode::cancelled: return true;
    default: return false;
  }
}

std::string to_text(const grpc::Status& status) {
  static constexpr std::array<std::string_view, 17> names{
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  return fmt::format("{}: {}", names[static_cast<std::size_t>(status.code)], status.message);
}

std::variant<NextRun, AttemptEnd> meaning_of(const history_pb::HistoryEvent& close, bool was_asked) {
  const auto goes_on = [](const std::string& run_id) { return !run_id.empty(); };
  if (close.has_workflow_execution_completed_event_attributes()) {
    const auto& completed = close.workflow_execution_completed_event_attributes();
    if (goes_on(completed.new_execution_run_id())) return NextRun{completed.new_execution_run_id()};
    return AttemptEnd{.outcome = AttemptOutcome::succeeded, .result = result_of(completed.result())};
  }
  if (close.has_workflow_execution_failed_event_attributes()) {
    const auto& failed = close.workflow_execution_failed_event_attributes();
    if (goes_on(failed.new_execution_run_id())) return NextRun{failed.new_execution_run_id()};
    return AttemptEnd{.outcome = AttemptOutcome::failed, .error = failure_text(failed.failure())};
  }
  if (close.has_workflow_execution_timed_out_event_attributes()) {
    const auto& timed_out = close.workflow_execution_timed_out_event_attributes();
    if (goes_on(timed_out.new_execution_run_id())) return NextRun{timed_out.new_execution_run_id()};
    return AttemptEnd{.outcome = AttemptOutcome::timed_out, .error = "the workflow timed out on its cluster"};
  }
  if (close.has_workflow_execution_continued_as_new_event_attributes())
    return NextRun{close.workflow_execution_continued_as_new_event_attributes().new_execution_run_id()};
  if (close.has_workflow_execution_canceled_event_attributes())
    return stopped_end(was_asked, "the workflow was cancelled on its cluster");
  if (close.has_workflow_execution_terminated_event_attributes()) {
    const auto& terminated = close.workflow_execution_terminated_event_attributes();
    return stopped_end(was_asked, fmt::format("the workflow was terminated on its cluster by {}: {}",
                                              terminated.identity(), terminated.reason()));
  }
  return AttemptEnd{.outcome = AttemptOutcome::lost,
                    .error = fmt::format("the cluster says of its end what is not known here (event type {})",
                                         static_cast<int>(close.event_type()))};
}

std::string json_text(const common_pb::Payload& payload) {
  const auto encoding = payload.metadata().find("encoding");
  if (encoding != payload.metadata().end() && encoding->second == json_encoding) {
    std::error_code error;
    const json::value value = json::parse(payload.data(), error);
    if (!error) return json::serialize(value);
  }
  json::object metadata;
  for (const auto& [key, value] : payload.metadata()) metadata[key] = grpc::base64_unpadded(value);
  return json::serialize(
      json::object{{"temporalPayload",
                    json::object{{"metadata", std::move(metadata)}, {"data", grpc::base64_unpadded(payload.data())}}}});
}

common_pb::Payload payload_of(std::string_view text) {
  std::error_code error;
  const json::value value = json::parse(text, error);
  const json::object* object = error ? nullptr : value.if_object();
  const json::value* kept = object != nullptr && object->size() == 1 ? object->if_contains("temporalPayload") : nullptr;
  if (kept == nullptr || !kept->is_object()) return json_payload(std::string{text});
  common_pb::Payload payload;
  if (const json::value* metadata = kept->get_object().if_contains("metadata"); metadata && metadata->is_object())
    for (const auto& entry : metadata->get_object())
      if (const json::string* one = entry.value().if_string())
        (*payload.mutable_metadata())[std::string{entry.key()}] = grpc::base64_decoded(*one).value_or("");
  if (const json::value* data = kept->get_object().if_contains("data"); data && data->is_string())
    payload.set_data(grpc::base64_decoded(data->get_string()).value_or(""));
  return payload;
}

}  // namespace carillon::workflows
