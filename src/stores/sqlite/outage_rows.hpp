#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/outage.hpp"
#include "ports/schedule_store.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/counters.hpp"
#include "stores/sqlite/statement.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace carillon::sqlite {

/// When servers told that they decide, and when nobody did.
class OutageRows {
 public:
  explicit OutageRows(Connection& connection);

  /// See ScheduleStore::note_deciding.
  [[nodiscard]] Result<std::optional<Outage>> note(const Presence& presence, Counters& counters, Instant now);
  /// Ascending.
  [[nodiscard]] Result<std::vector<Outage>> newest(std::size_t count_max);
  /// Those that touch [from, to), ascending; the newest of them.
  [[nodiscard]] Result<std::vector<Outage>> read(Instant from, Instant to, std::size_t count_max);

 private:
  Statement last_note_;
  Statement note_;
  Statement add_;
  Statement forget_;
  Statement newest_;
  Statement between_;
};

}  // namespace carillon::sqlite
