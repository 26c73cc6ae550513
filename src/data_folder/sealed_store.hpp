#pragma once

#include "base/error.hpp"
#include "data_folder/data_directory.hpp"
#include "ports/clock.hpp"
#include "ports/log.hpp"
#include "stores/sqlite/sqlite_store.hpp"

#include <memory>

namespace carillon {

/// An error `corrupt` if the store of a folder that has been in use reads as a new one: its latest changes lay in
/// `carillon.db-wal`, and that file is gone. Changes nothing.
[[nodiscard]] Result<> expect_kept_store(const DataDirectory& directory, Clock& clock);

/// Opens the store with the key that seals its audit log. The key is made with the first start; if it is missing later,
/// the log is sealed anew, which is noted in the log itself.
[[nodiscard]] Result<std::unique_ptr<SqliteStore>> open_sealed_store(const DataDirectory& directory, Clock& clock,
                                                                     Log& log);

}  // namespace carillon
