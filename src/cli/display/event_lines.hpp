#pragma once

#include "cli/connection/event_following.hpp"
#include "cli/connection/session.hpp"

#include <cstddef>
#include <optional>

namespace carillon::cli {

/// Prints events as JSON lines until nobody reads them, or after so many.
[[nodiscard]] Result<ExitCode> print_events(Client& client, EventFilter filter, std::optional<std::size_t> count_max,
                                            Session& session);

}  // namespace carillon::cli
