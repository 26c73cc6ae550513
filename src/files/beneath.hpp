#pragma once

#include "base/error.hpp"
#include "files/file_descriptor.hpp"

#include <cstddef>
#include <filesystem>
#include <string>

namespace carillon {

// Files below a folder that somebody else may write to, such as a repository: whatever stands in a path, `..` or a
// link, nothing outside of the folder is opened. Links that stay inside are followed. `folder` is an open folder,
// `path` is relative to it; nothing here waits for a FIFO or a device.

/// Opens a folder. For the folder that everything else lies beneath, and not confined itself.
[[nodiscard]] Result<FileDescriptor> open_folder(const std::filesystem::path& folder);

/// Opens a folder below. Error code not_found if there is none, or it is no folder.
[[nodiscard]] Result<FileDescriptor> open_folder_beneath(int folder, const std::filesystem::path& path);

/// Opens a regular file below for reading. Error code not_found if there is none; invalid_argument, rule
/// "outside-folder", if the path leads out of the folder.
[[nodiscard]] Result<FileDescriptor> open_file_beneath(int folder, const std::filesystem::path& path);

/// The bytes of a file below, at most `size_max`; more is an error, rule "too-large".
[[nodiscard]] Result<std::string> read_file_beneath(int folder, const std::filesystem::path& path,
                                                    std::size_t size_max);

}  // namespace carillon
