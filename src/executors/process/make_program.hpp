#pragma once

#include "base/error.hpp"
#include "definitions/action.hpp"
#include "executors/process/process_options.hpp"
#include "executors/process/program.hpp"
#include "ports/executor.hpp"

#include <cstddef>

namespace carillon {

/// More than Linux takes as arguments and environment together, with any limit on the stack.
inline constexpr std::size_t program_size_max = 6 * 1024 * 1024;

/// What a command means on this machine, its references replaced by these secrets. Looks up its user, so it may wait
/// for a network.
[[nodiscard]] Result<Program> make_program(const CommandAction& command, const Envelope& envelope,
                                           const TextMap& secrets, const ProcessOptions& options);

}  // namespace carillon
