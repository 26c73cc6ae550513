#pragma once

#include "stores/postgres/parameters.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace carillon::postgres {

/// Rows for one statement, column by column: a table that the statement reads. A column with the same value in all rows
/// goes as that one value: as an array, each costs the database about a hundredth of what it takes to write the row.
class Columns {
 public:
  /// The first one; always an array, so that there are as many rows.
  template <typename Rows, typename Pick>
  Columns(const char* name, const Rows& rows, Pick pick) : arrays_{"$1"}, array_names_{name}, selected_{"r."} {
    parameters_.column(rows, pick);
    selected_ += name;
  }

  template <typename Rows, typename Pick>
  void add(const char* name, const Rows& rows, Pick pick) {
    const bool is_value = parameters_.value_or_column(rows, pick);
    const std::string place = "$" + std::to_string(parameters_.values().size());
    if (is_value) {
      selected_ += ", " + place + " AS " + name;
      return;
    }
    selected_ += std::string{", r."} + name;
    arrays_ += ", " + place;
    array_names_ += std::string{", "} + name;
  }

  /// What stands behind FROM: a table `u` with the columns in their order.
  [[nodiscard]] std::string table() const {
    return "(SELECT " + selected_ + " FROM unnest(" + arrays_ + ") AS r(" + array_names_ + ")) AS u";
  }
  [[nodiscard]] const Parameters& parameters() const { return parameters_; }

 private:
  Parameters parameters_;
  std::string arrays_;       // $1, $3
  std::string array_names_;  // seq, at
  std::string selected_;     // r.seq, $2 AS server, r.at
};

}  // namespace carillon::postgres
