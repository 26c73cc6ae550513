#include "stores/postgres/connection_pool.hpp"

#include "ports/store_health.hpp"

#include <utility>

namespace carillon::postgres {

Result<ConnectionPool::Lease> ConnectionPool::take() {
  {
    std::unique_lock lock{mutex_};
    if (!is_free_.wait_for(lock, patience_, [this] { return in_use_ < count_max_; })) {
      auto error = fail(ErrorCode::unavailable, "all {} connections to the database are in use", count_max_);
      error.error().rule = rule_of(StoreFailureKind::locked);
      error.error().hint = "the database answers too slowly; look at its load";
      return error;
    }
    ++in_use_;
    if (!idle_.empty()) {
      std::unique_ptr<Connection> connection = std::move(idle_.back());
      idle_.pop_back();
      return Lease{*this, std::move(connection)};
    }
  }
  auto opened = open_();
  if (opened) return Lease{*this, *std::move(opened)};
  const std::scoped_lock lock{mutex_};
  --in_use_;
  is_free_.notify_one();
  return std::unexpected(std::move(opened).error());
}

void ConnectionPool::give_back(std::unique_ptr<Connection> connection) {
  std::vector<std::unique_ptr<Connection>> dropped;
  const std::scoped_lock lock{mutex_};
  --in_use_;
  // One that is gone takes the idle ones along: the server was restarted, and they would fail one after the other.
  if (connection->is_broken())
    dropped = std::exchange(idle_, {});
  else
    idle_.push_back(std::move(connection));
  is_free_.notify_one();
}

}  // namespace carillon::postgres
