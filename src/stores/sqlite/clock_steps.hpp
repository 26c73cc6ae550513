#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/statement.hpp"

#include <optional>

namespace carillon::sqlite {

struct Tables;

/// Times in rows that stand for lengths: how long a lease lasts, a back-off, the wait for a first attempt.
class TimedRows {
 public:
  explicit TimedRows(Connection& connection);

  /// Moves all of them, because the wall clock was set by so much.
  [[nodiscard]] Result<> move_by(Duration step);

  /// The offset of the wall clock as they were written, outside a transaction that writes.
  [[nodiscard]] Result<std::optional<Duration>> clock_offset();

 private:
  Statement move_sessions_;
  Statement move_runs_;
  Statement move_ready_;
  Statement move_later_;
  Statement offset_;
};

/// To be called first in a transaction that writes: if the wall clock was set, leases and waits move along.
[[nodiscard]] Result<> follow_clock(Tables& tables, Duration offset);

/// The time by which rows are to be read that have not moved along yet.
[[nodiscard]] Result<Instant> time_of_rows(Tables& tables, Instant now, Duration offset);

}  // namespace carillon::sqlite
