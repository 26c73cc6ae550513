#pragma once

#include "base/error.hpp"
#include "definitions/action.hpp"
#include "ports/executor.hpp"

#include <string>

namespace carillon {

/// The envelope as one JSON object: what a request without a body of its own carries. `payload` and `lastResult` stand
/// in it as they were given; an error if one of them is not JSON.
[[nodiscard]] Result<std::string> to_json(const Envelope& envelope);

/// The members of that object as texts, by their names. `payload` and `lastResult` are JSON; what is missing is empty,
/// or `null` for these two.
[[nodiscard]] TextMap template_values(const Envelope& envelope);

}  // namespace carillon
