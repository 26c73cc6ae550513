#pragma once

#include "base/instant.hpp"
#include "calendar/zone.hpp"
#include "cli/display/clock_change_notes.hpp"
#include "cli/terminal/paint.hpp"
#include "cli/user_definitions/loaded_spec.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace carillon::cli {

struct Occurrence {
  Instant nominal;
  Instant due;
  std::optional<OccurrenceNote> note;
};

/// Which occurrences are asked for.
struct Range {
  enum class Direction { forward, backward };
  Direction direction = Direction::forward;
  Instant from;                  // itself never part of the answer
  std::optional<Instant> until;  // forward: not part of it; backward: the earliest that is
  std::size_t count_max = 0;
};

/// The occurrences in the range, in its direction, with notes about clock changes of the spec's zone and about shifts
/// against the line above on a clock in `display`.
[[nodiscard]] std::vector<Occurrence> occurrences_in(const Range& range, const LoadedSpec& loaded, const Zone& display);

enum class Detail { brief, wide };

/// One numbered line each: local time, UTC beside it, how far away, note. The year shows when one of them is not in
/// the year of `now`, seconds when one of them is not on the minute.
[[nodiscard]] std::string occurrence_lines(const std::vector<Occurrence>& occurrences, const Zone& display, Instant now,
                                           Detail detail, const Paint& paint);

}  // namespace carillon::cli
