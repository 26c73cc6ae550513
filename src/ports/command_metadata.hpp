#pragma once

#include "ports/audit_log.hpp"
#include "ports/idempotency_store.hpp"

#include <optional>

namespace carillon {

/// What is written with a user's change, in the same transaction, if the change is written at all. A request that is
/// known already is not carried out again: the call is refused with a conflict whose rule is `repeated_request`.
struct CommandMetadata {
  std::optional<AuditEntry> audit{};
  std::optional<IdempotencyKey> request{};
};

}  // namespace carillon
