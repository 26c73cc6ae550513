#pragma once

#include "base/error.hpp"
#include "stores/postgres/connection.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace carillon::postgres {

struct Migration {
  std::int64_t version = 0;
  std::string_view sql;
};
/// Ascending; made from migrations/*.sql when the program is built.
[[nodiscard]] std::span<const Migration> migrations();

/// The version that this program needs.
[[nodiscard]] std::int64_t present_schema_version();

/// Creates the schema or brings it to the present version, in one transaction. Returns the version it had; zero: none.
[[nodiscard]] Result<std::int64_t> migrate(Connection& connection, const std::string& schema);

/// An error says what to do if the schema is missing, older or newer than this program needs.
[[nodiscard]] Result<> expect_present_schema(Connection& connection, const std::string& schema);

}  // namespace carillon::postgres
