#pragma once

#include <cstddef>

namespace carillon {

/// Raises this process's limit on open files as far as it goes, and tells what it is then. To be called after the
/// launcher was started, so that commands have the limit that the server was started with.
std::size_t raise_file_limit();

/// How many connections a server may have with so many files, so that some are always left for its own work: the
/// store, and for each run its output, its log and its requests. Never none, however few there are.
[[nodiscard]] std::size_t connections_within(std::size_t file_limit, std::size_t worker_count);

/// With fewer files than this, runs may have to wait for some.
[[nodiscard]] std::size_t files_needed(std::size_t worker_count);

}  // namespace carillon
