#include "service/repeated_answers.hpp"

#include <utility>

namespace carillon {

Served<RepeatedAnswer> RepeatedAnswers::answer(const Caller& caller, const RepeatedRequest& request) {
  switch (request.operation) {
    case OperationId::delete_schedule:
    case OperationId::batch_delete_schedules: return RepeatedRemoval{};
    case OperationId::trigger_schedule:
    case OperationId::retry_run: return RepeatedTrigger{{.run = TRY(started_run(caller, request.record))}};
    case OperationId::create_job: return RepeatedJob{TRY(started_run(caller, request.record))};
    case OperationId::cancel_run:
      return RepeatedCancel{TRY(runs_.get(caller, request.run, request.schedule.name_space))};
    case OperationId::create_backfill:
    case OperationId::pause_backfill:
    case OperationId::resume_backfill:
    case OperationId::cancel_backfill: return backfill(caller, request);
    default: return schedule(caller, request);
  }
}

Served<RepeatedAnswer> RepeatedAnswers::schedule(const Caller& caller, const RepeatedRequest& request) {
  auto answer = schedules_.get(caller, request.record.uid);
  if (!answer) {
    Refusal gone = std::move(answer).error();
    gone.hint = "this request was carried out earlier; the schedule has been deleted since";
    return std::unexpected(std::move(gone));
  }
  // What a PUT has made has had no other revision, unless it was changed since.
  const bool is_new = request.operation == OperationId::create_schedule ||
                      (request.operation == OperationId::put_schedule && answer->record.view.state.revision == 1);
  return RepeatedSchedule{.answer = *std::move(answer), .is_new = is_new};
}

Served<RunAnswer> RepeatedAnswers::started_run(const Caller& caller, const IdempotencyRecord& record) {
  if (record.decisions.empty())
    return refuse(Refusal::Kind::unavailable, "unavailable",
                  "it was done, but its run is not known; check the list of runs");
  return runs_.read(caller, record.decisions.back());
}

Served<RepeatedAnswer> RepeatedAnswers::backfill(const Caller& caller, const RepeatedRequest& request) {
  const bool is_new = request.operation == OperationId::create_backfill;
  const std::string id = is_new ? backfill_id_of(request.key) : request.backfill;
  return RepeatedBackfill{.answer = TRY(backfills_.get(caller, request.schedule, id)), .is_new = is_new};
}

}  // namespace carillon
