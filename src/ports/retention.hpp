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
struct SweptLine {
  Seq seq{};
  Uid uid{};   // zero: a job without a schedule
  Instant at;  // nothing has changed since
  bool has_run = false;
  bool may_go = false;  // nothing depends on it any more; that stays so
};

/// Runs beyond those whose details are kept.
struct BeyondKept {
  Seq newest{};           // zero: there are none
  std::vector<Seq> runs;  // those that have ended
};

/// Forgetting, in the background. What is old is for the caller to say; what is still needed the store keeps whatever
/// it is told: what is open or not counted yet, the newest decision of a schedule, and the runs whose details are kept.
class Retention {
 public:
  virtual ~Retention() = default;

  /// Lines after a seq, ascending. What users have done is left out: changes and backfills are kept for good.
  [[nodiscard]] virtual Result<std::vector<SweptLine>> read_lines(Seq after, std::size_t count_max) = 0;

  /// The runs of a schedule that are older than its newest `keep` and still have their details.
  [[nodiscard]] virtual Result<BeyondKept> read_beyond(Uid uid, std::int64_t keep) = 0;

  /// Forgets the results of those runs, except the one that the schedule's next run is to be given. Their decisions and
  /// attempts stay as long as lines do.
  [[nodiscard]] virtual Result<> forget_details(Uid uid, const BeyondKept& beyond) = 0;

  /// Forgets lines with all that belongs to them.
  [[nodiscard]] virtual Result<> forget_lines(std::span<const Seq> lines) = 0;
};

}  // namespace carillon
