#include "server/store_reader.hpp"

#include "stores/sqlite/sqlite_store.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace carillon {

StoreReader::StoreReader(std::unique_ptr<SqliteStore> store) : store_{std::move(store)} {}
StoreReader::StoreReader(StoreReader&& other) noexcept = default;
StoreReader& StoreReader::operator=(StoreReader&& other) noexcept = default;
StoreReader::~StoreReader() = default;

Result<StoreReader> StoreReader::open(const std::filesystem::path& data, Clock& clock) {
  const auto file = data / "carillon.db";
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return fail(ErrorCode::not_found, "no store found in {}", data.string());
  return StoreReader{TRY(SqliteStore::open_read_only(file, clock))};
}

Result<std::vector<LedgerRecord>> StoreReader::read_ledger(Seq after, std::size_t count_max) {
  return store_->read_ledger_and_jobs(after, count_max);
}

Result<> StoreReader::check_integrity() { return store_->check_integrity(); }

Result<std::optional<Instant>> StoreReader::newest_write() {
  std::optional<Instant> newest;
  const auto decided = TRY(store_->list_runs({.filter = {.with_decisions = true}, .count_max = 1}));
  if (!decided.items.empty()) newest = decided.items.front().decided_at;
  const auto noted = TRY(store_->read_audit(std::nullopt, std::nullopt, 1));
  if (!noted.empty()) newest = std::max(newest.value_or(noted.front().at), noted.front().at);
  return newest;
}

}  // namespace carillon
