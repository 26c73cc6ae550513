#pragma once

#include "damaged_store/store_world.hpp"

#include <filesystem>

namespace carillon::testing {

/// Opens a store and asks it for everything, then has it do everything. The answers may be refusals.
void ask_everything(const std::filesystem::path& file, const PreparedStore& prepared, Instant now);

}  // namespace carillon::testing
