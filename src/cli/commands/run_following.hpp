#pragma once

#include "cli/connection/session.hpp"
#include "client/client.hpp"

#include <boost/json/value.hpp>

#include <optional>

namespace carillon::cli {

/// What of a run is shown while it is waited for.
enum class Shown { log, nothing };

/// Waits until a run has ended, through all its attempts, and returns its last document. With a timeout it may be one
/// that has not ended. The log goes to standard output, what happens in between to standard error.
[[nodiscard]] Result<client::Answer<client::Run>> follow_run(Client& client, const client::Run& run, Session& session,
                                                             Shown shown, std::optional<Duration> timeout);

}  // namespace carillon::cli
