#pragma once

#include "calendar/timetable.hpp"
#include "cli/commands/occurrences.hpp"

#include <optional>

namespace carillon {

/// What a change of the clocks did to this occurrence, in words. `display` is where the reader looks at it.
[[nodiscard]] std::optional<Remark> clock_change_remark(const Timetable& timetable, Instant nominal,
                                                        const Zone& display);

/// How a line differs from the line above when clocks have changed between them, in the spec's zone or where it is
/// shown.
[[nodiscard]] std::optional<Remark> shift_remark(Instant above, Instant nominal, const Zone& zone, const Zone& display);

}  // namespace carillon
