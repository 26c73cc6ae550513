#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/keys.hpp"
#include "ports/command_metadata.hpp"
#include "stores/sqlite/tables.hpp"

#include <span>

namespace carillon::sqlite {

/// Conflict if the request is known already. To be asked before anything is written.
[[nodiscard]] Result<> refuse_repeated(Tables& tables, const CommandMetadata& attached, Instant now);

/// Writes what belongs to a change that has been written: one of that schedule, with these rows.
[[nodiscard]] Result<> write_attached(Tables& tables, const CommandMetadata& attached, Uid uid,
                                      std::span<const Seq> decisions, Instant now);

}  // namespace carillon::sqlite
