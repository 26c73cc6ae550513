#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace carillon::testing {

/// One value of one row, replaced behind the store's back.
struct Damage {
  std::string table;
  std::string column;
  std::string row;    // a condition
  std::string value;  // as SQL writes it

  [[nodiscard]] std::string text() const { return table + "." + column + " = " + value + " where " + row; }
};

/// A database file whose rows can be given values that the tables would not take: text for a number, other bytes.
class DamagedCopies {
 public:
  /// `file` is closed, and is not changed.
  DamagedCopies(const std::filesystem::path& file, const std::filesystem::path& folder);

  /// Values that cannot be, and some that can, for every column of every row.
  [[nodiscard]] std::vector<Damage> damages();
  /// Names of tables without a row.
  [[nodiscard]] std::vector<std::string> empty_tables();

  /// Writes the damaged database to `target`. False if no file can be so: a key that exists twice.
  [[nodiscard]] bool make(const Damage& damage, const std::filesystem::path& target);

 private:
  struct Schema {
    std::string table;
    std::string sql;
  };

  std::filesystem::path loose_;  // the same rows in tables that take everything
  std::vector<Schema> strict_;
};

}  // namespace carillon::testing
