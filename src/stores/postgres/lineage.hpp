#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "stores/postgres/connection.hpp"

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace carillon::postgres {

/// Notices when the database is behind what this process knows: a standby was promoted that had not received
/// everything, or a backup was restored. What was decided and started meanwhile is forgotten there, and would be
/// started again. So nothing goes on, until somebody has looked and starts the servers anew. May be called from several
/// threads.
class Lineage {
 public:
  explicit Lineage(std::string schema) : schema_{std::move(schema)} {}

  /// A row of the feed, which is written with everything else that a transaction writes.
  struct FeedRow {
    std::int64_t id = 0;
    std::int64_t writer = 0;
    Instant at;
  };
  /// It is durable, whoever has written it.
  void see(const FeedRow& row);

  /// Whether the database behind a new connection has the newest row that was seen; an error from then on if it has
  /// not.
  [[nodiscard]] Result<> check(Connection& connection);

 private:
  const std::string schema_;
  std::mutex mutex_;
  // Guarded.
  FeedRow newest_{};
  std::optional<Error> loss_{};
};

}  // namespace carillon::postgres
