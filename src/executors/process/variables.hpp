#pragma once

#include "base/error.hpp"
#include "definitions/action.hpp"
#include "definitions/secret_references.hpp"
#include "ports/executor.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

// These two are also how an attempt's processes are recognised.
inline constexpr std::string_view run_id_variable = "CARILLON_RUN_ID";
inline constexpr std::string_view attempt_variable = "CARILLON_ATTEMPT";

/// What Linux takes as one entry `NAME=value`.
inline constexpr std::size_t variable_length_max = 131'071;

/// What a command may see of this process's own environment: where programs are, language and time zone, whose home.
/// Everything else stays here.
[[nodiscard]] TextMap inherited_environment();

/// The environment of a command as `NAME=value`: the base, over it the command's own with secrets resolved, over it
/// the envelope. Payload and last result are left out when they are longer than Linux takes.
[[nodiscard]] Result<std::vector<std::string>> environment_of(TextMap base, const TextMap& own,
                                                              const Envelope& envelope, const SecretResolver& resolve);

}  // namespace carillon
