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

struct FeedPage {
  std::vector<FeedEvent> events;  // ascending
  std::int64_t newest = 0;        // the position from which nothing is missed that comes now
  bool is_gap = false;            // what came after the position asked for has been forgotten already
};

/// What happened, in the order in which it became durable: every event is written with what it tells of. Only what is
/// young is kept; who comes later reads the present instead.
class EventFeed {
 public:
  virtual ~EventFeed() = default;

  /// After a position, at most `count_max`. From none, or over a gap: no events, only the newest position.
  [[nodiscard]] virtual Result<FeedPage> read_events(std::optional<std::int64_t> after, std::size_t count_max) = 0;
};

}  // namespace carillon
