#pragma once

#include "base/instant.hpp"
#include "engine/definition.hpp"
#include "ports/query_store.hpp"
#include "service/timeline.hpp"

#include <chrono>
#include <cstddef>
#include <vector>

namespace carillon {

/// Decisions that are looked at for one row.
inline constexpr std::size_t row_decision_max = 2'000;
/// A run that was planned so long before may still go on.
inline constexpr Duration run_slack = std::chrono::days{1};

/// How long a stretch is that a bar can be drawn for.
[[nodiscard]] Duration resolution_of(const TimelineRequest& request);

[[nodiscard]] TimelineMark mark_of(const RunRecordRow& record, Instant now);
/// Adds the planned starts in [from, to): few are taken one by one, and many stretch by stretch.
void add_planned(const Definition& definition, Instant from, Instant to, Duration resolution,
                 std::vector<TimelineMark>& marks, Budget& budget);
/// Joins marks of one kind that begin in the same stretch of the answer's resolution, which grows until there are no
/// more marks than can be drawn.
void merge_marks(TimelineAnswer& answer, Instant from);

}  // namespace carillon
