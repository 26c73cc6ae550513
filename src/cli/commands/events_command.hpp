#pragma once

#include "cli/command_line/session.hpp"
#include "cli/connection/event_feed.hpp"

#include <cstddef>
#include <optional>

namespace carillon {

/// Prints events as JSON lines until nobody reads them, or after so many.
[[nodiscard]] Result<ExitCode> print_events(Client& client, EventFilter filter, std::optional<std::size_t> count_max,
                                            Session& session);

}  // namespace carillon
