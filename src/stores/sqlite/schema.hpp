#pragma once

#include "base/error.hpp"
#include "stores/sqlite/connection.hpp"

#include <cstdint>

namespace carillon::sqlite {

/// Whether the file has exactly the tables and indexes that the migrations up to `version` make. `corrupt`, with the
/// name, if one is missing, is different, or is somebody else's: a foreign trigger would run with every write.
/// What ANALYZE leaves is accepted.
[[nodiscard]] Result<> check_schema(Connection& connection, std::int64_t version);

}  // namespace carillon::sqlite
