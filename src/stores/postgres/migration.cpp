#include "stores/postgres/migration.hpp"

#include "ports/store_health.hpp"

#include <fmt/format.h>

#include <vector>

namespace carillon::postgres {
namespace {

/// Statements one by one: several in one text cannot have the form that statements with parameters have. Texts between
/// $$ may have semicolons.
std::vector<std::string> statements_of(std::string_view sql) {
  std::vector<std::string> statements;
  std::string current;
  bool is_quoted = false;
  while (!sql.empty()) {
    if (!is_quoted && sql.starts_with("--")) {
      sql.remove_prefix(std::min(sql.find('\n'), sql.size()));
      continue;
    }
    if (sql.starts_with("$$")) {
      is_quoted = !is_quoted;
      current += sql.substr(0, 2);
      sql.remove_prefix(2);
      continue;
    }
    const char c = sql.front();
    sql.remove_prefix(1);
    if (c == ';' && !is_quoted) {
      statements.push_back(std::exchange(current, {}));
    } else if (!current.empty() || (c != '\n' && c != ' ')) {
      current += c;
    }
  }
  return statements;
}

Result<ResultRows> ask(Connection& connection, const std::string& sql, const Parameters& parameters = Parameters{}) {
  connection.send(sql, parameters);
  auto answers = TRY(connection.collect());
  return std::move(answers.back());
}

/// None: there is no such table.
Result<std::optional<std::int64_t>> stored_version(Connection& connection, const std::string& schema) {
  const auto found =
      TRY(ask(connection, "SELECT to_regclass($1) IS NOT NULL", Parameters{schema + ".carillon_schema"}));
  if (!found[0].flag(0)) return std::nullopt;
  const auto version = TRY(ask(connection, fmt::format("SELECT max(version) FROM {}.carillon_schema", schema)));
  return version[0].number(0);
}

std::int64_t present_version() { return migrations().back().version; }

std::unexpected<Error> wrong_schema(std::string message, std::string hint) {
  return std::unexpected(Error{.code = ErrorCode::conflict,
                               .message = std::move(message),
                               .hint = std::move(hint),
                               .rule = "store-schema",
                               .position = {},
                               .context = {}});
}

std::unexpected<Error> newer_schema(const Connection& connection, const std::string& schema, std::int64_t version) {
  return wrong_schema(fmt::format("{}: schema {} has version {}, and this program knows versions up to {}",
                                  connection.description(), schema, version, present_version()),
                      "use a carillon that is at least as new as the one that migrated the schema");
}

/// Whether a schema that is newer than this program says that older programs may use it: servers are updated one after
/// the other.
Result<bool> is_compatible(Connection& connection, const std::string& schema) {
  const auto oldest = TRY(ask(connection, fmt::format("SELECT oldest FROM {}.schema_compatibility", schema)));
  return !oldest.empty() && oldest[0].number(0) <= present_version();
}

Result<std::int64_t> migrate_inside(Connection& connection, const std::string& schema) {
  // Two at once would do the same twice. The lock ends with the transaction.
  const std::int64_t before = TRY(stored_version(connection, schema)).value_or(0);
  if (before > present_version()) return newer_schema(connection, schema, before);
  if (before == 0) {
    if (TRY(ask(connection, "SELECT count(*) FROM pg_namespace WHERE nspname = $1", Parameters{schema}))[0].number(0) ==
        0)
      TRY(ask(connection, fmt::format("CREATE SCHEMA {}", schema)));
    TRY(ask(connection, fmt::format("CREATE TABLE {}.carillon_schema(version int8 PRIMARY KEY, migrated_at timestamptz "
                                    "NOT NULL DEFAULT now())",
                                    schema)));
  }
  connection.send("SELECT set_config('search_path', $1, true)", Parameters{schema});
  connection.send(fmt::format("LOCK TABLE {}.carillon_schema IN EXCLUSIVE MODE", schema));
  for (const Migration& migration : migrations()) {
    if (migration.version <= before) continue;
    for (const std::string& statement : statements_of(migration.sql)) connection.send(statement);
    connection.send("INSERT INTO carillon_schema(version) VALUES ($1)", Parameters{migration.version});
  }
  TRY(connection.collect());
  return before;
}

}  // namespace

std::int64_t present_schema_version() { return present_version(); }

Result<std::int64_t> migrate(Connection& connection, const std::string& schema) {
  connection.send("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE");
  TRY(connection.collect());
  auto before = migrate_inside(connection, schema);
  connection.send(before ? "COMMIT" : "ROLLBACK");
  auto ended = connection.collect();
  if (before && !ended) return std::unexpected(ended.error());
  return before;
}

Result<> expect_present_schema(Connection& connection, const std::string& schema) {
  const auto version = TRY(stored_version(connection, schema));
  if (!version)
    return wrong_schema(fmt::format("{}: there is no schema {} of carillon yet", connection.description(), schema),
                        "run `carillon store migrate --store URL` once, as a user who may create it");
  if (*version > present_version() && !TRY(is_compatible(connection, schema)))
    return newer_schema(connection, schema, *version);
  if (*version < present_version())
    return wrong_schema(fmt::format("{}: schema {} has version {}, and this program needs version {}",
                                    connection.description(), schema, *version, present_version()),
                        "stop older servers at a quiet time and run `carillon store migrate --store URL`");
  const auto writable =
      TRY(ask(connection, "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::bool"));
  if (!writable[0].flag(0)) return {};
  return std::unexpected(
      Error{.code = ErrorCode::unavailable,
            .message = fmt::format("{}: the database is a standby or read-only", connection.description()),
            .hint = "give the address of the primary, or list all servers with target_session_attrs=read-write",
            .rule = rule_of(StoreFailureKind::unwritable),
            .position = {},
            .context = {}});
}

}  // namespace carillon::postgres
