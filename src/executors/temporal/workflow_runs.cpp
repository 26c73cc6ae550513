#include "executors/temporal/workflow_runs.hpp"

#include "base/assertion.hpp"
#include "base/quoted.hpp"

#include <fmt/format.h>
#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace carillon::workflows {
namespace {

using grpc::Status;
using grpc::StatusCode;
using std::chrono::seconds;

/// How far clocks and lists of a cluster may be behind one another.
constexpr Duration list_overlap = std::chrono::seconds{30};
constexpr Duration list_begin = std::chrono::hours{1};
constexpr std::int32_t list_page_size = 1'000;
constexpr std::string_view stop_reason = "asked for by carillon";

const WorkflowAction& workflow_in(const Assignment& assignment) {
  const auto* action = std::get_if<WorkflowAction>(&assignment.action);
  CARILLON_ASSERT(action != nullptr);
  return *action;
}

common_pb::WorkflowExecution execution_of(std::string workflow_id, std::string run_id) {
  common_pb::WorkflowExecution execution;
  execution.set_workflow_id(std::move(workflow_id));
  execution.set_run_id(std::move(run_id));
  return execution;
}

AttemptEnd unstarted_end() {
  return {.outcome = AttemptOutcome::cancelled, .error = "stopped before its workflow was started"};
}

}  // namespace

WorkflowRuns::WorkflowRuns(ClusterCalls& calls, AttemptEvents& events, Clock& clock, CallContext context,
                           FollowOptions options)
    : calls_{calls}, events_{events}, clock_{clock}, context_{std::move(context)}, options_{options} {}

WorkflowRuns::FollowedRun& WorkflowRuns::add(const Assignment& assignment) {
  const WorkflowAction& action = workflow_in(assignment);
  remove(assignment.key);
  FollowedRun& run = runs_[assignment.key];
  run.serial = ++serial_count_;
  run.name = start_name_of(action, assignment.envelope);
  auto request = start_request(action, assignment.envelope, context_);
  if (callback_refusal_.empty()) ask_for_callback(request, assignment.key, context_);
  run.start_message = request.SerializeAsString();
  return run;
}

void WorkflowRuns::launch(const Assignment& assignment) {
  FollowedRun& run = add(assignment);
  schedule(assignment.key, run, clock_.since_boot());
}

void WorkflowRuns::resume(const Assignment& assignment) {
  FollowedRun& run = add(assignment);
  run.is_launched = assignment.is_launched;
  run.was_sent = true;
  run.phase = Phase::check;
  schedule(assignment.key, run, clock_.since_boot());
}

void WorkflowRuns::stop(const AttemptKey& key, Stop how) {
  const auto found = runs_.find(key);
  if (found == runs_.end() || how <= found->second.asked) return;
  FollowedRun& run = found->second;
  run.asked = how;
  // What the cluster cannot have got is over. What it may have got is started again, which tells its run id, and then
  // ended: to believe that it is not there would be wrong if the start is still on its way.
  if (run.phase == Phase::start && !run.was_sent && !run.is_calling) return end(key, unstarted_end());
  if (run.phase == Phase::follow) schedule_stop(key, run, clock_.since_boot());
}

void WorkflowRuns::forget(const AttemptKey& key) { remove(key); }

void WorkflowRuns::look_at(const AttemptKey& key) {
  const auto found = runs_.find(key);
  if (found == runs_.end()) return;
  FollowedRun& run = found->second;
  // One that is waited for tells by itself, and one that is being asked about at this moment, too.
  if (run.phase == Phase::follow && !run.has_place && !run.is_calling) schedule(key, run, clock_.since_boot());
}

WorkflowRuns::FollowedRun* WorkflowRuns::find(const AttemptKey& key, std::uint64_t serial) {
  const auto found = runs_.find(key);
  return found == runs_.end() || found->second.serial != serial ? nullptr : &found->second;
}

void WorkflowRuns::schedule(const AttemptKey& key, FollowedRun& run, Duration at) {
  run.next_call = at;
  due_.emplace(at, key);
}

void WorkflowRuns::schedule_stop(const AttemptKey& key, FollowedRun& run, Duration at) {
  run.next_stop = at;
  due_.emplace(at, key);
}

/// Each time twice as long, and not all at once.
void WorkflowRuns::call_again_later(const AttemptKey& key, FollowedRun& run, Duration longest) {
  const int doublings = std::min(run.failure_count++, 10);
  const Duration delay = std::min<Duration>(options_.retry_min * (1 << doublings), longest);
  const auto spread = static_cast<std::int64_t>(run.serial % 16);
  schedule(key, run, clock_.since_boot() + delay - delay * spread / 64);
}

Duration WorkflowRuns::tick() {
  const Duration now = clock_.since_boot();
  while (!due_.empty() && due_.begin()->first <= now) {
    const AttemptKey key = due_.begin()->second;
    due_.erase(due_.begin());
    const auto found = runs_.find(key);
    if (found == runs_.end()) continue;
    FollowedRun& run = found->second;
    if (run.next_stop && *run.next_stop <= now) {
      run.next_stop.reset();
      send_stop(key, run);
    }
    if (!run.next_call || *run.next_call > now || run.is_calling) continue;
    run.next_call.reset();
    const bool is_free = run.phase == Phase::follow && run.has_place;
    if (is_free || call_count_ < options_.call_count_max)
      perform(key, run);
    else
      waiting_calls_.emplace_back(key, run.serial);
  }
  while (!waiting_calls_.empty() && call_count_ < options_.call_count_max) {
    const auto [key, serial] = waiting_calls_.front();
    waiting_calls_.pop_front();
    FollowedRun* run = find(key, serial);
    if (run != nullptr && !run->is_calling) perform(key, *run);
  }
  if (!unplaced_.empty() && !is_listing_ && now >= next_list_) send_list({});
  Duration next = due_.empty() ? now + seconds{1} : due_.begin()->first;
  if (!unplaced_.empty() && !is_listing_) next = std::min(next, next_list_);
  return next;
}

void WorkflowRuns::perform(const AttemptKey& key, FollowedRun& run) {
  switch (run.phase) {
    case Phase::start: return send_start(key, run);
    case Phase::check: return send_check(key, run);
    case Phase::follow: return send_poll(key, run);
  }
}

template <typename Response, typename Request, typename Handler>
void WorkflowRuns::call(const AttemptKey& key, FollowedRun& run, std::string_view method, const Request& request,
                        Duration timeout, Handler handler) {
  const bool is_counted = !(run.phase == Phase::follow && run.has_place);
  call_count_ += is_counted ? 1 : 0;
  calls_.call(method, request.SerializeAsString(), timeout,
              [this, key, serial = run.serial, is_counted, handler](grpc::ReceivedAnswer answer) {
                call_count_ -= is_counted ? 1 : 0;
                FollowedRun* own = find(key, serial);
                if (own == nullptr) return;
                Response response;
                if (answer.status.is_ok() && !response.ParseFromString(answer.message))
                  answer.status = {.code = StatusCode::internal, .message = "the answer of the cluster cannot be read"};
                handler(*own, answer.status, response);
              });
}

void WorkflowRuns::send_start(const AttemptKey& key, FollowedRun& run) {
  // The right to start it is over for now; if another server has got it, this attempt is forgotten here.
  if (clock_.since_boot() >= starts_until_) return call_again_later(key, run, options_.retry_min);
  run.is_calling = true;
  ++call_count_;
  calls_.call("StartWorkflowExecution", run.start_message, options_.call_timeout,
              [this, key, serial = run.serial](grpc::ReceivedAnswer answer) {
                --call_count_;
                FollowedRun* own = find(key, serial);
                if (own == nullptr) return;
                own->is_calling = false;
                own->was_sent |= !answer.is_unsent;
                if (own->asked != Stop::none && !own->was_sent) return end(key, unstarted_end());
                service_pb::StartWorkflowExecutionResponse response;
                if (answer.status.is_ok() && !response.ParseFromString(answer.message))
                  answer.status = {.code = StatusCode::internal, .message = "the answer of the cluster cannot be read"};
                take_start(key, *own, answer.status, response);
              });
}

/// A start that asks for a call back may be refused for that alone, in words that clusters change: false if it did not
/// ask for one.
bool WorkflowRuns::drop_callback(FollowedRun& run) {
  service_pb::StartWorkflowExecutionRequest request;
  if (!request.ParseFromString(run.start_message) || request.completion_callbacks().empty()) return false;
  request.clear_completion_callbacks();
  run.start_message = request.SerializeAsString();
  return true;
}

void WorkflowRuns::take_start(const AttemptKey& key, FollowedRun& run, const Status& status,
                              const service_pb::StartWorkflowExecutionResponse& answer) {
  if (status.is_ok()) {
    if (!run.refusal.empty()) callback_refusal_ = std::move(run.refusal);
    const std::string& first =
        answer.first_execution_run_id().empty() ? answer.run_id() : answer.first_execution_run_id();
    return begin_following(key, run, answer.run_id(), first);
  }
  if (status.code == StatusCode::already_exists) {
    const auto other = already_started(status);
    if (other.start_request_id() == run.name.request_id)
      return begin_following(key, run, other.run_id(),
                             other.first_execution_run_id().empty() ? other.run_id() : other.first_execution_run_id());
    run.phase = Phase::check;
    run.is_blocked = true;
    return schedule(key, run, clock_.since_boot());
  }
  if (!is_passing(status.code)) {
    if (!drop_callback(run)) return end(key, {.outcome = AttemptOutcome::failed, .error = to_text(status)});
    run.refusal = to_text(status);
    return schedule(key, run, clock_.since_boot());
  }
  call_again_later(key, run, options_.retry_max);
}

void WorkflowRuns::send_check(const AttemptKey& key, FollowedRun& run) {
  service_pb::DescribeWorkflowExecutionRequest request;
  request.set_namespace_(context_.name_space);
  *request.mutable_execution() = execution_of(run.name.workflow_id, "");
  run.is_calling = true;
  call<service_pb::DescribeWorkflowExecutionResponse>(
      key, run, "DescribeWorkflowExecution", request, options_.call_timeout,
      [this, key](FollowedRun& own, const Status& status, const auto& answer) {
        own.is_calling = false;
        take_check(key, own, status, answer);
      });
}

void WorkflowRuns::take_check(const AttemptKey& key, FollowedRun& run, const Status& status,
                              const service_pb::DescribeWorkflowExecutionResponse& answer) {
  const auto& info = answer.workflow_execution_info();
  if (status.is_ok() && is_started_by(info, run.name.request_id))
    return begin_following(key, run, info.execution().run_id(),
                           info.first_run_id().empty() ? info.execution().run_id() : info.first_run_id());
  if (!status.is_ok() && status.code != StatusCode::not_found)
    return call_again_later(key, run, options_.follow_retry_max);
  if (run.is_launched)
    return end(key,
               {.outcome = AttemptOutcome::lost,
                .error = fmt::format("the cluster no longer knows workflow {}: its history was removed, or another "
                                     "workflow has its id",
                                     quoted(run.name.workflow_id))});
  if (status.is_ok() && run.is_blocked)
    return end(key, {.outcome = AttemptOutcome::failed,
                     .error = fmt::format("already_started: workflow {} was started by somebody else (run {})",
                                          quoted(run.name.workflow_id), info.execution().run_id())});
  // Nobody has the id, or a workflow that may be in its way or not: the cluster decides.
  run.phase = Phase::start;
  schedule(key, run, clock_.since_boot());
}

void WorkflowRuns::begin_following(const AttemptKey& key, FollowedRun& run, const std::string& run_id,
                                   const std::string& first_run_id) {
  run.phase = Phase::follow;
  run.run_id = run_id;
  run.first_run_id = first_run_id;
  run.failure_count = 0;
  run.start_message = {};
  events_.known_as(key, first_run_id);
  if (!std::exchange(run.is_launched, true)) events_.launched(key);
  tell(key, fmt::format("workflow {}, run {}", run.name.workflow_id, first_run_id));
  if (const std::string web = web_address(context_, run.name.workflow_id, first_run_id); !web.empty()) tell(key, web);
  if (run.asked != Stop::none) schedule_stop(key, run, clock_.since_boot());
  run.has_place = poll_count_ < options_.poll_count_max;
  if (run.has_place) {
    ++poll_count_;
    return schedule(key, run, clock_.since_boot());
  }
  unplaced_[run.name.workflow_id] = key;
  schedule(key, run, clock_.since_boot() + options_.check_period);
}

void WorkflowRuns::send_poll(const AttemptKey& key, FollowedRun& run) {
  service_pb::GetWorkflowExecutionHistoryRequest request;
  request.set_namespace_(context_.name_space);
  *request.mutable_execution() = execution_of(run.name.workflow_id, run.run_id);
  request.set_wait_new_event(true);
  request.set_history_event_filter_type(enums_pb::HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT);
  request.set_skip_archival(true);
  request.set_next_page_token(run.page_token);
  run.is_calling = true;
  // One without a place is asked whether it has ended, and not waited for.
  const Duration timeout = run.has_place ? options_.poll_timeout : Duration{seconds{3}};
  call<service_pb::GetWorkflowExecutionHistoryResponse>(
      key, run, "GetWorkflowExecutionHistory", request, timeout,
      [this, key](FollowedRun& own, const Status& status, const auto& answer) {
        own.is_calling = false;
        take_poll(key, own, status, answer);
      });
}

void WorkflowRuns::take_poll(const AttemptKey& key, FollowedRun& run, const Status& status,
                             const service_pb::GetWorkflowExecutionHistoryResponse& answer) {
  const Duration now = clock_.since_boot();
  const Duration next = run.has_place ? now : now + options_.check_period;
  if (status.code == StatusCode::not_found)
    return end(key, {.outcome = AttemptOutcome::lost,
                     .error = fmt::format("the cluster no longer knows workflow {}, run {}: {}",
                                          quoted(run.name.workflow_id), run.run_id, status.message)});
  // Without an answer in time it simply goes on; that is no failure where nothing is waited for.
  if (status.code == StatusCode::deadline_exceeded && !run.has_place) return schedule(key, run, next);
  if (!status.is_ok()) {
    run.page_token.clear();
    return call_again_later(key, run, options_.follow_retry_max);
  }
  run.failure_count = 0;
  run.page_token = run.has_place ? answer.next_page_token() : std::string{};
  if (answer.history().events().empty()) return schedule(key, run, next);
  auto meaning = meaning_of(*answer.history().events().rbegin(), run.asked != Stop::none);
  if (auto* ended = std::get_if<AttemptEnd>(&meaning)) return end(key, std::move(*ended));
  run.run_id = std::get<NextRun>(meaning).run_id;
  run.page_token.clear();
  tell(key, fmt::format("goes on as run {}", run.run_id));
  // It may have ended meanwhile, too.
  schedule(key, run, now);
}

void WorkflowRuns::send_stop(const AttemptKey& key, FollowedRun& run) {
  if (run.is_stopping || run.phase != Phase::follow || run.asked <= run.sent) return;
  run.is_stopping = true;
  const Stop how = run.asked;
  const auto execution = execution_of(run.name.workflow_id, "");
  const auto taken = [this, key, how](FollowedRun& own, const Status& status, const auto&) {
    own.is_stopping = false;
    take_stop(key, own, how, status);
  };
  if (how == Stop::cancel) {
    service_pb::RequestCancelWorkflowExecutionRequest request;
    request.set_namespace_(context_.name_space);
    *request.mutable_workflow_execution() = execution;
    request.set_identity(context_.identity);
    request.set_request_id(run.name.request_id + "/cancel");
    request.set_first_execution_run_id(run.first_run_id);
    request.set_reason(std::string{stop_reason});
    return call<service_pb::RequestCancelWorkflowExecutionResponse>(key, run, "RequestCancelWorkflowExecution", request,
                                                                    options_.call_timeout, taken);
  }
  service_pb::TerminateWorkflowExecutionRequest request;
  request.set_namespace_(context_.name_space);
  *request.mutable_workflow_execution() = execution;
  request.set_identity(context_.identity);
  request.set_first_execution_run_id(run.first_run_id);
  request.set_reason(std::string{stop_reason});
  call<service_pb::TerminateWorkflowExecutionResponse>(key, run, "TerminateWorkflowExecution", request,
                                                       options_.call_timeout, taken);
}

void WorkflowRuns::take_stop(const AttemptKey& key, FollowedRun& run, Stop how, const Status& status) {
  const Duration now = clock_.since_boot();
  // One that has ended already cannot be stopped: its end is on its way.
  if (status.is_ok() || status.code == StatusCode::not_found || !is_passing(status.code)) {
    run.sent = std::max(run.sent, how);
    if (!status.is_ok() && status.code != StatusCode::not_found)
      tell(key, "the cluster does not end it: " + to_text(status));
    if (run.asked > run.sent) schedule_stop(key, run, now);
    if (!run.has_place && !run.is_calling) schedule(key, run, now);
    return;
  }
  schedule_stop(key, run, now + options_.retry_min);
}

/// All that have closed lately, of whatever schedule: one question for any number of runs.
void WorkflowRuns::send_list(const std::string& page_token) {
  is_listing_ = true;
  const Instant since = closed_until_ ? *closed_until_ - list_overlap : clock_.now() - list_begin;
  if (page_token.empty())
    list_query_ = fmt::format("TemporalScheduledById IS NOT NULL AND CloseTime >= '{}'",
                              carillon::to_text(Instant{std::chrono::floor<seconds>(since)}));
  service_pb::ListWorkflowExecutionsRequest request;
  request.set_namespace_(context_.name_space);
  request.set_page_size(list_page_size);
  request.set_next_page_token(page_token);
  request.set_query(list_query_);
  calls_.call("ListWorkflowExecutions", request.SerializeAsString(), options_.call_timeout,
              [this](const grpc::ReceivedAnswer& answer) {
                is_listing_ = false;
                next_list_ = clock_.since_boot() + options_.list_period;
                service_pb::ListWorkflowExecutionsResponse response;
                Status status = answer.status;
                if (status.is_ok() && !response.ParseFromString(answer.message)) status.code = StatusCode::internal;
                take_list(status, response);
              });
}

void WorkflowRuns::take_list(const Status& status, const service_pb::ListWorkflowExecutionsResponse& answer) {
  if (!status.is_ok()) return;
  const Duration now = clock_.since_boot();
  for (const auto& info : answer.executions()) {
    if (const auto found = unplaced_.find(info.execution().workflow_id()); found != unplaced_.end())
      if (FollowedRun& run = runs_.at(found->second); !run.is_calling) schedule(found->second, run, now);
    if (!info.has_close_time()) continue;
    const Instant closed{Duration{google::protobuf::util::TimeUtil::TimestampToMicroseconds(info.close_time())}};
    closed_until_ = std::max(closed_until_.value_or(closed), closed);
  }
  if (!answer.next_page_token().empty()) send_list(answer.next_page_token());
}

void WorkflowRuns::leave_place(FollowedRun& run) {
  if (!std::exchange(run.has_place, false)) return;
  --poll_count_;
  if (unplaced_.empty()) return;
  const AttemptKey next = unplaced_.begin()->second;
  FollowedRun& successor = runs_.at(next);
  unplaced_.erase(unplaced_.begin());
  successor.has_place = true;
  ++poll_count_;
  if (!successor.is_calling) schedule(next, successor, clock_.since_boot());
}

void WorkflowRuns::remove(const AttemptKey& key) {
  const auto found = runs_.find(key);
  if (found == runs_.end()) return;
  const auto listed = unplaced_.find(found->second.name.workflow_id);
  if (listed != unplaced_.end() && listed->second == key) unplaced_.erase(listed);
  FollowedRun run = std::move(found->second);
  runs_.erase(found);
  leave_place(run);
}

void WorkflowRuns::end(const AttemptKey& key, AttemptEnd end) {
  remove(key);
  events_.ended(key, std::move(end));
}

void WorkflowRuns::tell(const AttemptKey& key, const std::string& line) {
  events_.output(key, OutputStream::out, line + "\n");
}

}  // namespace carillon::workflows
