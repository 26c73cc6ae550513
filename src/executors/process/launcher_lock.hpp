#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "files/file_descriptor.hpp"

#include <filesystem>

namespace carillon {

// A launcher holds the lock of its file as long as it lives, and lives as long as anything that it has started. The
// lock is the launcher's own: no command inherits it. Local file systems only.

/// Takes the lock, to be held until the file is closed; a conflict if another launcher has it.
[[nodiscard]] Result<FileDescriptor> lock_launcher_file(const std::filesystem::path& file);

/// Whether a launcher holds the lock. Looking does not disturb one that is about to take it.
[[nodiscard]] Result<bool> is_launcher_alive(const std::filesystem::path& file);

/// Waits until no launcher holds the lock, so that nothing is left of what a server before this one has started; an
/// error unavailable if one still does after `time_max`.
[[nodiscard]] Result<> wait_until_gone(const std::filesystem::path& file, Duration time_max);

}  // namespace carillon
