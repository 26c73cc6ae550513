#pragma once

#include "base/error.hpp"
#include "service/run_ids.hpp"

#include <filesystem>

namespace carillon {

/// Run ids with the key in this file, which is made if there is none.
[[nodiscard]] Result<RunIds> open_run_ids(const std::filesystem::path& file);

}  // namespace carillon
