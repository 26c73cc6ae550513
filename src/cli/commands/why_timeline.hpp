#pragma once

#include "base/instant.hpp"
#include "calendar/zone.hpp"
#include "cli/connection/session.hpp"
#include "client/client.hpp"

#include <string>

namespace carillon::cli {

/// Whether the schedule, as it is now, keeps a time that is still to come from starting.
[[nodiscard]] bool holds_back(const client::Schedule& schedule, Instant at);

/// What led to a decision and what came of it, a line each in the order of time: what people did to the schedule, runs
/// that were active, its own attempts. `why` is the server's answer, `run` the run it is about or null. Other runs that
/// cannot be read are left out.
[[nodiscard]] std::string why_timeline(Client& client, const client::Schedule& schedule, const client::Why& why,
                                       const client::Run* run, Instant at, const Zone& zone, Session& session);

}  // namespace carillon::cli
