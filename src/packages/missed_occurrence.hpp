#pragma once

#include "base/instant.hpp"
#include "engine/definition.hpp"

#include <optional>

namespace carillon::packages {

/// The occurrence that is made up for at `now` when nothing was decided from `since` on: the newest one, if the
/// schedule's catch-up policy wants it and it is not too late. None if nothing came due.
[[nodiscard]] std::optional<Instant> missed_occurrence(const Definition& definition, Instant since, Instant now);

}  // namespace carillon::packages
