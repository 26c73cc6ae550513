#include "stores/sqlite/schema.hpp"

#include "stores/sqlite/opening.hpp"
#include "stores/sqlite/statement.hpp"

#include <cctype>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace carillon::sqlite {
namespace {

struct SchemaObject {
  std::string type;  // table, index, trigger or view
  std::string sql;   // normalised; empty for the indexes that SQLite makes by itself
};
using Schema = std::map<std::string, SchemaObject>;

/// Without what different versions of SQLite write differently: spaces, and quotes around names.
std::string normalised(std::string_view sql) {
  std::string out;
  bool is_in_text = false;
  for (const char c : sql) {
    if (c == '\'') is_in_text = !is_in_text;
    if (!is_in_text && (c == '"' || std::isspace(static_cast<unsigned char>(c)) != 0)) continue;
    out += c;
  }
  return out;
}

Result<Schema> read_schema(Connection& connection) {
  Schema schema;
  Statement statement{connection,
                      "SELECT name, type, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_stat%' "
                      "ESCAPE '\\'"};
  Cursor row = statement.query();
  while (TRY(row.next())) schema[row.free_text(0)] = {.type = row.free_text(1), .sql = normalised(row.free_text(2))};
  return schema;
}

Result<Schema> make_schema(std::int64_t version) {
  const auto connection = TRY(Connection::open(":memory:", {}));
  for (const Migration& migration : migrations())
    if (migration.version <= version) TRY(connection->execute(std::string{migration.sql}));
  return read_schema(*connection);
}

/// Made once for each version.
Result<const Schema*> expected_schema(std::int64_t version) {
  static std::mutex mutex;
  static std::map<std::int64_t, Schema> made;
  const std::scoped_lock lock{mutex};
  const auto known = made.find(version);
  if (known != made.end()) return &known->second;
  return &made.emplace(version, TRY(make_schema(version))).first->second;
}

std::unexpected<Error> refused(const Connection& connection, const std::string& what, std::string hint) {
  auto error = fail(ErrorCode::corrupt, "{}: {}", connection.file().string(), what);
  error.error().hint = std::move(hint);
  return error;
}

}  // namespace

Result<> check_schema(Connection& connection, std::int64_t version) {
  const Schema& expected = *TRY(expected_schema(version));
  const Schema found = TRY(read_schema(connection));
  const std::string restore = "stop, keep a copy of the file, and restore a backup";
  for (const auto& [name, object] : found) {
    const auto known = expected.find(name);
    if (known == expected.end())
      return refused(connection, fmt::format("the {} {} is not carillon's", object.type, name),
                     fmt::format("find out who made it; DROP {} \"{}\" removes it", object.type, name));
    if (known->second.type != object.type || known->second.sql != object.sql)
      return refused(connection, fmt::format("the {} {} is not as carillon made it", object.type, name), restore);
  }
  for (const auto& [name, object] : expected)
    if (!found.contains(name))
      return refused(connection, fmt::format("the {} {} is missing", object.type, name), restore);
  return {};
}

}  // namespace carillon::sqlite
