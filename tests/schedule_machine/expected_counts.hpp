#pragma once

#include "support/tower.hpp"

#include <cstddef>

namespace carillon::testing {

/// What a tower should have counted, found by reading its whole ledger. Failures in a row are left out: they depend on
/// the order in which runs ended.
inline Counts expected_counts(const Tower& tower) {
  Counts counts;
  for (const Tower::Row& row : tower.rows()) {
    if (row.reason) ++counts.skipped[static_cast<std::size_t>(*row.reason)];
    if (row.outcome != DecisionOutcome::started) continue;
    const RunState state = row.run.state;
    ++counts.runs;
    counts.successes += state == RunState::succeeded;
    counts.repeats += state == RunState::succeeded && is_automatic(row.source);
    counts.errors += state == RunState::failed || state == RunState::timed_out || state == RunState::lost;
  }
  for (const SkippedRange& range : tower.ranges())
    counts.skipped[static_cast<std::size_t>(range.reason)] += range.count;
  return counts;
}

/// The exact counts of a tower, comparable with the above.
inline Counts told_counts(const Tower& tower) {
  Counts counts = counted(tower.view());
  counts.consecutive_failures = 0;
  return counts;
}

}  // namespace carillon::testing
