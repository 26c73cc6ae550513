#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "ports/idempotency_store.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/statement.hpp"

#include <optional>
#include <string>

namespace carillon::sqlite {

/// Requests by the keys that their callers gave them, for a day.
class IdempotencyRows {
 public:
  explicit IdempotencyRows(Connection& connection);

  [[nodiscard]] Result<std::optional<IdempotencyRecord>> find(const std::string& key, Instant now);
  /// Also forgets a few that are older than a day.
  [[nodiscard]] Result<> put(const std::string& key, const IdempotencyRecord& record);
  /// Forgets all that is older than requests are remembered.
  [[nodiscard]] Result<> forget_old(Instant now);
  [[nodiscard]] Result<> set_answer(const std::string& key, const std::string& answer);

 private:
  Connection& connection_;
  Statement find_;
  Statement put_;
  Statement set_answer_;
  Statement forget_;
};

}  // namespace carillon::sqlite
