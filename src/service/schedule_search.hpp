#pragma once

#include "base/instant.hpp"
#include "definitions/schedule_filter.hpp"
#include "ports/query_store.hpp"
#include "service/refusal.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace carillon {

/// Adds a search (`state:paused label:team=data kind:pipeline tz:Europe/* next:<1h name~report`) to a filter of
/// schedules. Refused as invalid with the position of the fault, and with the qualifiers that are known.
[[nodiscard]] Served<> add_search(std::string_view text, Instant now, ScheduleFilter& filter);

/// A search for runs: `state:failed source:trigger queue:mail schedule:nightly since:24h until:1h`.
struct RunSearch {
  RunFilter filter{};
  std::optional<std::string> schedule{};  // its id
};
[[nodiscard]] Served<> add_search(std::string_view text, Instant now, RunSearch& search);

}  // namespace carillon
