#include "library/scheduler_answers.hpp"

#include <numeric>
#include <utility>

namespace carillon {
namespace {

ScheduleInfo::Status public_status(ScheduleStatus status) {
  switch (status) {
    case ScheduleStatus::active: return ScheduleInfo::Status::active;
    case ScheduleStatus::paused: return ScheduleInfo::Status::paused;
    case ScheduleStatus::disabled: return ScheduleInfo::Status::disabled;
    case ScheduleStatus::done: return ScheduleInfo::Status::done;
    case ScheduleStatus::dead: return ScheduleInfo::Status::dead;
  }
  std::unreachable();
}

RunRecord::State public_state(RunState state) {
  switch (state) {
    case RunState::waiting: return RunRecord::State::waiting;
    case RunState::queued: return RunRecord::State::queued;
    case RunState::running: return RunRecord::State::running;
    case RunState::retrying: return RunRecord::State::retrying;
    case RunState::succeeded: return RunRecord::State::succeeded;
    case RunState::failed: return RunRecord::State::failed;
    case RunState::timed_out: return RunRecord::State::timed_out;
    case RunState::cancelled: return RunRecord::State::cancelled;
    case RunState::lost: return RunRecord::State::lost;
    case RunState::expired: return RunRecord::State::expired;
  }
  std::unreachable();
}

OccurrenceRecord::Decision public_decision(DecisionOutcome outcome) {
  switch (outcome) {
    case DecisionOutcome::started: return OccurrenceRecord::Decision::started;
    case DecisionOutcome::waiting: return OccurrenceRecord::Decision::waiting;
    case DecisionOutcome::skipped: return OccurrenceRecord::Decision::skipped;
  }
  std::unreachable();
}

struct OccurrenceReader {
  OccurrenceRecord operator()(const RunAnswer& answer) const {
    const RunRecordRow& row = answer.record;
    OccurrenceRecord record{.nominal = row.nominal, .decision = public_decision(row.outcome), .last = row.nominal};
    if (row.outcome != DecisionOutcome::skipped) record.run = run_record(answer);
    if (row.reason) record.reason = to_text(*row.reason);
    return record;
  }
  OccurrenceRecord operator()(const SkippedSpan& span) const {
    return {.nominal = span.line.from,
            .decision = OccurrenceRecord::Decision::skipped,
            .reason = std::string{to_text(span.line.reason)},
            .count = span.line.count,
            .last = span.line.to};
  }
  OccurrenceRecord operator()(const PlannedStart& start) const {
    return {.nominal = start.nominal, .decision = OccurrenceRecord::Decision::planned, .last = start.nominal};
  }
};

/// Unlike `Activity`, this also tells of a failure while the next run is open.
bool has_newest_run_failed(const ScheduleView& view) {
  bool is_failure = view.state.has_failed;
  // The state does not know yet of runs that ended since the last decision.
  for (const LiveRun& run : view.live) {
    if (run.state == RunState::succeeded) is_failure = false;
    if (has_failed(run.state)) is_failure = true;
  }
  return is_failure;
}

}  // namespace

ScheduleInfo schedule_info(const ScheduleAnswer& answer) {
  const ScheduleState& state = answer.record.view.state;
  ScheduleInfo info{
      .id = answer.record.key.id.text(),
      .name = {},
      .handler = {},
      .status = public_status(state.status),
      .has_failed = has_newest_run_failed(answer.record.view),
      .open_count = answer.running,
      .waiting_count = answer.waiting,
      .run_count = answer.counts.runs,
      .success_count = answer.counts.successes,
      .error_count = answer.counts.errors,
      .skip_count = std::accumulate(answer.counts.skipped.begin(), answer.counts.skipped.end(), std::int64_t{0}),
      .revision = state.revision,
      .created_at = state.created_at,
      .document = answer.record.document,
      .problem = answer.problem};
  if (answer.next) info.next_run = answer.next->nominal;
  if (!answer.definition) return info;
  info.name = answer.definition->name;
  if (const auto* job = std::get_if<JobAction>(&answer.definition->action)) info.handler = job->type;
  return info;
}

RunRecord run_record(const RunAnswer& answer) {
  const RunRecordRow& row = answer.record;
  RunRecord record{.run_id = answer.id,
                   .run_name = answer.name,
                   .schedule_id = row.key ? row.key->id.text() : std::string{},
                   .source = std::string{to_text(row.source)},
                   .nominal = row.nominal,
                   .due = row.due,
                   .state = public_state(row.run.state),
                   .attempt = row.run.attempt,
                   .error = answer.error,
                   .result = row.result};
  if (row.run.started_at) record.started_at = *row.run.started_at;
  if (row.run.ended_at) record.ended_at = *row.run.ended_at;
  return record;
}

OccurrenceRecord occurrence_record(const OccurrenceAnswer& answer) { return std::visit(OccurrenceReader{}, answer); }

Explanation explanation(const WhyAnswer& answer) {
  Explanation explained{.sentence = answer.sentence};
  if (answer.occurrence) explained.occurrence = occurrence_record(*answer.occurrence);
  if (answer.before) explained.occurrence_before = answer.before->nominal;
  if (answer.after) explained.occurrence_after = answer.after->nominal;
  return explained;
}

UpcomingRun upcoming_run(const UpcomingStart& start) {
  return {.schedule_id = start.key.id.text(), .nominal = start.start.nominal, .due = start.start.due};
}

TriggerResult trigger_result(const TriggerAnswer& answer) {
  const RunRecordRow& record = answer.run.record;
  switch (record.outcome) {
    case DecisionOutcome::started:
      return {.decision = TriggerResult::Decision::started, .run_id = answer.run.id, .reason = {}};
    case DecisionOutcome::waiting:
      return {.decision = TriggerResult::Decision::waiting, .run_id = answer.run.id, .reason = {}};
    case DecisionOutcome::skipped:
      return {.decision = TriggerResult::Decision::skipped,
              .run_id = {},
              .reason = record.reason ? std::string{to_text(*record.reason)} : std::string{}};
  }
  std::unreachable();
}

OverlapPolicy overlap_policy(Overlap overlap) {
  switch (overlap) {
    case Overlap::skip: return OverlapPolicy::skip;
    case Overlap::buffer_one: return OverlapPolicy::buffer_one;
    case Overlap::buffer_latest: return OverlapPolicy::buffer_latest;
    case Overlap::buffer_all: return OverlapPolicy::buffer_all;
    case Overlap::cancel_other: return OverlapPolicy::cancel_other;
    case Overlap::terminate_other: return OverlapPolicy::terminate_other;
    case Overlap::allow_all: return OverlapPolicy::allow_all;
  }
  std::unreachable();
}

CatchupPolicy catchup_policy(CatchUp catch_up) {
  switch (catch_up) {
    case CatchUp::latest: return CatchupPolicy::latest;
    case CatchUp::all: return CatchupPolicy::all;
    case CatchUp::none: return CatchupPolicy::none;
  }
  std::unreachable();
}

}  // namespace carillon
