#pragma once

#include "base/instant.hpp"
#include "engine/keys.hpp"
#include "engine/ledger_record.hpp"
#include "ports/run_queue.hpp"

#include <cstdint>
#include <optional>

namespace carillon::rows {

/// A row of the ledger: a decision and its run, which it has unless it is a skip.
struct StoredRun {
  QueuedRun row;
  Instant at;
  std::int64_t server = 0;
  std::int64_t revision = 0;  // that decided; `row.revision` is the one it runs under
  std::int64_t version = 0;
  DecisionOutcome outcome = DecisionOutcome::waiting;
  std::optional<SkipReason> reason{};
  std::optional<Instant> waited_from{};
  std::optional<OverlapPolicy> overlap{};
  std::int64_t flags = 0;
  std::int64_t queue = 0;  // number of `row.queue`, where queues have numbers
  Seq attempt_line{};      // of the newest attempt, also its fence; zero = none
};

}  // namespace carillon::rows
