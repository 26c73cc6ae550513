#pragma once

#include "api/temporal/errors.hpp"
#include "api/temporal/messages.hpp"
#include "base/instant.hpp"
#include "calendar/spec.hpp"

#include <boost/json/object.hpp>

namespace carillon::temporal {

/// The form in which Temporal keeps a spec and gives it back: texts compiled to ranges, intervals and a zone, ranges
/// filled in. Refuses what Temporal refuses, in its words; compiling twice changes nothing.
[[nodiscard]] Outcome<schedule_pb::ScheduleSpec> compile_spec(const schedule_pb::ScheduleSpec& spec);

/// What a compiled spec is as a part of our document. Calendars that can never match are left out, since with us they
/// are errors.
[[nodiscard]] boost::json::object spec_document(const schedule_pb::ScheduleSpec& compiled);

/// A spec of ours, as near as Temporal's form comes: crons as they were written, intervals counted from the epoch.
/// Single times have no place in it. `creation` is that of the schedule.
[[nodiscard]] schedule_pb::ScheduleSpec spec_message(const Spec& spec, Instant creation);

}  // namespace carillon::temporal
