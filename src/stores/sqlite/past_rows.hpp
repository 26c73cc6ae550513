#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/backfill.hpp"
#include "engine/keys.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/state_rows.hpp"
#include "stores/sqlite/statement.hpp"

#include <functional>
#include <vector>

namespace carillon::sqlite {

/// The runs of one schedule by nominal time. Most schedules are never asked for them, so that there is no index:
/// decisions are chained from the newest back. A schedule with a backfill, which asks all the time, is tracked in
/// `past` from then on.
class PastRows {
 public:
  explicit PastRows(Connection& connection);

  [[nodiscard]] Result<std::vector<PastRun>> read(Uid uid, Instant from, Instant to);

  /// Puts all its decisions into `past`; from then on `add` is called for each new one.
  [[nodiscard]] Result<> track(StateRow& row);
  [[nodiscard]] Result<> add(Uid uid, Instant nominal, Seq seq);

 private:
  [[nodiscard]] Result<std::vector<PastRun>> read_tracked(Uid uid, Instant from, Instant to);
  [[nodiscard]] Result<std::vector<PastRun>> read_chain(Seq last, Instant from, Instant to);
  [[nodiscard]] Result<> walk(Seq last, const std::function<Result<>(Seq, const Cursor&)>& visit);

  Statement state_;
  Statement tracked_;
  Statement chained_;
  Statement add_;
};

}  // namespace carillon::sqlite
