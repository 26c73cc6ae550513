#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "ports/query_store.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/statement.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace carillon::sqlite {

/// Counts what waits and what runs. What is counted is read: this costs as much as there is.
class QueueRecords {
 public:
  explicit QueueRecords(Connection& connection);

  /// By name.
  [[nodiscard]] Result<std::vector<QueueRecord>> read(Instant now);
  /// How many runs of each lane workers have.
  [[nodiscard]] Result<std::map<std::int64_t, std::int64_t>> running();
  /// Before this one, newest first.
  /// Those whose lease lasts, by name.
  [[nodiscard]] Result<std::vector<WorkerRecord>> workers(Instant now, std::size_t count_max);
  [[nodiscard]] Result<std::vector<Seq>> dead_letters(std::optional<Seq> before, std::size_t count_max);
  /// Names of those that are paused.
  [[nodiscard]] Result<std::vector<std::string>> paused();
  /// Without schedules.
  [[nodiscard]] Result<Totals> totals();

 private:
  using Lanes = std::map<std::int64_t, QueueRecord*>;  // by number, the queue of each
  [[nodiscard]] Result<> add_depth(Cursor rows, const Lanes& lanes);

  Statement queues_;
  Statement ready_;
  Statement later_;
  Statement running_;
  Statement dead_;
  Statement dead_letters_;
  Statement totals_;
  Statement workers_;
  Statement paused_;
};

}  // namespace carillon::sqlite
