#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>

namespace carillon {

/// The secret that `${env:NAME}` or `${file:path}` stands for, read when it is needed and never kept.
[[nodiscard]] Result<std::string> read_secret(std::string_view reference);

}  // namespace carillon
