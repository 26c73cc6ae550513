#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/backfill.hpp"
#include "engine/keys.hpp"
#include "engine/transition.hpp"
#include "ports/run_queue.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/statement.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace carillon::sqlite {

/// Where a line stands and what it is about.
struct LinePlace {
  Seq seq{};
  Uid uid{};
  Instant at;
};

/// A new attempt of a run.
struct NewAttempt {
  Seq run{};
  std::int64_t attempt = 0;
  SessionId session{};
  Instant claimable_from;
  Seq previous{};  // the line of the attempt before
};

/// Writes the lines of the ledger that are not decisions.
class LineRows {
 public:
  explicit LineRows(Connection& connection);

  [[nodiscard]] Result<> add(const LinePlace& place, const VoidedRange& range);
  [[nodiscard]] Result<> add(const LinePlace& place, const SkippedRange& range, std::int64_t revision);
  [[nodiscard]] Result<> add(const LinePlace& place, const Change& change);

  /// Brings the line of a backfill up to date, if there is one: tells whether.
  [[nodiscard]] Result<bool> change(Uid uid, Instant at, const Backfill& backfill);
  [[nodiscard]] Result<> add(const LinePlace& place, const Backfill& backfill);
  [[nodiscard]] Result<std::int64_t> open_backfill_count(Uid uid);

  [[nodiscard]] Result<> add(const LinePlace& place, const NewAttempt& attempt);
  /// Ends an attempt that is open, of which nothing but its launch has been told before.
  [[nodiscard]] Result<> end_attempt(Seq line, AttemptState state, Instant now, std::optional<Instant> ended_at,
                                     const AttemptEnd& end);
  /// Adds what the worker told, and what the attempt has become unless it had ended before.
  [[nodiscard]] Result<> change_attempt(Seq line, std::optional<AttemptState> state, Instant now,
                                        std::optional<Instant> ended_at, const AttemptEnd& end);

 private:
  Statement void_;
  Statement range_;
  Statement change_;
  Statement change_backfill_;
  Statement backfill_;
  Statement open_backfills_;
  Statement attempt_;
  Statement end_attempt_;
  Statement change_attempt_;
  Connection& connection_;
};

}  // namespace carillon::sqlite
