#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "definitions/words.hpp"
#include "engine/keys.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace carillon {

/// The kinds of events. Their words in answers stand in contracts/.
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

struct FeedPage {
  std::vector<FeedEvent> events;  // ascending
  std::int64_t newest = 0;        // position of the newest event: reading after it misses nothing that comes later
  bool is_gap = false;            // events after the position asked for are no longer kept
};

/// Events in the order in which they became durable. An event is written in the same transaction as the change it tells
/// of. Only the newest events are kept: a reader that comes too late is told of the gap, and must read the current
/// state instead. May be called from several threads.
class EventFeed {
 public:
  virtual ~EventFeed() = default;

  /// Events after a position, at most `count_max`. Without a position, or if there is a gap: no events, only the newest
  /// position.
  [[nodiscard]] virtual Result<FeedPage> read_events(std::optional<std::int64_t> after, std::size_t count_max) = 0;
};

}  // namespace carillon
