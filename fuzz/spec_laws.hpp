#pragma once

#include "calendar/description/describe.hpp"
#include "calendar/lint/lint.hpp"
#include "calendar/spec_document.hpp"
#include "timetable_laws.hpp"

#include <boost/json/value.hpp>

namespace carillon::fuzz {

/// A document is refused with a reason for each fault, or read, written and read again as the same spec, which then
/// keeps the laws of timetables.
inline void check_spec_document(const boost::json::value& document) {
  static const ZonePtr zone = testing::new_york();
  static const Instant now = testing::at("2026-10-30T12:34:56Z");

  const Checked<Spec> spec = read_spec(document);
  if (!spec) {
    CARILLON_ASSERT(!spec.error().empty() && !spec.error().front().message.empty());
    return;
  }
  const boost::json::object written = write_spec(*spec);
  CARILLON_ASSERT(read_spec(written) == *spec);
  const auto timetable = Timetable::make(*spec, zone, now);
  CARILLON_ASSERT(timetable.has_value());
  check_laws(*timetable, now);
  CARILLON_ASSERT(!describe(*spec).value().empty());
  (void)lint(*spec, zone, now);
}

}  // namespace carillon::fuzz
