#include "api/temporal/answers.hpp"

#include "api/temporal/payloads.hpp"
#include "api/temporal/schedule_ids.hpp"
#include "api/temporal/schedule_translation.hpp"
#include "definitions/workflow_id.hpp"
#include "document/document.hpp"

#include <algorithm>
#include <chrono>
#include <ranges>
#include <utility>

namespace carillon::temporal {
namespace {

constexpr int recent_count_of_list = 5;
constexpr std::size_t future_count_of_list = 5;

enums_pb::WorkflowExecutionStatus execution_status(RunState state) {
  switch (state) {
    case RunState::waiting:
    case RunState::queued:
    case RunState::running:
    case RunState::retrying: return enums_pb::WORKFLOW_EXECUTION_STATUS_RUNNING;
    case RunState::succeeded: return enums_pb::WORKFLOW_EXECUTION_STATUS_COMPLETED;
    case RunState::failed:
    case RunState::lost:
    case RunState::expired: return enums_pb::WORKFLOW_EXECUTION_STATUS_FAILED;
    case RunState::timed_out: return enums_pb::WORKFLOW_EXECUTION_STATUS_TIMED_OUT;
    case RunState::cancelled: return enums_pb::WORKFLOW_EXECUTION_STATUS_CANCELED;
  }
  return enums_pb::WORKFLOW_EXECUTION_STATUS_UNSPECIFIED;
}

/// Executions are named by the workflow's id and the nominal time, to the second. One on a cluster has the ids it has
/// there, and none for its run until the cluster has said so.
common_pb::WorkflowExecution execution_of(const RunAnswer& run, const std::string& workflow_id,
                                          const ScheduleDocument& document) {
  common_pb::WorkflowExecution execution;
  if (const auto* action = std::get_if<WorkflowAction>(&document.action)) {
    execution.set_workflow_id(workflow_id_of(*action, {.schedule_id = document.id.text(),
                                                       .run_id = run.id,
                                                       .nominal = run.record.nominal,
                                                       .source = run.record.source}));
    if (!run.record.attempts.empty()) execution.set_run_id(run.record.attempts.back().known_as);
    return execution;
  }
  execution.set_workflow_id(workflow_id + "-" +
                            to_text(Instant{std::chrono::floor<std::chrono::seconds>(run.record.nominal)}));
  execution.set_run_id(run.id);
  return execution;
}

Instant started_at(const RunAnswer& run) {
  const auto& attempts = run.record.attempts;
  if (!attempts.empty()) return attempts.front().launched_at.value_or(attempts.front().claimed_at);
  return run.record.decided_at;
}

schedule_pb::ScheduleActionResult result_of(const RunAnswer& run, const std::string& workflow_id,
                                            const ScheduleDocument& document) {
  schedule_pb::ScheduleActionResult result;
  *result.mutable_schedule_time() = timestamp_of(run.record.due);
  *result.mutable_actual_time() = timestamp_of(started_at(run));
  *result.mutable_start_workflow_result() = execution_of(run, workflow_id, document);
  result.set_start_workflow_status(execution_status(run.record.run.state));
  return result;
}

/// In the order of their starts, as clients take the last one for the newest.
std::vector<const RunAnswer*> started_runs(const ScheduleAnswer& answer) {
  std::vector<const RunAnswer*> runs;
  for (const RunAnswer& run : answer.recent)
    if (run.has_run()) runs.push_back(&run);
  std::ranges::sort(runs, {}, [](const RunAnswer* run) { return std::pair{started_at(*run), run->record.seq}; });
  return runs;
}

template <typename Message>
Message kept_message(const std::string& text) {
  Message message;
  const auto bytes = from_base64(text);
  if (!bytes || !message.ParseFromString(*bytes)) message.Clear();
  return message;
}

void set_info(schedule_pb::ScheduleInfo& info, const ScheduleAnswer& answer, const ScheduleDocument& document,
              const std::string& workflow_id) {
  const auto skipped = [&](SkipReason reason) { return answer.counts.skipped[static_cast<std::size_t>(reason)]; };
  info.set_action_count(answer.counts.runs);
  info.set_missed_catchup_window(skipped(SkipReason::missed));
  info.set_overlap_skipped(skipped(SkipReason::overlap));
  info.set_buffer_dropped(skipped(SkipReason::buffer_full));
  info.set_buffer_size(answer.waiting);
  for (const RunAnswer* run : started_runs(answer)) {
    *info.add_recent_actions() = result_of(*run, workflow_id, document);
    if (!is_terminal(run->record.run.state)) *info.add_running_workflows() = execution_of(*run, workflow_id, document);
  }
  for (const PlannedStart& start : answer.upcoming) *info.add_future_action_times() = timestamp_of(start.due);
  *info.mutable_create_time() = timestamp_of(answer.record.created_at);
  const auto updated = document.temporal ? parse_instant(document.temporal->updated_at) : parse_instant("");
  if (updated) *info.mutable_update_time() = timestamp_of(*updated);
  if (!document.temporal && answer.record.updated_at > answer.record.created_at)
    *info.mutable_update_time() = timestamp_of(answer.record.updated_at);
}

}  // namespace

std::optional<ScheduleDocument> document_of(const ScheduleRecord& record) {
  const auto parsed = parse_json(record.document);
  if (!parsed) return std::nullopt;
  auto document = read_canonical_schedule(*parsed);
  if (!document) return std::nullopt;
  return *std::move(document);
}

std::string conflict_token(const ScheduleState& state) {
  std::string token;
  for (int shift = 56; shift >= 0; shift -= 8) token.push_back(static_cast<char>(state.revision >> shift & 0xff));
  return token;
}

bool is_shown_paused(const ScheduleState& state) {
  return state.status == ScheduleStatus::paused || state.status == ScheduleStatus::disabled ||
         state.status == ScheduleStatus::dead;
}

std::string shown_notes(const ScheduleRecord& record, const ScheduleDocument& document) {
  return record.note.value_or(document.notes);
}

common_pb::Memo memo_of(const ScheduleDocument& document) {
  return document.temporal ? kept_message<common_pb::Memo>(document.temporal->memo) : common_pb::Memo{};
}

common_pb::SearchAttributes attributes_of(const ScheduleDocument& document) {
  return document.temporal ? kept_message<common_pb::SearchAttributes>(document.temporal->search_attributes)
                           : common_pb::SearchAttributes{};
}

Description description_of(ScheduleDocument document, Instant creation) {
  Description description{.document = std::move(document), .schedule = {}, .memo = {}, .attributes = {}};
  description.schedule = described_schedule(description.document, creation);
  description.memo = memo_of(description.document);
  description.attributes = attributes_of(description.document);
  return description;
}

service_pb::DescribeScheduleResponse describe_response(const ScheduleAnswer& answer, const Description& description) {
  service_pb::DescribeScheduleResponse response;
  schedule_pb::Schedule& schedule = *response.mutable_schedule();
  schedule = description.schedule;
  schedule.mutable_state()->set_paused(is_shown_paused(answer.record.view.state));
  schedule.mutable_state()->set_notes(shown_notes(answer.record, description.document));
  if (answer.remaining_starts) {
    schedule.mutable_state()->set_limited_actions(true);
    schedule.mutable_state()->set_remaining_actions(*answer.remaining_starts);
  }
  set_info(*response.mutable_info(), answer, description.document, schedule.action().start_workflow().workflow_id());
  if (!description.memo.fields().empty()) *response.mutable_memo() = description.memo;
  if (!description.attributes.indexed_fields().empty()) *response.mutable_search_attributes() = description.attributes;
  response.set_conflict_token(conflict_token(answer.record.view.state));
  return response;
}

schedule_pb::ScheduleListEntry list_entry(const ScheduleAnswer& answer, const ScheduleDocument& document, Instant now) {
  schedule_pb::ScheduleListEntry entry;
  entry.set_schedule_id(foreign_id(answer.record));
  if (auto memo = memo_of(document); !memo.fields().empty()) *entry.mutable_memo() = std::move(memo);
  if (auto attributes = attributes_of(document); !attributes.indexed_fields().empty())
    *entry.mutable_search_attributes() = std::move(attributes);
  const schedule_pb::Schedule schedule = described_schedule(document, answer.record.view.state.created_at);
  schedule_pb::ScheduleListInfo& info = *entry.mutable_info();
  *info.mutable_spec() = schedule.spec();
  *info.mutable_workflow_type() = schedule.action().start_workflow().workflow_type();
  info.set_notes(shown_notes(answer.record, document));
  info.set_paused(is_shown_paused(answer.record.view.state));
  const auto runs = started_runs(answer);
  const auto skipped = std::max<std::ptrdiff_t>(std::ssize(runs) - recent_count_of_list, 0);
  for (const RunAnswer* run : runs | std::views::drop(skipped))
    *info.add_recent_actions() = result_of(*run, schedule.action().start_workflow().workflow_id(), document);
  if (answer.definition && ScheduleAnswers::has_starts_ahead(answer.record.view.state.status)) {
    Budget budget{spec_steps_max};
    const auto left = static_cast<std::size_t>(answer.remaining_starts.value_or(future_count_of_list));
    const std::size_t count = std::min(future_count_of_list, left);
    for (const PlannedStart& start : ScheduleAnswers::planned(*answer.definition, now, std::nullopt, count, budget))
      *info.add_future_action_times() = timestamp_of(start.due);
  }
  return entry;
}

}  // namespace carillon::temporal
