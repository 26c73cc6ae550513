#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/keys.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace carillon {

/// A line of the ledger as whoever tidies up sees it.
struct RetentionCandidate {
  Seq seq{};
  Uid uid{};   // zero: a job without a schedule
  Instant at;  // nothing has changed since
  bool has_run = false;
  bool may_go = false;  // nothing depends on it any more; that stays so
};

/// Runs beyond those whose details are kept.
struct PrunableRuns {
  Seq newest{};           // zero: there are none
  std::vector<Seq> runs;  // those that have ended
};

/// A schedule that users have deleted, and that is still stored.
struct DeletedSchedule {
  Uid uid{};
  Instant deleted_at;
};

/// Forgetting, in the background. What is old is for the caller to say; what is still needed the store keeps whatever
/// it is told: what is open, and of schedules that are not deleted also what is not counted yet, the newest decision
/// and the runs whose details are kept.
class Retention {
 public:
  virtual ~Retention() = default;

  /// Lines after a seq, ascending. What users have done is left out: changes and backfills are kept as long as their
  /// schedule.
  [[nodiscard]] virtual Result<std::vector<RetentionCandidate>> read_lines(Seq after, std::size_t count_max) = 0;

  /// The runs of a schedule that are older than its newest `keep` and still have their details.
  [[nodiscard]] virtual Result<PrunableRuns> read_prunable_runs(Uid uid, std::int64_t keep) = 0;

  /// Forgets the results of those runs, except the one that the schedule's next run is to be given. Their decisions and
  /// attempts stay as long as lines do.
  [[nodiscard]] virtual Result<> forget_details(Uid uid, const PrunableRuns& beyond) = 0;

  /// Forgets lines with all that belongs to them.
  [[nodiscard]] virtual Result<> forget_lines(std::span<const Seq> lines) = 0;

  /// Deleted schedules after a uid, ascending. A store that ends with its process need not tell of any.
  [[nodiscard]] virtual Result<std::vector<DeletedSchedule>> read_deleted(Uid /*after*/, std::size_t /*count_max*/) {
    return std::vector<DeletedSchedule>{};
  }

  /// Forgets a deleted schedule whose lines are all forgotten: its name, definitions, changes and backfills. One that
  /// is alive, or has lines with runs that are open or not counted, is left alone.
  [[nodiscard]] virtual Result<> forget_schedule(Uid /*uid*/) { return {}; }
};

}  // namespace carillon
