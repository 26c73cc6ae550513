#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/keys.hpp"
#include "ports/command_metadata.hpp"
#include "stores/sqlite/tables.hpp"

#include <optional>
#include <span>

namespace carillon::sqlite {

/// Conflict if the request is known already, or if somebody has dealt with the dead letter. To be asked before anything
/// is written.
[[nodiscard]] Result<> check_attached(Tables& tables, const CommandMetadata& attached, Instant now);

/// Takes the mark of a dead letter from a run. Returns its schedule, or none if the run has no such mark.
[[nodiscard]] Result<std::optional<Uid>> unpark(Tables& tables, Seq run);

/// Writes what belongs to a change that has been written: one of that schedule, with these rows.
[[nodiscard]] Result<> write_attached(Tables& tables, const CommandMetadata& attached, Uid uid,
                                      std::span<const Seq> decisions, Instant now);

}  // namespace carillon::sqlite
