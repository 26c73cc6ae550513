#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "ports/query_store.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/statement.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace carillon::sqlite {

/// Counts what waits and what runs. What is counted is read: this costs as much as there is.
class QueueRecords {
 public:
  explicit QueueRecords(Connection& connection);

  /// By name.
  [[nodiscard]] Result<std::vector<QueueRecord>> read(Instant now);
  /// Names of those that are paused.
  [[nodiscard]] Result<std::vector<std::string>> paused();
  /// Without schedules.
  [[nodiscard]] Result<Totals> totals();

 private:
  [[nodiscard]] Result<> add_depth(Cursor rows, std::map<std::int64_t, QueueRecord>& queues);

  Statement queues_;
  Statement ready_;
  Statement later_;
  Statement running_;
  Statement totals_;
  Statement paused_;
};

}  // namespace carillon::sqlite
