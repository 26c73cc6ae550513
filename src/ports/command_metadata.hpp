#pragma once

#include "ports/audit_log.hpp"
#include "ports/idempotency_store.hpp"

#include <optional>

namespace carillon {

/// Written together with a user's change, in the same transaction; if the change is refused, neither is written. A
/// request that was carried out before is not carried out again: the call fails with an error conflict whose rule is
/// `repeated_request`.
struct CommandMetadata {
  std::optional<AuditEntry> audit{};
  std::optional<IdempotencyKey> request{};
};

}  // namespace carillon
