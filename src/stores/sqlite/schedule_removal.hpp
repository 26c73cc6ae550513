#pragma once

#include "base/error.hpp"
#include "engine/keys.hpp"
#include "ports/retention.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/statement.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace carillon::sqlite {

/// What is left of deleted schedules.
class ScheduleRemoval {
 public:
  explicit ScheduleRemoval(Connection& connection);

  [[nodiscard]] Result<std::vector<DeletedSchedule>> read_deleted(Uid after, std::size_t count_max);
  /// Nothing, if it is alive or its newest decision or a run of it is still there.
  [[nodiscard]] Result<> remove(Uid uid);

 private:
  [[nodiscard]] Result<bool> may_go(Uid uid);

  Connection& connection_;
  Statement deleted_;
  Statement may_go_;
  std::array<Statement, 11> drops_;
};

}  // namespace carillon::sqlite
