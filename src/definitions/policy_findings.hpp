#pragma once

#include "calendar/lint/lint.hpp"
#include "definitions/policies.hpp"

#include <vector>

namespace carillon {

/// What is legal in a schedule's policies and probably not meant. Pointers lead into the schedule's document.
[[nodiscard]] std::vector<Finding> policy_findings(const Policies& policies);

}  // namespace carillon
