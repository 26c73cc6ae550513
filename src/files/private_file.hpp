#pragma once

#include "base/error.hpp"
#include "files/file_descriptor.hpp"

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace carillon {

// A private file is a regular file with a single name that belongs to the user of this process or to root and that
// nobody else may write to: keys, tokens, locks, databases, records of servers. Everything else is refused with the
// rule "untrusted-file": a symbolic link, a second hard link, a FIFO, a file of another user.

struct PrivateFileTerms {
  std::size_t size_max = 64 * 1024;       // a larger file is an error, rule "too-large"
  std::optional<uid_t> other_owner = {};  // trusted beside this user and root
};

/// Opens for reading, without waiting: a FIFO or a device is refused at once. Error code not_found if there is none.
[[nodiscard]] Result<FileDescriptor> open_private_file(const std::filesystem::path& file,
                                                       std::optional<uid_t> other_owner = {});

/// Opens for reading and writing; makes an empty file of mode 0600 if there is none. For locks and databases.
[[nodiscard]] Result<FileDescriptor> open_or_create_private_file(const std::filesystem::path& file);

/// A new empty file of mode 0600, for writing. Error code conflict if there is anything under that name.
[[nodiscard]] Result<FileDescriptor> create_private_file(const std::filesystem::path& file);

/// The bytes of a private file; none if there is no such file.
[[nodiscard]] Result<std::optional<std::string>> read_private_file(const std::filesystem::path& file,
                                                                   const PrivateFileTerms& terms = {});

/// Replaces a file, or makes it, with mode 0600. Under its name there is always a whole one, also after a power cut.
/// Whatever stands in the way under the name of the draft (`FILE.new`) is removed, never written to.
[[nodiscard]] Result<> write_private_file(const std::filesystem::path& file, std::string_view bytes);

/// Replaces a file, or makes it, in one step, for whoever may read such files: one that was there keeps its mode, a new
/// one gets that of the umask. A link is replaced, not followed; nothing else with the same bytes (a hard link)
/// changes.
[[nodiscard]] Result<> replace_file(const std::filesystem::path& file, std::string_view bytes);

/// Makes a file with the mode of the umask. Error code conflict if there is anything under that name, also a link.
[[nodiscard]] Result<> write_new_file(const std::filesystem::path& file, std::string_view bytes);

/// Whether an open file is a private one. `file` is its name, for the message.
[[nodiscard]] Result<> check_private_file(int descriptor, const std::filesystem::path& file,
                                          std::optional<uid_t> other_owner = {});

/// Opens for reading, following links and whoever owns it, but only a regular file and without waiting. For files that
/// the user named. Error code not_found if there is none.
[[nodiscard]] Result<FileDescriptor> open_regular_file(const std::filesystem::path& file);

/// What an open file holds from where it stands, at most `size_max` bytes; more is an error, rule "too-large".
[[nodiscard]] Result<std::string> read_open_file(int descriptor, const std::filesystem::path& file,
                                                 std::size_t size_max);

/// Writes all of it.
[[nodiscard]] Result<> write_open_file(int descriptor, const std::filesystem::path& file, std::string_view bytes);

}  // namespace carillon
