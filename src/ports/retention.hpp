#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "definitions/words.hpp"
#include "engine/keys.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace carillon {

/// A line of the ledger, and whether it may be removed.
struct RetentionCandidate {
  Seq seq{};
  Uid uid{};   // zero: a job without a schedule
  Instant at;  // of its newest change
  bool has_run = false;
  std::optional<RunState> ended{};  // how its run ended; none: it has none, or that has not ended
  bool may_go = false;              // nothing depends on it any more, and nothing will again
};

/// Runs that are older than those whose details a schedule keeps.
struct PrunableRuns {
  Seq newest{};           // zero: there are none
  std::vector<Seq> runs;  // those that have ended
};

/// A schedule that users have deleted, and that is still stored.
struct DeletedSchedule {
  Uid uid{};
  Instant deleted_at;
};

/// Removes what is old, in the background. The caller says what is old. What is still needed a store keeps whatever it
/// is told: open runs, and of schedules that are not deleted also runs that are not counted yet, the newest decision,
/// and the runs whose details are kept.
class Retention {
 public:
  virtual ~Retention() = default;

  /// Lines after a seq, ascending. Changes and backfills are left out: they are kept as long as their schedule.
  [[nodiscard]] virtual Result<std::vector<RetentionCandidate>> read_lines(Seq after, std::size_t count_max) = 0;

  /// The runs of a schedule that are older than its newest `keep` and still have their details.
  [[nodiscard]] virtual Result<PrunableRuns> read_prunable_runs(Uid uid, std::int64_t keep) = 0;

  /// Removes the results of those runs, except the one that the schedule's next run is to be given. Their decisions and
  /// attempts stay until their lines are removed.
  [[nodiscard]] virtual Result<> forget_details(Uid uid, const PrunableRuns& beyond) = 0;

  /// Removes lines with everything that belongs to them.
  [[nodiscard]] virtual Result<> forget_lines(std::span<const Seq> lines) = 0;

  /// Deleted schedules after a uid, ascending. A store that ends with its process may return none.
  [[nodiscard]] virtual Result<std::vector<DeletedSchedule>> read_deleted(Uid /*after*/, std::size_t /*count_max*/) {
    return std::vector<DeletedSchedule>{};
  }

  /// Removes a deleted schedule whose lines have all been removed: its name, definitions, changes and backfills. Does
  /// nothing if the schedule is not deleted, or still has lines with runs that are open or not counted.
  [[nodiscard]] virtual Result<> forget_schedule(Uid /*uid*/) { return {}; }
};

}  // namespace carillon
