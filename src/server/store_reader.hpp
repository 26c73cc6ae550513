#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/ledger_record.hpp"
#include "ports/clock.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

class PostgresStore;
class SqliteStore;

/// Reads the store of a data folder, also while a server is writing to it. Changes nothing, and holds up nobody. One
/// thread at a time.
class StoreReader {
 public:
  /// An error `not_found` if there is no store in the folder; `corrupt` if it is damaged or another program's.
  [[nodiscard]] static Result<StoreReader> open(const std::filesystem::path& data, Clock& clock);
  /// The same for a store that servers share.
  [[nodiscard]] static Result<StoreReader> open_shared(const std::string& url, Clock& clock);
  StoreReader(StoreReader&& other) noexcept;
  StoreReader& operator=(StoreReader&& other) noexcept;
  ~StoreReader();

  /// The ledger after a seq with the jobs that have no schedule, ascending; empty at its end.
  [[nodiscard]] Result<std::vector<LedgerRecord>> read_ledger(Seq after, std::size_t count_max);

  /// Reads the whole file and compares what must agree; an error `corrupt` says what was found.
  [[nodiscard]] Result<> check_integrity();

  /// When the newest decision was made or the newest entry was added to the audit log; none: there is neither.
  [[nodiscard]] Result<std::optional<Instant>> newest_write();

 private:
  StoreReader();

  // One of them.
  std::unique_ptr<SqliteStore> store_;
  std::unique_ptr<PostgresStore> shared_;
};

}  // namespace carillon
