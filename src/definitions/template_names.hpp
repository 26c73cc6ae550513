#pragma once

#include <array>
#include <string_view>

namespace carillon {

/// What `{{name}}` in the body of a request may stand for: the members of the envelope that every attempt is told.
inline constexpr std::array<std::string_view, 13> template_names{
    "attempt",      "dueTime", "fence",   "lastFailure", "lastResult",   "nominalTime", "payload",
    "repeatNumber", "runId",   "runName", "scheduleId",  "scheduleName", "source"};

}  // namespace carillon
