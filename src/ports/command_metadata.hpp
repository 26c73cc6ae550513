#pragma once

#include "base/error.hpp"
#include "engine/keys.hpp"
#include "ports/audit_log.hpp"
#include "ports/idempotency_store.hpp"

#include <expected>
#include <optional>
#include <string_view>

namespace carillon {

/// The rule of the error that says that somebody has dealt with a dead letter already.
inline constexpr std::string_view dealt_with = "dealt-with";

/// Written together with a user's change, in the same transaction; if the change is refused, neither is written. A
/// request that was carried out before is not carried out again: the call fails with an error conflict whose rule is
/// `repeated_request`. A change that is the retry of a dead letter takes the mark from that run, as `RunQueue::unpark`
/// does; if the run has none any more, the call fails with an error conflict whose rule is `dealt_with`.
struct CommandMetadata {
  std::optional<AuditEntry> audit{};
  std::optional<IdempotencyKey> request{};
  std::optional<Seq> dead_letter{};  // the run that is retried
};

/// The two errors.
[[nodiscard]] inline std::unexpected<Error> already_carried_out() {
  auto error = fail(ErrorCode::conflict, "this request was already carried out");
  error.error().rule = repeated_request;
  return error;
}
[[nodiscard]] inline std::unexpected<Error> already_dealt_with() {
  auto error = fail(ErrorCode::conflict, "the run is no dead letter any more: it was retried or discarded");
  error.error().rule = dealt_with;
  return error;
}

}  // namespace carillon
