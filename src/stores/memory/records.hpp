#pragma once

#include "base/instant.hpp"
#include "engine/keys.hpp"
#include "engine/run_name.hpp"
#include "ports/query_store.hpp"
#include "stores/memory/tables.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace carillon::memory {

/// A living schedule as people are shown it.
[[nodiscard]] ScheduleRecord record_of(const StoredSchedule& schedule);

/// All decisions and jobs, newest first.
[[nodiscard]] std::vector<Seq> decisions_and_jobs(const Tables& tables);

/// None if there is no such decision or job. Without attempts and result.
[[nodiscard]] std::optional<RunRecordRow> run_record(Tables& tables, Seq seq);

/// Gives each its newest runs, at most so many.
void add_recent_runs(Tables& tables, std::vector<ScheduleRecord>& schedules, std::size_t count_max);

[[nodiscard]] bool fits(const RunRecordRow& record, const RunFilter& filter);

/// Whether a run, or what waits for one, has this name.
[[nodiscard]] bool has_name(Tables& tables, const RunRecordRow& record, const RunNameParts& name);

[[nodiscard]] PastDecisions past_decisions(Tables& tables, const StoredSchedule& schedule, Instant from, Instant to,
                                           std::size_t count_max);

/// Changes of a schedule by users, newest first, without documents.
[[nodiscard]] std::vector<ChangeLine> revisions_of(Tables& tables, const StoredSchedule& schedule,
                                                   const RevisionListRequest& request);

}  // namespace carillon::memory
