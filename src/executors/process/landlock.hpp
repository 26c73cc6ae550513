#pragma once

#include "base/error.hpp"
#include "files/file_descriptor.hpp"

#include <cstdint>

// Landlock as Linux has it (since 5.13), by numbers of our own: headers of older systems have none, or fewer.
namespace carillon::landlock {

inline constexpr std::uint64_t write_file = 1U << 1;
inline constexpr std::uint64_t read_file = 1U << 2;
inline constexpr std::uint64_t remove_dir = 1U << 4;
inline constexpr std::uint64_t remove_file = 1U << 5;
inline constexpr std::uint64_t make_char = 1U << 6;
inline constexpr std::uint64_t make_dir = 1U << 7;
inline constexpr std::uint64_t make_reg = 1U << 8;
inline constexpr std::uint64_t make_sock = 1U << 9;
inline constexpr std::uint64_t make_fifo = 1U << 10;
inline constexpr std::uint64_t make_block = 1U << 11;
inline constexpr std::uint64_t make_sym = 1U << 12;
inline constexpr std::uint64_t refer = 1U << 13;     // version 2
inline constexpr std::uint64_t truncate = 1U << 14;  // version 3

inline constexpr std::uint64_t scope_abstract_unix_socket = 1U << 0;  // version 6

/// Which version of it the kernel has; 0: none, or it is switched off.
[[nodiscard]] int version();

/// A set of rules that handles these rights; all of them are refused but where a rule allows them.
[[nodiscard]] Result<FileDescriptor> make_ruleset(std::uint64_t handled_files, std::uint64_t scoped);

/// Allows rights on a file, or on a folder and all below it.
[[nodiscard]] Result<> allow(const FileDescriptor& ruleset, int place, std::uint64_t rights);

/// For a child between fork and exec: only a system call. No new privileges must be possible any more.
[[nodiscard]] __attribute__((no_sanitize("address", "thread", "undefined"))) bool restrict_self(int ruleset);

}  // namespace carillon::landlock
