#pragma once

#include "base/instant.hpp"
#include "calendar/spec.hpp"
#include "calendar/zone.hpp"
#include "calendar/zone_names.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

enum class Severity { warning, error };

/// Something in a spec that is legal and probably not meant, or never happens.
struct Finding {
  std::string_view code;  // `dom-dow-or`, …: the words of the reference
  Severity severity = Severity::warning;
  std::string message;
  std::string fix;            // what to write instead; may be empty
  std::optional<Instant> at;  // the next instant that is affected, for the clock-change codes
  std::string pointer;        // into the spec's document: `/cron/0`
};

/// All findings, in the order of the spec. `now` says which clock changes come next. Texts that cannot be read are not
/// findings: parse first.
[[nodiscard]] std::vector<Finding> lint(const Spec& spec, const ZonePtr& zone, Instant now);

/// Also whether the zone has an old name.
[[nodiscard]] std::vector<Finding> lint(const Spec& spec, const ZonePtr& zone, const ZoneNames& names, Instant now);

}  // namespace carillon
