#pragma once

#include "base/error.hpp"
#include "cli/terminal/console.hpp"

#include <string>

namespace carillon::cli {

/// The whole text of a file, or of standard input for `-`; an error (rule "unreadable-file") when there is none or it
/// is too large.
[[nodiscard]] Result<std::string> read_text(const std::string& path, Console& console);

}  // namespace carillon::cli
