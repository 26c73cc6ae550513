#pragma once

#include "base/error.hpp"
#include "engine/ledger_record.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/definition_rows.hpp"
#include "stores/sqlite/names.hpp"
#include "stores/sqlite/statement.hpp"

#include <cstddef>
#include <vector>

namespace carillon::sqlite {

/// Reads the lines of all kinds in their common order.
class LedgerReading {
 public:
  LedgerReading(Connection& connection, DefinitionRows& definitions);

  /// Whether jobs without a schedule, which belong to no story of a schedule, are read too.
  enum class Jobs { left_out, included };

  [[nodiscard]] Result<std::vector<LedgerRecord>> read(Seq after, std::size_t count_max, Jobs jobs = Jobs::left_out);

 private:
  [[nodiscard]] Result<LedgerRecord> record_of(std::size_t kind, const Cursor& row, Names& names);

  DefinitionRows& definitions_;
  Statement decisions_;
  Statement attempts_;
  Statement changes_;
  Statement ranges_;
  Statement voids_;
  Statement backfills_;
  Statement outages_;
};

}  // namespace carillon::sqlite
