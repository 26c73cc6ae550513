#include "api/temporal/schedule_translation.hpp"

#include "api/temporal/payloads.hpp"
#include "api/temporal/spec_translation.hpp"
#include "base/crypto.hpp"
#include "base/duration_text.hpp"
#include "base/ids.hpp"
#include "base/quoted.hpp"
#include "calendar/spec_document.hpp"
#include "definitions/action_document.hpp"
#include "definitions/policies_document.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <variant>

namespace carillon::temporal {
namespace {

namespace json = boost::json;
using workflow_pb::NewWorkflowExecutionInfo;

constexpr std::size_t workflow_id_size_max = 1'000;
constexpr std::size_t time_suffix_size = 21;  // `-2026-11-17T03:35:02Z`
constexpr std::size_t blob_size_max = 1024 * 1024;
constexpr Duration catchup_window_default = std::chrono::days{365};
constexpr Duration catchup_window_min = std::chrono::seconds{10};
constexpr std::int64_t attempts_of_unlimited = 1'000;

Outcome<> check_timeout(std::string_view name, const google::protobuf::Duration& timeout) {
  if (duration_of(timeout) >= Duration{0}) return {};
  return invalid(fmt::format("An invalid {} is set on request. cause: negative duration", name));
}

Outcome<> check_workflow(const schedule_pb::Schedule& schedule) {
  if (!schedule.action().has_start_workflow()) return invalid("Only StartWorkflow action is supported for schedules");
  const NewWorkflowExecutionInfo& workflow = schedule.action().start_workflow();
  if (const std::size_t size = workflow.workflow_id().size() + time_suffix_size; size > workflow_id_size_max)
    return invalid(fmt::format("WorkflowId exceeds maximum allowed length ({}/{})", size, workflow_id_size_max));
  if (workflow.workflow_type().name().empty()) return invalid("WorkflowType is not set on request.");
  if (!workflow.has_task_queue()) return invalid("taskQueue is not set");
  if (workflow.task_queue().name().empty()) return invalid("missing task queue name");
  if (!workflow.cron_schedule().empty()) return invalid("Scheduled workflow must not contain CronSchedule");
  if (workflow.workflow_id_reuse_policy() > enums_pb::WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE)
    return invalid("Scheduled workflow must not contain WorkflowIDReusePolicy");
  TRY(check_timeout("WorkflowExecutionTimeoutSeconds", workflow.workflow_execution_timeout()));
  TRY(check_timeout("WorkflowRunTimeoutSeconds", workflow.workflow_run_timeout()));
  TRY(check_timeout("WorkflowTaskTimeoutSeconds", workflow.workflow_task_timeout()));
  if (workflow.ByteSizeLong() > blob_size_max) return invalid("Blob data size exceeds limit.");
  return {};
}

/// What a job, program or server is given in place of a workflow's worker.
json::object envelope_of(const NewWorkflowExecutionInfo& workflow) {
  return {{"workflowType", workflow.workflow_type().name()},
          {"workflowId", workflow.workflow_id()},
          {"taskQueue", workflow.task_queue().name()},
          {"input", shown(workflow.input())}};
}

/// Unless the setting says it: a job has the type and the queue of the workflow.
void fill_action(std::string_view kind, json::object& action, const NewWorkflowExecutionInfo& workflow) {
  const auto fill = [&](std::string_view key, json::value value) {
    if (!action.contains(key)) action[key] = std::move(value);
  };
  const std::string& queue = workflow.task_queue().name();
  if (kind == "job") {
    fill("type", json::value(workflow.workflow_type().name()));
    if (is_id_text(queue)) fill("queue", json::value(queue));
    fill("payload", envelope_of(workflow));
  }
  if (kind == "command") fill("stdin", json::value(json::serialize(envelope_of(workflow))));
  if (kind == "http") fill("body", envelope_of(workflow));
}

/// A workflow on a cluster: what people read of it stands in the document, the rest in the message.
json::object cluster_action(const NewWorkflowExecutionInfo& workflow) {
  NewWorkflowExecutionInfo rest = workflow;
  rest.clear_workflow_id();
  rest.clear_workflow_type();
  rest.clear_task_queue();
  json::object action{{"type", workflow.workflow_type().name()},
                      {"taskQueue", workflow.task_queue().name()},
                      {"id", workflow.workflow_id()}};
  if (const std::string bytes = rest.SerializeAsString(); !bytes.empty()) action["message"] = to_base64(bytes);
  return {{"workflow", std::move(action)}};
}

schedule_pb::SchedulePolicies resolved_policies(const schedule_pb::SchedulePolicies& policies) {
  schedule_pb::SchedulePolicies out = policies;
  // A policy that nobody knows is taken for the default.
  if (policies.overlap_policy() == 0 || !enums_pb::ScheduleOverlapPolicy_IsValid(policies.overlap_policy()))
    out.set_overlap_policy(enums_pb::SCHEDULE_OVERLAP_POLICY_SKIP);
  const Duration window =
      policies.has_catchup_window() ? duration_of(policies.catchup_window()) : catchup_window_default;
  *out.mutable_catchup_window() = temporal::message_of(std::max(window, catchup_window_min));
  return out;
}

/// The workflow's own policy; without one it is tried once.
json::object retry_document(const NewWorkflowExecutionInfo& workflow) {
  if (!workflow.has_retry_policy()) return {{"maxAttempts", 1}};
  const common_pb::RetryPolicy& policy = workflow.retry_policy();
  const std::int64_t attempts = policy.maximum_attempts() > 0 ? policy.maximum_attempts() : attempts_of_unlimited;
  Duration initial = duration_of(policy.initial_interval());
  if (initial <= Duration{0}) initial = std::chrono::seconds{1};
  Duration longest = duration_of(policy.maximum_interval());
  if (longest <= Duration{0}) longest = 100 * initial;
  const double factor = policy.backoff_coefficient() >= 1 ? std::min(policy.backoff_coefficient(), 1'000.0) : 2.0;
  return {{"maxAttempts", std::min(attempts, attempts_of_unlimited)},
          {"backoff", "exponential"},
          {"initial", to_text(initial)},
          {"factor", factor},
          {"maxDelay", to_text(std::max(longest, initial))}};
}

void set_policies(json::object& policies, const schedule_pb::SchedulePolicies& resolved,
                  const NewWorkflowExecutionInfo& workflow, bool is_on_cluster) {
  policies["overlap"] = to_text(overlap_of(resolved.overlap_policy()));
  policies["bufferLimit"] = 1'000;
  policies["catchup"] =
      json::object{{"policy", "all"}, {"window", to_text(duration_of(resolved.catchup_window()))}, {"grace", "10s"}};
  policies["pauseOnFailure"] = resolved.pause_on_failure();
  // Retries and time-outs of a real workflow are its cluster's.
  policies["retry"] = is_on_cluster ? json::object{{"maxAttempts", 1}} : retry_document(workflow);
  policies["timeout"] = nullptr;
  if (is_on_cluster) return;
  const Duration run = duration_of(workflow.workflow_run_timeout());
  const Duration whole = duration_of(workflow.workflow_execution_timeout());
  const Duration timeout = run > Duration{0} ? run : whole;
  if (timeout > Duration{0}) policies["timeout"] = to_text(timeout);
}

/// Temporal counts down what is left, we count up what was used.
void set_limit(json::object& policies, const schedule_pb::ScheduleState& state, const PresentSchedule* present) {
  policies.erase("maxStarts");
  // Without `limited_actions` the number means nothing.
  if (!state.limited_actions()) return;
  const bool has_limit = present != nullptr && present->document.policies.starts_max;
  const std::int64_t used = has_limit ? present->start_count : 0;
  const std::int64_t left = std::clamp<std::int64_t>(state.remaining_actions(), 0, starts_limit_max);
  policies["maxStarts"] = std::min(used + left, starts_limit_max);
}

std::string same_or(const std::optional<TemporalPart>& before, std::string TemporalPart::* member) {
  return before ? (*before).*member : std::string{};
}

/// A message of ours says what it always did; only the part of it that is the action is compared.
bool is_same_action(const schedule_pb::Schedule& one, const schedule_pb::Schedule& other) {
  return one.action().SerializeAsString() == other.action().SerializeAsString();
}

NewWorkflowExecutionInfo workflow_of(const ScheduleDocument& document) {
  NewWorkflowExecutionInfo workflow;
  workflow.set_workflow_id(document.id.text());
  workflow.mutable_workflow_type()->set_name(std::string{kind_of(document.action)});
  workflow.mutable_task_queue()->set_name("carillon");
  workflow.mutable_task_queue()->set_kind(enums_pb::TASK_QUEUE_KIND_NORMAL);
  if (const auto* own = std::get_if<WorkflowAction>(&document.action)) {
    const auto bytes = from_base64(own->message);
    if (!bytes || !workflow.ParseFromString(*bytes)) workflow.Clear();
    workflow.set_workflow_id(own->id.value_or(document.id.text()));
    workflow.mutable_workflow_type()->set_name(own->type);
    workflow.mutable_task_queue()->set_name(own->task_queue);
    workflow.mutable_task_queue()->set_kind(enums_pb::TASK_QUEUE_KIND_NORMAL);
    if (own->input) {
      workflow.clear_input();
      for (const json::value& argument : *own->input)
        *workflow.mutable_input()->add_payloads() = json_payload(argument);
    }
  }
  if (const auto* job = std::get_if<JobAction>(&document.action)) {
    workflow.mutable_workflow_type()->set_name(job->type);
    workflow.mutable_task_queue()->set_name(job->queue);
    if (job->payload != json::value(json::object{}))
      *workflow.mutable_input()->add_payloads() = json_payload(job->payload);
  }
  return workflow;
}

schedule_pb::SchedulePolicies policies_message(const Policies& policies) {
  schedule_pb::SchedulePolicies out;
  out.set_overlap_policy(message_of(policies.overlap));
  Duration window = policies.catchup.window.value_or(catchup_window_default);
  if (policies.catchup.policy == CatchupPolicy::none) window = catchup_window_min;
  *out.mutable_catchup_window() = temporal::message_of(std::max(window, catchup_window_min));
  out.set_pause_on_failure(policies.pause_on_failure);
  return out;
}

}  // namespace

OverlapPolicy overlap_of(enums_pb::ScheduleOverlapPolicy policy) {
  switch (policy) {
    case enums_pb::SCHEDULE_OVERLAP_POLICY_BUFFER_ONE: return OverlapPolicy::buffer_one;
    case enums_pb::SCHEDULE_OVERLAP_POLICY_BUFFER_ALL: return OverlapPolicy::buffer_all;
    case enums_pb::SCHEDULE_OVERLAP_POLICY_CANCEL_OTHER: return OverlapPolicy::cancel_other;
    case enums_pb::SCHEDULE_OVERLAP_POLICY_TERMINATE_OTHER: return OverlapPolicy::terminate_other;
    case enums_pb::SCHEDULE_OVERLAP_POLICY_ALLOW_ALL: return OverlapPolicy::allow_all;
    default: return OverlapPolicy::skip;
  }
}

enums_pb::ScheduleOverlapPolicy message_of(OverlapPolicy policy) {
  switch (policy) {
    case OverlapPolicy::skip: return enums_pb::SCHEDULE_OVERLAP_POLICY_SKIP;
    case OverlapPolicy::buffer_one:
    case OverlapPolicy::buffer_latest: return enums_pb::SCHEDULE_OVERLAP_POLICY_BUFFER_ONE;
    case OverlapPolicy::buffer_all: return enums_pb::SCHEDULE_OVERLAP_POLICY_BUFFER_ALL;
    case OverlapPolicy::cancel_other: return enums_pb::SCHEDULE_OVERLAP_POLICY_CANCEL_OTHER;
    case OverlapPolicy::terminate_other: return enums_pb::SCHEDULE_OVERLAP_POLICY_TERMINATE_OTHER;
    case OverlapPolicy::allow_all: return enums_pb::SCHEDULE_OVERLAP_POLICY_ALLOW_ALL;
  }
  return enums_pb::SCHEDULE_OVERLAP_POLICY_SKIP;
}

Outcome<json::object> action_for(const NewWorkflowExecutionInfo& workflow, const Settings& settings) {
  const std::string& type = workflow.workflow_type().name();
  auto found = settings.workflows.find(type);
  if (found == settings.workflows.end() && !settings.clusters.empty()) return cluster_action(workflow);
  if (found == settings.workflows.end()) found = settings.workflows.find("*");
  if (found == settings.workflows.end())
    return failed(
        grpc::StatusCode::failed_precondition,
        fmt::format("this server starts no workflows of type {}: it has no Temporal cluster, and its settings say "
                    "nothing else to do; add clusters: {{default: {{address: HOST:7233}}}} or workflows: {{{}: {{job: "
                    "{{}}}}}} to the file of --temporal",
                    quoted(type), quoted(type)));
  json::object action = found->second;
  fill_action(action.begin()->key(), action.begin()->value().get_object(), workflow);
  return action;
}

std::string meaning_of(const Spec& spec, const Action& action) {
  return sha256_hex(json::serialize(write_spec(spec)) + "\n" + json::serialize(write_action(action))).substr(0, 32);
}

Outcome<TranslatedSchedule> translate(const ScheduleRequest& request, const Settings& settings,
                                      std::string_view name_space, const PresentSchedule* present) {
  TRY(check_workflow(request.schedule));
  schedule_pb::Schedule kept = request.schedule;
  kept.clear_state();
  // It means nothing without a limit, and is shown all the same.
  const schedule_pb::ScheduleState& state = request.schedule.state();
  if (const std::int64_t remaining = state.remaining_actions(); remaining != 0 && !state.limited_actions())
    kept.mutable_state()->set_remaining_actions(remaining);
  *kept.mutable_spec() = TRY(compile_spec(request.schedule.spec()));
  *kept.mutable_policies() = resolved_policies(request.schedule.policies());
  NewWorkflowExecutionInfo& workflow = *kept.mutable_action()->mutable_start_workflow();
  if (workflow.task_queue().kind() == 0) workflow.mutable_task_queue()->set_kind(enums_pb::TASK_QUEUE_KIND_NORMAL);
  if (workflow.has_search_attributes())
    *workflow.mutable_search_attributes() = TRY(checked_attributes(workflow.search_attributes(), settings, name_space));

  const bool keeps_action = present != nullptr && is_same_action(kept, present->described);
  json::object document = present == nullptr ? json::object{} : write_schedule(present->document);
  document["spec"] = spec_document(kept.spec());
  if (!keeps_action) document["action"] = TRY(action_for(workflow, settings));
  if (!document.contains("policies")) document["policies"] = json::object{};
  const bool is_on_cluster = document["action"].get_object().contains("workflow");
  set_policies(document["policies"].get_object(), kept.policies(), workflow, is_on_cluster);
  set_limit(document["policies"].get_object(), state, present);
  document["notes"] = state.notes();

  const std::optional<TemporalPart> before = present == nullptr ? std::nullopt : present->document.temporal;
  TemporalPart part{.id = same_or(before, &TemporalPart::id),
                    .schedule = to_base64(kept.SerializeAsString()),
                    .meaning = {},
                    .memo = same_or(before, &TemporalPart::memo),
                    .search_attributes = same_or(before, &TemporalPart::search_attributes),
                    .updated_at = {}};
  if (request.memo) {
    if (request.memo->ByteSizeLong() > blob_size_max + 4'096) return invalid("Memo size exceeds limit.");
    part.memo = request.memo->fields().empty() ? std::string{} : to_base64(request.memo->SerializeAsString());
  }
  if (request.search_attributes) {
    const auto checked = TRY(checked_attributes(*request.search_attributes, settings, name_space));
    part.search_attributes = checked.indexed_fields().empty() ? std::string{} : to_base64(checked.SerializeAsString());
  }

  // Read as it will be stored, since what is kept must be known by what it became.
  json::object named = document;
  named["id"] = "x";
  named["namespace"] = name_space;
  const auto read = read_schedule(named);
  if (!read) return std::unexpected(status_of(Refusal{read.error()}));
  part.meaning = meaning_of(read->spec, read->action);
  document["temporal"] = write_temporal(part);
  document.erase("id");
  document.erase("namespace");
  if (present == nullptr) document.erase("name");
  return TranslatedSchedule{.document = std::move(document), .is_paused = state.paused(), .notes = state.notes()};
}

schedule_pb::Schedule described_schedule(const ScheduleDocument& document, Instant creation) {
  schedule_pb::Schedule schedule;
  const std::optional<TemporalPart>& part = document.temporal;
  const auto bytes = part && !part->schedule.empty() ? from_base64(part->schedule) : std::nullopt;
  const bool is_kept = bytes && schedule.ParseFromString(*bytes);
  // What was defined by others since is told as it is now.
  if (!is_kept || part->meaning != meaning_of(document.spec, document.action)) {
    schedule.Clear();
    *schedule.mutable_spec() = spec_message(document.spec, creation);
    *schedule.mutable_action()->mutable_start_workflow() = workflow_of(document);
  }
  const bool keeps_id = schedule.policies().keep_original_workflow_id();
  *schedule.mutable_policies() = policies_message(document.policies);
  schedule.mutable_policies()->set_keep_original_workflow_id(keeps_id);
  return schedule;
}

}  // namespace carillon::temporal
