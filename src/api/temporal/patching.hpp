#pragma once

#include "api/temporal/answers.hpp"
#include "api/temporal/method_call.hpp"
#include "definitions/on_create.hpp"

#include <optional>

namespace carillon::temporal {

/// The schedule that a client names. Refused in Temporal's words if the names cannot be, or nothing is called so.
[[nodiscard]] Outcome<ScheduleRecord> find_schedule(MethodCall& call, const std::string& name_space,
                                                    const std::string& id);
[[nodiscard]] Outcome<> check_schedule_id(const std::string& id);
[[nodiscard]] ScheduleName name_of(const ScheduleRecord& record);

/// What a request for a backfill means; none: nothing.
[[nodiscard]] std::optional<BackfillOptions> backfill_options(const schedule_pb::BackfillRequest& wanted,
                                                              OverlapPolicy overlap);

[[nodiscard]] Outcome<> check_patch(const schedule_pb::SchedulePatch& patch);
/// Triggers, backfills, pauses and unpauses, in this order. The terms go with the last of them.
[[nodiscard]] Outcome<> apply_patch(MethodCall& call, const ScheduleRecord& record,
                                    const schedule_pb::SchedulePatch& patch, const WriteTerms& terms);

/// Makes it paused or not, with these notes; empty: as they are.
[[nodiscard]] Outcome<> pause_schedule(MethodCall& call, const ScheduleRecord& record, const std::string& notes,
                                       const WriteTerms& terms);
[[nodiscard]] Outcome<> unpause_schedule(MethodCall& call, const ScheduleRecord& record, const std::string& notes,
                                         const WriteTerms& terms);

}  // namespace carillon::temporal
