#pragma once

#include "base/error.hpp"
#include "stores/sqlite/connection.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace carillon::sqlite {

/// Marks our files in their header: "CaRi".
inline constexpr std::int64_t application_id = 0x43615269;

/// One step of the format.
struct Migration {
  std::int64_t version = 0;
  std::string_view sql;
};

/// The files of migrations/, in order.
[[nodiscard]] std::span<const Migration> migrations();

/// Whether the file may be used: new and empty, or ours and not newer than this program. Changes nothing.
[[nodiscard]] Result<> check_owner(Connection& connection);

/// Brings a file that may be used to the present version, all steps together or none.
[[nodiscard]] Result<> migrate(Connection& connection);

/// For who does not bring it there: whether the file has the present version.
[[nodiscard]] Result<> expect_present_version(Connection& connection);

/// A quick look at whether all is there that must be. `corrupt` if not.
[[nodiscard]] Result<> check_tables(Connection& connection);

/// A long look at everything.
[[nodiscard]] Result<> check_everything(Connection& connection);

}  // namespace carillon::sqlite
