#pragma once

#include "base/instant.hpp"
#include "cli/connection/session.hpp"
#include "client/types/schedule_types.hpp"

#include <optional>
#include <string>

namespace carillon::cli {

/// What the next clock change does to an active schedule, if it comes within a week and does anything.
struct ClockNotice {
  std::string day;   // `Sun`, in the zone of the schedule
  std::string text;  // a sentence
};

[[nodiscard]] std::optional<ClockNotice> clock_notice(const client::Schedule& schedule, Session& session);

}  // namespace carillon::cli
