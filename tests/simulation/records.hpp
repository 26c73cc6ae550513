#pragma once

#include "base/instant.hpp"
#include "engine/backfill.hpp"
#include "engine/keys.hpp"
#include "simulation/plan.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carillon::simulation {

// What others than the store saw: actions that were started, and clients.

/// One started action: from when to when it was alive, by true time.
struct Launch {
  Seq run{};
  std::int64_t attempt = 0;
  std::string worker;
  Instant begin;
  Instant store_begin;
  std::optional<Instant> end{};
  Instant store_end;
  bool was_killed = false;
};

/// One call of a client.
struct HistoryEntry {
  enum class Answer { ok, failed, unknown };
  PlannedCall call;
  std::string by;  // names this call and no other
  std::string id;  // of the trigger or backfill it asks for
  Instant begin;   // true time
  Instant store_begin;
  std::optional<Instant> end{};
  Instant store_end;
  Answer answer = Answer::unknown;
  std::string error{};
  std::int64_t revision = 0;
  std::optional<Backfill> backfill{};
  std::optional<Instant> pause_until{};
  Seq cancelled{};                   // the run it wanted ended
  bool is_by_doubted_clock = false;  // its server had seen the clock jump, and could not believe it yet
};

struct Records {
  std::vector<Launch> witness;
  std::vector<HistoryEntry> history;
};

}  // namespace carillon::simulation
