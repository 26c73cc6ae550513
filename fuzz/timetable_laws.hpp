#pragma once

#include "base/assertion.hpp"
#include "base/instant.hpp"
#include "calendar/timetable.hpp"
#include "support/test_zones.hpp"

namespace carillon::fuzz {

/// What every timetable keeps, checked from one instant: next goes forward, previous is its mirror, count agrees.
inline void check_laws(const Timetable& timetable, Instant from) {
  const auto first = timetable.next(from);
  if (!first) return;
  CARILLON_ASSERT(*first > from);
  const auto second = timetable.next(*first);
  CARILLON_ASSERT(!second || *second > *first);
  CARILLON_ASSERT(!second || timetable.previous(*second) == *first);
  CARILLON_ASSERT(timetable.previous(*first + Duration{1}) == *first);
  CARILLON_ASSERT(timetable.count(from + Duration{1}, *first + Duration{1}) == 1);
}

}  // namespace carillon::fuzz
