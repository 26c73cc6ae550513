#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/keys.hpp"
#include "ports/run_queue.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/statement.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carillon::sqlite {

/// A session that is not over.
struct StoredSession {
  SessionId id{};
  Duration lease{};
  Instant lease_until;
};

/// Sessions, and what they are asked to stop. Rows of sessions that are over stay: attempts name their worker by them.
class SessionRows {
 public:
  explicit SessionRows(Connection& connection);

  /// To be called before anything else at a new moment: sessions whose lease has ended by now are over, for good.
  [[nodiscard]] Result<> advance(Instant now);

  /// Ends those of a server that is gone, which have runs of its own queues; workers elsewhere live on.
  [[nodiscard]] Result<> end_own(Instant now);

  [[nodiscard]] Result<> open(SessionId id, const std::string& worker, Duration lease, Instant now);
  /// None if it is over, or would be if somebody had looked.
  [[nodiscard]] Result<std::optional<StoredSession>> find(SessionId id, Instant now);
  [[nodiscard]] Result<> renew(StoredSession& session, Instant now);
  [[nodiscard]] Result<> close(SessionId id);

  /// Sessions that are over and may still have runs, oldest first.
  [[nodiscard]] Result<std::vector<SessionId>> lost();
  /// It has none any more.
  [[nodiscard]] Result<> settle(SessionId id);

  [[nodiscard]] Result<> ask_to_stop(SessionId session, Seq run);
  [[nodiscard]] Result<> forget_stop(SessionId session, Seq run);
  [[nodiscard]] Result<std::vector<StopRequest>> stops(SessionId session);

 private:
  Statement has_ended_;
  Statement advance_;
  Statement end_own_;
  Statement open_;
  Statement find_;
  Statement renew_;
  Statement set_phase_;
  Statement lost_;
  Statement add_stop_;
  Statement drop_stop_;
  Statement stops_;
};

}  // namespace carillon::sqlite
