#pragma once

#include "base/error.hpp"
#include "definitions/action.hpp"
#include "ports/executor.hpp"

#include <string>

namespace carillon {

/// The envelope as one JSON object: the body of a request that has none of its own. `payload` and `lastResult` are
/// inserted as they are; an error invalid_argument if one of them is not JSON.
[[nodiscard]] Result<std::string> to_json(const Envelope& envelope);

/// The members of that object as texts, by their names. `payload`, `lastResult` and `lastFailure` are JSON; what is
/// missing is empty, or `null` for these three.
[[nodiscard]] TextMap template_values(const Envelope& envelope);

}  // namespace carillon
