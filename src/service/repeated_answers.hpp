#pragma once

#include "ports/idempotency_store.hpp"
#include "service/backfills.hpp"
#include "service/caller.hpp"
#include "service/operation.hpp"
#include "service/runs.hpp"
#include "service/schedules.hpp"

#include <string>
#include <variant>

namespace carillon {

struct RepeatedSchedule {
  ScheduleAnswer answer;
  bool is_new = false;  // the first request created it
};
struct RepeatedTrigger {
  TriggerAnswer answer;
};
struct RepeatedJob {
  RunAnswer run;
};
struct RepeatedCancel {
  RunAnswer run;
};
struct RepeatedBackfill {
  BackfillAnswer answer;
  bool is_new = false;  // the first request created it
};
/// There is nothing to tell: it was removed.
struct RepeatedRemoval {};

using RepeatedAnswer =
    std::variant<RepeatedSchedule, RepeatedTrigger, RepeatedJob, RepeatedCancel, RepeatedBackfill, RepeatedRemoval>;

/// What a request that was carried out before was about.
struct RepeatedRequest {
  OperationId operation{};
  IdempotencyKey key;        // the same as the first time
  ScheduleName schedule{};   // that it names, if it is about one
  std::string backfill{};    // id
  std::string run{};         // id or name
  IdempotencyRecord record;  // what was written the first time
};

/// Answers requests that were carried out before and whose first answer could not be kept: the same kind of answer,
/// from what was written with the change. May be called from several threads.
class RepeatedAnswers {
 public:
  RepeatedAnswers(Schedules& schedules, Backfills& backfills, Runs& runs)
      : schedules_{schedules}, backfills_{backfills}, runs_{runs} {}

  [[nodiscard]] Served<RepeatedAnswer> answer(const Caller& caller, const RepeatedRequest& request);

 private:
  [[nodiscard]] Served<RepeatedAnswer> schedule(const Caller& caller, const RepeatedRequest& request);
  [[nodiscard]] Served<RunAnswer> started_run(const Caller& caller, const IdempotencyRecord& record);
  [[nodiscard]] Served<RepeatedAnswer> backfill(const Caller& caller, const RepeatedRequest& request);

  Schedules& schedules_;
  Backfills& backfills_;
  Runs& runs_;
};

}  // namespace carillon
