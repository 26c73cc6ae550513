#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "ports/run_queue.hpp"
#include "stores/postgres/transaction.hpp"
#include "stores/postgres/write_set.hpp"

#include <optional>
#include <vector>

namespace carillon::postgres {

/// A session that is not over.
struct StoredSession {
  SessionId id{};
  Duration lease{};
  Instant lease_until;
};

/// Locks a session against being ended while it claims, and reads it.
inline constexpr const char* session_query =
    "SELECT id, lease, lease_until FROM session WHERE id = $1 AND phase = 0 FOR KEY SHARE";
[[nodiscard]] std::optional<StoredSession> read_session(const ResultRows& rows, Instant time);

/// Gives a session the runs that come first, of those that wait in the database and those of `set`. Waits for nobody:
/// what another transaction holds is left to it. A second round trip takes the numbers of the attempts.
[[nodiscard]] Result<std::vector<ClaimedRun>> claim_runs(Transaction& transaction, WriteSet& set,
                                                         const ClaimRequest& request, const StoredSession& session,
                                                         const ResultRows& paused);
inline constexpr const char* paused_query = "SELECT name FROM queue WHERE is_paused";

/// Runs with what their last success has left.
[[nodiscard]] Result<std::vector<ClaimedRun>> claimed_runs(Transaction& transaction,
                                                           const std::vector<const StoredRun*>& runs,
                                                           const StoredSession& session);

}  // namespace carillon::postgres
