#include "stores/sqlite/token_rows.hpp"

namespace carillon::sqlite {
namespace {

#define CARILLON_TOKEN_QUERY \
  "SELECT id, name, role, namespace, salt, hash, created_at, expires_at, revoked_at, may_execute FROM token "

Result<StoredToken> read_token(const Cursor& row) {
  StoredToken token{.id = std::string{row.text(0)},
                    .name = std::string{row.text(1)},
                    .role = row.one_of(2, Role::worker),
                    .name_space = {},
                    .salt = std::string{row.bytes(4)},
                    .hash = std::string{row.bytes(5)},
                    .created_at = row.instant(6),
                    .expires_at = row.instant_if(7),
                    .revoked_at = row.instant_if(8),
                    .may_execute = row.flag(9)};
  if (!row.is_null(3)) token.name_space = row.text(3);
  TRY(row.check());
  return token;
}

}  // namespace

TokenRows::TokenRows(Connection& connection)
    : connection_{connection},
      insert_{connection, "INSERT OR IGNORE INTO token VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"},
      find_{connection, CARILLON_TOKEN_QUERY "WHERE id = ?1"},
      all_{connection, CARILLON_TOKEN_QUERY "ORDER BY created_at, id"},
      revoke_{connection, "UPDATE token SET revoked_at = ?2 WHERE id = ?1"} {
  // What is stored is the number of a role.
  static_assert(static_cast<int>(Role::viewer) == 0 && static_cast<int>(Role::worker) == 4);
}

Result<> TokenRows::add(const StoredToken& token) {
  TRY(insert_.run(token.id, token.name, token.role, token.name_space, Blob{token.salt}, Blob{token.hash},
                  token.created_at, token.expires_at, token.revoked_at, token.may_execute));
  if (connection_.change_count() == 0) return fail(ErrorCode::conflict, "token {} already exists", token.id);
  return {};
}

Result<std::optional<StoredToken>> TokenRows::find(const std::string& id) {
  Cursor row = find_.query(id);
  if (!TRY(row.next())) return std::nullopt;
  return TRY(read_token(row));
}

Result<std::vector<StoredToken>> TokenRows::all() {
  std::vector<StoredToken> tokens;
  Cursor row = all_.query();
  while (TRY(row.next())) tokens.push_back(TRY(read_token(row)));
  return tokens;
}

Result<> TokenRows::set_revoked(const std::string& id, Instant at) { return revoke_.run(id, at); }

}  // namespace carillon::sqlite
