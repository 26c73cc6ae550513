#pragma once

#include "base/instant.hpp"
#include "calendar/spec.hpp"

#include <rapidcheck.h>

#include <iosfwd>
#include <string>
#include <vector>

namespace carillon::oracle {

/// A spec, and a time at which to ask it something.
struct Situation {
  Spec spec;
  Instant creation;
  Instant moment;
};

/// For rapidcheck's reports: the spec as a document, and the times.
void showValue(const Situation& situation, std::ostream& out);

/// Correct specs of every kind in one of the given zones, and moments of 1970–2100, most of them at or near one of that
/// zone's clock changes. Some of the specs can never happen.
[[nodiscard]] rc::Gen<Situation> situations(std::vector<std::string> zone_names);

/// One correct cron text; some can never happen.
[[nodiscard]] rc::Gen<std::string> cron_texts();

}  // namespace carillon::oracle
