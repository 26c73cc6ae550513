#pragma once

#include "base/instant.hpp"
#include "calendar/zone.hpp"
#include "cli/connection/session.hpp"
#include "client/client.hpp"

#include <boost/json/value.hpp>

#include <optional>

namespace carillon::cli {

/// What of a run is shown while it is waited for.
enum class Shown { log, nothing };

/// How a run is followed.
struct FollowOptions {
  Shown shown = Shown::log;
  const Zone& zone;  // of the times that are told
  std::optional<Duration> timeout{};
};

/// Waits until a run has ended, through all its attempts, and returns its last document. With a timeout it may be one
/// that has not ended. The log goes to standard output; what happens in between goes to standard error: an attempt that
/// failed, at once and with the time of the next one, and what a run waits for that nobody works on.
[[nodiscard]] Result<client::Answer<client::Run>> follow_run(Client& client, const client::Run& run,
                                                             const FollowOptions& options, Session& session);

}  // namespace carillon::cli
