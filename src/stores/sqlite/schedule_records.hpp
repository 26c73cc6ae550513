#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/keys.hpp"
#include "ports/query_store.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/definition_rows.hpp"
#include "stores/sqlite/statement.hpp"
#include "stores/sqlite/view_rows.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace carillon::sqlite {

/// Reads schedules as people are shown them.
class ScheduleRecords {
 public:
  ScheduleRecords(Connection& connection, ViewRows& views, DefinitionRows& definitions);

  /// None if there is none, or it is deleted.
  [[nodiscard]] Result<std::optional<ScheduleRecord>> read(Uid uid);
  /// By when they wake, before a time.
  [[nodiscard]] Result<std::vector<ScheduleRecord>> waking(const std::optional<std::string>& name_space, Instant before,
                                                           std::size_t count_max);

 private:
  [[nodiscard]] Result<> add_changes(ScheduleRecord& record);

  Connection& connection_;
  ViewRows& views_;
  DefinitionRows& definitions_;
  Statement first_changes_;
  Statement newest_change_;
  Statement newest_pause_;
  Statement newest_note_;
  Statement waking_;
};

}  // namespace carillon::sqlite
