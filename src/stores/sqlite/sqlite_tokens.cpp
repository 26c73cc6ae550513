#include "stores/sqlite/sqlite_store.hpp"
#include "stores/sqlite/store_calls.hpp"

namespace carillon {

using sqlite::Lane;
using sqlite::Tables;

Result<> SqliteStore::add_token(const StoredToken& token, const AuditEntry& audit) {
  return write_in(Lane::user, [&](Tables& tables, Instant now) -> Result<> {
    TRY(tables.tokens.add(token));
    return tables.audit.append(audit, now);
  });
}

Result<std::optional<StoredToken>> SqliteStore::find_token(const std::string& id) {
  return read<std::optional<StoredToken>>([&](Tables& tables, Instant) { return tables.tokens.find(id); });
}

Result<std::vector<StoredToken>> SqliteStore::read_tokens() {
  return read<std::vector<StoredToken>>([](Tables& tables, Instant) { return tables.tokens.all(); });
}

Result<> SqliteStore::revoke_token(const std::string& id, Instant at, const AuditEntry& audit) {
  return write_in(Lane::user, [&](Tables& tables, Instant now) -> Result<> {
    const auto token = TRY(tables.tokens.find(id));
    if (!token) return fail(ErrorCode::not_found, "token {} not found", id);
    if (token->revoked_at) return {};
    TRY(tables.tokens.set_revoked(id, at));
    return tables.audit.append(audit, now);
  });
}

}  // namespace carillon
