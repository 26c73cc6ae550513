#pragma once

#include "base/error.hpp"
#include "calendar/lint/lint.hpp"
#include "definitions/action.hpp"

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace carillon {

/// Why a reference to a secret will never be resolved; none if it may be.
using SecretRefusal = std::function<std::optional<Error>(std::string_view reference)>;

/// What is legal in an action and probably not meant, pointers from its own root (`/command/env/TOKEN`):
/// `literal-secret`, a value that looks like a secret and stands in the definition, where every viewer reads it;
/// `unreadable-secret`, a reference that the server will not resolve as it was started.
[[nodiscard]] std::vector<Finding> lint_action(const Action& action, const SecretRefusal& refusal);

}  // namespace carillon
