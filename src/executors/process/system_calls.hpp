#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "files/file_descriptor.hpp"

#include <sys/types.h>

#include <string>
#include <string_view>

namespace carillon {

/// Time since the machine was started, suspension included: what Clock::since_boot is on a real machine.
[[nodiscard]] Duration boot_now();

/// The time of day, by this machine's clock.
[[nodiscard]] Instant wall_now();

/// What the system says about an error number: `No such file or directory`.
[[nodiscard]] std::string error_text(int number);

/// `cannot do this: No such file or directory`, for the error number of now.
[[nodiscard]] Error system_error(std::string_view what);

/// A file without a name that holds these bytes, sealed against change, read from its beginning.
[[nodiscard]] Result<FileDescriptor> memory_file(const char* name, std::string_view bytes);

/// The two ends of a pipe. The reader does not block; the writer does, as programs expect of their output.
struct Pipe {
  FileDescriptor reader;
  FileDescriptor writer;
};
[[nodiscard]] Result<Pipe> make_pipe();

/// A process by a handle that no later process of the same number can take over.
[[nodiscard]] FileDescriptor open_process(pid_t pid);
/// Whether the signal was sent.
bool signal_process(const FileDescriptor& process, int signal);

}  // namespace carillon
