#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "ports/run_queue.hpp"
#include "stores/postgres/transaction.hpp"
#include "stores/postgres/write_set.hpp"

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
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

/// Sends what must be known of the queues of a claim; two answers.
void send_queue_questions(Transaction& transaction, std::span<const std::string> queues);

/// The queues of a claim, as they were asked for.
class ClaimQueues {
 public:
  ClaimQueues(std::span<const std::string> queues, const WorkerSkills& skills, const ResultRows& rules,
              const ResultRows& lanes);

  /// Whether runs of a lane may be handed out, as far as limits allow it.
  [[nodiscard]] bool is_open(std::string_view lane) const;
  /// Those of them that have waiting runs, or may have.
  [[nodiscard]] const std::set<std::string>& open_lanes() const { return open_lanes_; }
  /// Without what runs.
  [[nodiscard]] const ConcurrencyRoom& limits() const { return limits_; }

 private:
  LaneFilter filter_;
  std::set<std::string> paused_;
  ConcurrencyRoom limits_;
  std::set<std::string> open_lanes_;
};

/// Gives a session the runs that come first, of those that wait in the database and those of `set`. Waits for nobody
/// but for another claim from a queue with limits: what another transaction holds is left to it. More round trips take
/// the numbers of the attempts and, where there are limits, count what runs.
[[nodiscard]] Result<std::vector<ClaimedRun>> claim_runs(Transaction& transaction, WriteSet& set,
                                                         const ClaimRequest& request, const StoredSession& session,
                                                         const ClaimQueues& queues);

/// Runs with what their last success has left.
[[nodiscard]] Result<std::vector<ClaimedRun>> claimed_runs(Transaction& transaction,
                                                           const std::vector<const StoredRun*>& runs,
                                                           const StoredSession& session, Instant now);

}  // namespace carillon::postgres
