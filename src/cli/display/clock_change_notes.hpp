#pragma once

#include "calendar/timetable.hpp"

#include <optional>
#include <string>

namespace carillon::cli {

/// What a reader should know about one occurrence.
struct OccurrenceNote {
  bool is_warning = false;
  std::string text;
};

/// What a change of the clocks did to this occurrence, in words. `display` is where the reader looks at it.
[[nodiscard]] std::optional<OccurrenceNote> clock_change_note(const Timetable& timetable, Instant nominal,
                                                              const Zone& display);

/// How a line differs from the line above when clocks have changed between them, in the spec's zone or where it is
/// shown.
[[nodiscard]] std::optional<OccurrenceNote> shift_note(Instant above, Instant nominal, const Zone& zone,
                                                       const Zone& display);

}  // namespace carillon::cli
