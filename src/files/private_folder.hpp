#pragma once

#include "base/error.hpp"

#include <sys/types.h>

#include <filesystem>
#include <optional>

namespace carillon {

/// Whether a folder belongs to the user of this process or root and nobody else may write to it. The folders above it,
/// links resolved, must belong to them too, so that nobody can put another folder in its place; those above may be
/// writable by their group, and by everybody if they are sticky, as /tmp is. Error rule "untrusted-file"; error code
/// not_found if there is none.
[[nodiscard]] Result<> check_private_folder(const std::filesystem::path& folder, std::optional<uid_t> other_owner = {});

/// Makes a folder of mode 0700, and those above it, unless it is there; then checks it. Returns its path without links.
[[nodiscard]] Result<std::filesystem::path> make_private_folder(const std::filesystem::path& folder);

}  // namespace carillon
