#include "server/store_reader.hpp"

#include "stores/postgres/postgres_store.hpp"
#include "stores/sqlite/sqlite_store.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace carillon {

StoreReader::StoreReader() = default;
StoreReader::StoreReader(StoreReader&& other) noexcept = default;
StoreReader& StoreReader::operator=(StoreReader&& other) noexcept = default;
StoreReader::~StoreReader() = default;

Result<StoreReader> StoreReader::open(const std::filesystem::path& data, Clock& clock) {
  const auto file = data / "carillon.db";
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return fail(ErrorCode::not_found, "no store found in {}", data.string());
  StoreReader reader;
  reader.store_ = TRY(SqliteStore::open_read_only(file, clock));
  return reader;
}

Result<StoreReader> StoreReader::open_shared(const std::string& url, Clock& clock) {
  StoreReader reader;
  reader.shared_ = TRY(PostgresStore::open(TRY(postgres::parse_store_url(url)), clock, {.is_watching = false}));
  return reader;
}

Result<std::vector<LedgerRecord>> StoreReader::read_ledger(Seq after, std::size_t count_max) {
  return store_ ? store_->read_ledger_and_jobs(after, count_max) : shared_->read_ledger_and_jobs(after, count_max);
}

Result<> StoreReader::check_integrity() { return store_ ? store_->check_integrity() : Result<>{}; }

Result<std::optional<Instant>> StoreReader::newest_write() {
  std::optional<Instant> newest;
  QueryStore& queries = store_ ? store_->ports().queries : shared_->ports().queries;
  AuditLog& audit = store_ ? store_->ports().audit : shared_->ports().audit;
  const auto decided = TRY(queries.list_runs({.filter = {.with_decisions = true}, .count_max = 1}));
  if (!decided.items.empty()) newest = decided.items.front().decided_at;
  const auto noted = TRY(audit.read_audit(std::nullopt, std::nullopt, 1));
  if (!noted.empty()) newest = std::max(newest.value_or(noted.front().at), noted.front().at);
  return newest;
}

}  // namespace carillon
