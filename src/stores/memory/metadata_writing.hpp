#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/keys.hpp"
#include "ports/command_metadata.hpp"
#include "stores/memory/tables.hpp"

#include <span>
#include <string>

namespace carillon::memory {

/// A request that is remembered; null if there is none.
[[nodiscard]] IdempotencyRecord* find_request(Tables& tables, const std::string& key, Instant now);

/// Conflict if the request is known already, or if somebody has dealt with the dead letter. To be asked before anything
/// is written.
[[nodiscard]] Result<> check_attached(Tables& tables, const CommandMetadata& attached, Instant now);

/// Writes what belongs to a change that has been written: one of that schedule, with these rows.
void write_attached(Tables& tables, const CommandMetadata& attached, Uid uid, std::span<const Seq> decisions,
                    Instant now);

void remember(Tables& tables, const std::string& key, IdempotencyRecord record);
void append_audit(Tables& tables, const AuditEntry& entry, Instant now);

}  // namespace carillon::memory
