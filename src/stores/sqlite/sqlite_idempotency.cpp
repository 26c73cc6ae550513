#include "stores/sqlite/sqlite_store.hpp"
#include "stores/sqlite/store_calls.hpp"

namespace carillon {

using sqlite::Lane;
using sqlite::Tables;

Result<std::optional<IdempotencyRecord>> SqliteStore::find_request(const std::string& key) {
  return read<std::optional<IdempotencyRecord>>(
      [&](Tables& tables, Instant now) { return tables.idempotency.find(key, now); });
}

Result<> SqliteStore::keep_answer(const IdempotencyKey& key, const std::string& answer) {
  return write_in(Lane::user, [&](Tables& tables, Instant now) -> Result<> {
    const auto known = TRY(tables.idempotency.find(key.key, now));
    if (!known)
      return tables.idempotency.put(
          key.key, {.fingerprint = key.fingerprint, .at = now, .uid = {}, .decisions = {}, .answer = answer});
    if (known->fingerprint == key.fingerprint) return tables.idempotency.set_answer(key.key, answer);
    auto error = fail(ErrorCode::conflict, "this key belongs to another request");
    error.error().rule = repeated_request;
    return error;
  });
}

}  // namespace carillon
