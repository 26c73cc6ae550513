#include "damaged_store/damages.hpp"

#include "base/assertion.hpp"

#include <sqlite3.h>

#include <array>
#include <functional>
#include <memory>

namespace carillon::testing {
namespace {

using Row = std::function<void(sqlite3_stmt*)>;

class Database {
 public:
  explicit Database(const std::filesystem::path& file) {
    CARILLON_ASSERT(sqlite3_open(file.c_str(), &handle_) == SQLITE_OK);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
    CARILLON_ASSERT(
        run("PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; PRAGMA ignore_check_constraints = ON"));
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() { sqlite3_close(handle_); }

  bool run(const std::string& sql) {
    return sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  }
  void each(const std::string& sql, const Row& row) {
    sqlite3_stmt* statement = nullptr;
    CARILLON_ASSERT(sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW) row(statement);
    sqlite3_finalize(statement);
  }

 private:
  sqlite3* handle_ = nullptr;
};

std::string text(sqlite3_stmt* row, int column) {
  const auto* begin = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
  return begin == nullptr ? std::string{} : std::string{begin};
}

std::string quoted(const std::string& value) {
  std::string out = "'";
  for (const char c : value) out.append(c == '\'' ? 2 : 1, c);
  return out + "'";
}

/// Without its last word, which makes tables refuse values of other types.
std::string loosened(std::string sql) {
  const std::size_t last = sql.rfind(')');
  const bool has_rowid = sql.find("WITHOUT ROWID", last) == std::string::npos;
  return sql.substr(0, last + 1) + (has_rowid ? "" : " WITHOUT ROWID");
}

const std::vector<std::string>& values_for(const std::string& type) {
  // 4e17 lies after the year 9999.
  static const std::vector<std::string> numbers{"-9223372036854775808", "9223372036854775807", "-1",
                                                "400000000000000000", "'x'"};
  static const std::vector<std::string> texts{"''", "CAST(x'41ff80' AS TEXT)", "'damaged'", "x'00ff'",
                                              "printf('%.*c', 300000, 'x')"};
  static const std::vector<std::string> blobs{"x''", "x'ffffffffffffffffffffffffffffffffffffffff'",
                                              "x'0100ffffffffffffffffff7f00000000000000000000000000000000'", "'text'"};
  return type == "INTEGER" ? numbers : type == "TEXT" ? texts : blobs;
}

struct Column {
  std::string name;
  std::string type;
  bool is_key = false;
};

std::vector<Column> columns_of(Database& database, const std::string& table) {
  std::vector<Column> columns;
  database.each("PRAGMA table_info(" + table + ")", [&](sqlite3_stmt* row) {
    columns.push_back({.name = text(row, 1), .type = text(row, 2), .is_key = sqlite3_column_int(row, 5) > 0});
  });
  return columns;
}

/// Conditions that each name one row, by its key.
std::vector<std::string> rows_of(Database& database, const std::string& table, const std::vector<Column>& columns) {
  std::string condition;
  for (const Column& column : columns)
    if (column.is_key)
      condition += (condition.empty() ? "'" : " || ' AND ") + column.name + " = ' || quote(" + column.name + ")";
  std::vector<std::string> rows;
  database.each("SELECT " + condition + " FROM " + table, [&](sqlite3_stmt* row) { rows.push_back(text(row, 0)); });
  return rows;
}

}  // namespace

DamagedCopies::DamagedCopies(const std::filesystem::path& file, const std::filesystem::path& folder)
    : loose_{folder / "loose.db"} {
  std::filesystem::copy_file(file, loose_, std::filesystem::copy_options::overwrite_existing);
  Database database{loose_};
  database.each("SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name",
                [&](sqlite3_stmt* row) { strict_.push_back({text(row, 0), text(row, 1)}); });
  for (const Schema& schema : strict_)
    CARILLON_ASSERT(database.run("UPDATE sqlite_schema SET sql = " + quoted(loosened(schema.sql)) +
                                 " WHERE name = " + quoted(schema.table)));
}

std::vector<Damage> DamagedCopies::damages() {
  constexpr std::size_t row_count_max = 2;
  std::vector<Damage> damages;
  Database database{loose_};
  for (const Schema& schema : strict_) {
    const auto columns = columns_of(database, schema.table);
    const auto rows = rows_of(database, schema.table, columns);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      // From both ends: rows of a kind come one after the other.
      if (rows.size() > row_count_max && i >= row_count_max / 2 && i + row_count_max / 2 < rows.size()) continue;
      for (const Column& column : columns) {
        const auto& values = values_for(column.type);
        // Every value in one row of a table, and another one in each of the others.
        for (std::size_t k = 0; k < values.size(); ++k)
          if (i == 0 || k == (i + damages.size()) % values.size())
            damages.push_back({.table = schema.table, .column = column.name, .row = rows[i], .value = values[k]});
      }
    }
  }
  return damages;
}

std::vector<std::string> DamagedCopies::empty_tables() {
  std::vector<std::string> names;
  Database database{loose_};
  for (const Schema& schema : strict_) {
    bool is_empty = true;
    database.each("SELECT 1 FROM " + schema.table + " LIMIT 1", [&](sqlite3_stmt*) { is_empty = false; });
    if (is_empty) names.push_back(schema.table);
  }
  return names;
}

bool DamagedCopies::make(const Damage& damage, const std::filesystem::path& target) {
  std::filesystem::copy_file(loose_, target, std::filesystem::copy_options::overwrite_existing);
  Database database{target};
  if (!database.run("UPDATE " + damage.table + " SET " + damage.column + " = " + damage.value + " WHERE " + damage.row))
    return false;
  std::string restore = "BEGIN;";
  for (const Schema& schema : strict_)
    restore += "UPDATE sqlite_schema SET sql = " + quoted(schema.sql) + " WHERE name = " + quoted(schema.table) + ";";
  return database.run(restore + "COMMIT");
}

}  // namespace carillon::testing
