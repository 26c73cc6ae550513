#pragma once

#include "base/error.hpp"
#include "engine/keys.hpp"
#include "ports/query_store.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/decision_walk.hpp"
#include "stores/sqlite/names.hpp"
#include "stores/sqlite/queue_names.hpp"
#include "stores/sqlite/run_rows.hpp"
#include "stores/sqlite/statement.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace carillon::sqlite {

/// Reads decisions and their runs as people are shown them.
class RunRecords {
 public:
  RunRecords(Connection& connection, RunRows& runs, QueueNames& queues, DecisionWalk& walk);

  [[nodiscard]] Result<std::optional<RunRecordRow>> read(Seq seq, Names& names);
  [[nodiscard]] Result<std::optional<RunRecordRow>> read_with_attempts(Seq seq, Names& names);

  /// The newest runs of a schedule, newest first, with attempts and without results.
  [[nodiscard]] Result<std::vector<RunRecordRow>> recent(Uid uid, std::size_t count_max, Names& names);

  /// All but the time.
  [[nodiscard]] Result<RunList> list(const RunListRequest& request, Names& names);

 private:
  [[nodiscard]] Result<std::vector<AttemptRecord>> attempts_from(Seq newest);
  [[nodiscard]] Result<bool> fits(const WalkedDecision& decision, const RunFilter& filter,
                                  const std::vector<std::int64_t>& lanes, Names& names);

  RunRows& runs_;
  QueueNames& queues_;
  DecisionWalk& walk_;
  Statement attempt_;
};

}  // namespace carillon::sqlite
