#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "ports/lock_store.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/statement.hpp"

#include <optional>
#include <string>

namespace carillon::sqlite {

/// The table `lock`.
class LockRows {
 public:
  explicit LockRows(Connection& connection);

  struct Held {
    std::string token;
    LockRecord lock;
  };
  /// Also if its time is over.
  [[nodiscard]] Result<std::optional<Held>> find(const std::string& name);
  /// Replaces whatever was there, with a new fence.
  [[nodiscard]] Result<LockRecord> put(const LockRequest& request, Instant now);
  [[nodiscard]] Result<> set_until(const std::string& name, Instant until);
  [[nodiscard]] Result<> remove(const std::string& name);
  /// The clock was set by so much.
  [[nodiscard]] Result<> move_by(Duration step);

 private:
  Statement find_;
  Statement next_fence_;
  Statement put_;
  Statement set_until_;
  Statement remove_;
  Statement move_;
};

}  // namespace carillon::sqlite
