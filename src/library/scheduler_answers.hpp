#pragma once

#include "definitions/words.hpp"
#include "service/queries.hpp"
#include "service/runs.hpp"
#include "service/schedules.hpp"

#include <carillon/schedule.hpp>
#include <carillon/scheduler.hpp>

namespace carillon {

// The answers of `service` as the values of the public headers, and the words of the public headers as those of
// documents. Nothing is decided here.

[[nodiscard]] ScheduleInfo schedule_info(const ScheduleAnswer& answer);
[[nodiscard]] RunRecord run_record(const RunAnswer& answer);
[[nodiscard]] OccurrenceRecord occurrence_record(const OccurrenceAnswer& answer);
[[nodiscard]] Explanation explanation(const WhyAnswer& answer);
[[nodiscard]] UpcomingRun upcoming_run(const UpcomingStart& start);
[[nodiscard]] TriggerResult trigger_result(const TriggerAnswer& answer);

[[nodiscard]] OverlapPolicy overlap_policy(Overlap overlap);
[[nodiscard]] CatchupPolicy catchup_policy(CatchUp catch_up);

}  // namespace carillon
