#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/schedule_state.hpp"
#include "ports/query_store.hpp"
#include "ports/schedule_store.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/statement.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carillon::sqlite {

/// Reads schedules as they are handed out.
class ViewRows {
 public:
  explicit ViewRows(Connection& connection);

  [[nodiscard]] Result<std::optional<ScheduleView>> find(Uid uid);
  [[nodiscard]] Result<std::vector<ScheduleView>> page(Uid after, std::size_t count_max);
  /// All of a schedule, newest first.
  [[nodiscard]] Result<std::vector<Backfill>> backfills(Uid uid);
  /// Of all schedules that are not deleted, newest first.
  [[nodiscard]] Result<BackfillList> list_backfills(const BackfillListRequest& request);
  /// Fills the views and the next wake of `due`, whose time and edition are given.
  [[nodiscard]] Result<> read_due(const DueRequest& request, DueSchedules& due);

  [[nodiscard]] Result<ZoneEdition> zone_edition();
  /// A page without its views and its time.
  [[nodiscard]] Result<ScheduleScanPage> page_head();
  [[nodiscard]] Result<std::optional<std::string>> quarantine(Uid uid);

 private:
  [[nodiscard]] Result<ScheduleView> read_view(const Cursor& row);
  [[nodiscard]] Result<> add_more_runs(ScheduleView& view);
  [[nodiscard]] Result<> add_backfills(ScheduleView& view);
  enum class ServerPart { own, others };
  [[nodiscard]] Result<> take(const DueRequest& request, ServerPart part, DueSchedules& due);
  [[nodiscard]] Result<> add_view(std::int64_t place, DueSchedules& due);

  Connection& connection_;
  Statement at_place_;
  Statement of_uid_;
  Statement page_;
  Statement more_runs_;
  Statement open_backfills_;
  Statement all_backfills_;
  Statement listed_backfills_;
  Statement wakes_;
  Statement zone_edition_;
  Statement page_head_;
  Statement quarantine_;
};

}  // namespace carillon::sqlite
