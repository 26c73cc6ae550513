#pragma once

#include "base/instant.hpp"
#include "definitions/words.hpp"
#include "engine/keys.hpp"

#include <cstdint>
#include <optional>

namespace carillon {

/// What those who watch are told. The words of the answer stand in contracts/.
enum class FeedKind {
  run_queued,
  run_started,
  run_finished,
  run_retrying,
  occurrence_skipped,
  schedule_changed,
  backfill_progress,
};

struct FeedEvent {
  std::int64_t position = 0;  // ascending, with gaps
  Instant at;
  FeedKind kind = FeedKind::schedule_changed;
  Uid uid{};                        // zero: a job without a schedule
  Seq subject{};                    // the run, the decision or the change; of a backfill: zero
  std::int64_t backfill = 0;        // number of the backfill
  std::optional<RunState> state{};  // of the run at that moment
  std::optional<ChangeKind> change{};
  friend bool operator==(const FeedEvent&, const FeedEvent&) = default;
};

}  // namespace carillon
