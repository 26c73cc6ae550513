#pragma once

#include "base/error.hpp"
#include "executors/process/program.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// Limits by the names of resource_limit_names, as the system numbers them.
[[nodiscard]] Result<std::vector<ResourceLimit>> resource_limits(
    const std::map<std::string, std::int64_t, std::less<>>& limits);

/// The name of a limit that resource_limits has made.
[[nodiscard]] std::string_view name_of_limit(int resource);

}  // namespace carillon
