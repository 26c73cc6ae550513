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

  [[nodiscard]] Result<std::vector<LedgerRecord>> read(Seq after, std::size_t count_max);

 private:
  [[nodiscard]] Result<LedgerRecord> record_of(std::size_t kind, const Cursor& row, Names& names);

  DefinitionRows& definitions_;
  Statement decisions_;
  Statement attempts_;
  Statement changes_;
  Statement ranges_;
  Statement voids_;
  Statement backfills_;
};

}  // namespace carillon::sqlite
