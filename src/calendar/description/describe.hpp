#pragma once

#include "base/instant.hpp"
#include "calendar/spec.hpp"
#include "calendar/zone.hpp"

#include <string>

namespace carillon {

/// The spec as one English sentence without final period. The zone stands at the end in brackets unless it is UTC or
/// no rule reads a wall clock: "At 02:30 every day (America/New_York)". The words follow from what the rules mean, so
/// that equal meanings give equal sentences. Fails as parse_cron does when a text cannot be read.
[[nodiscard]] Result<std::string> describe(const Spec& spec);

/// The sentence, and the next clock change that moves an occurrence within a year of `now`:
/// "…; on 2027-03-14 at 03:00 (clock change)". The zone must be the one the spec names.
[[nodiscard]] Result<std::string> describe(const Spec& spec, const Zone& zone, Instant now);

}  // namespace carillon
