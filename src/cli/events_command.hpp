#pragma once

#include "cli/event_feed.hpp"
#include "cli/session.hpp"

#include <cstddef>
#include <optional>

namespace carillon {

/// Prints events as JSON lines until nobody reads them, or after so many.
[[nodiscard]] Result<ExitCode> print_events(Client& client, EventFilter filter, std::optional<std::size_t> count_max,
                                            Session& session);

}  // namespace carillon
