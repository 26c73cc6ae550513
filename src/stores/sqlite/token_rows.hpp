#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "ports/token_store.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/statement.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carillon::sqlite {

class TokenRows {
 public:
  explicit TokenRows(Connection& connection);

  /// Conflict if the id exists.
  [[nodiscard]] Result<> add(const StoredToken& token);
  [[nodiscard]] Result<std::optional<StoredToken>> find(const std::string& id);
  /// Oldest first.
  [[nodiscard]] Result<std::vector<StoredToken>> all();
  [[nodiscard]] Result<> set_revoked(const std::string& id, Instant at);

 private:
  Connection& connection_;
  Statement insert_;
  Statement find_;
  Statement all_;
  Statement revoke_;
};

}  // namespace carillon::sqlite
