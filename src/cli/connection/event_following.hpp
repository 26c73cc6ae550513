#pragma once

#include "cli/connection/poll_backoff.hpp"
#include "client/client.hpp"
#include "client/event_reader.hpp"

#include <functional>
#include <string>

namespace carillon::cli {

struct EventFilter {
  std::string topics{};
  std::string schedule{};
  std::string last_id{};  // go on behind this one; empty: from now on
};

/// Hands over what happens on a server, event by event, until `take` says false. A stream that breaks is gone on with
/// behind the last event. `lost` is told when that begins.
[[nodiscard]] Result<> follow_events(Client& client, EventFilter filter,
                                     const std::function<bool(const ServerEvent&)>& take,
                                     const std::function<void(const Error&)>& lost, PollBackoff& backoff);

}  // namespace carillon::cli
