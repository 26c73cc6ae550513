#pragma once

#include "definitions/action.hpp"
#include "document/reader.hpp"

#include <string>

namespace carillon {

/// Notes what would fail every attempt of an action that can be read: headers that are not an action's to set, unknown
/// `{{names}}` in a body, a HEAD request with a body, references to secrets that nothing can resolve. For what is saved
/// from now on: what is stored already stays readable, and its attempts fail with the same message.
void check_action(const Action& action, const std::string& pointer, Problems& problems);

}  // namespace carillon
