#pragma once

#include "ports/retention.hpp"
#include "stores/memory/tables.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace carillon::memory {

[[nodiscard]] std::vector<RetentionCandidate> swept_lines(Tables& tables, Seq after, std::size_t count_max);
[[nodiscard]] PrunableRuns beyond_kept(const Tables& tables, const StoredSchedule& schedule, std::int64_t keep);
void forget_details(Tables& tables, StoredSchedule& schedule, const PrunableRuns& beyond);
/// Nothing happens to a line that is still needed.
void forget_line(Tables& tables, Seq seq);

}  // namespace carillon::memory
