#pragma once

#include "base/error.hpp"
#include "stores/postgres/connection.hpp"

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace carillon::postgres {

/// Connections that are open and not in use, at most so many in all. May be called from several threads; who finds none
/// waits, for a while.
class ConnectionPool {
 public:
  using Opener = std::function<Result<std::unique_ptr<Connection>>()>;
  ConnectionPool(Opener open, std::size_t count_max, std::chrono::milliseconds patience)
      : open_{std::move(open)}, count_max_{count_max}, patience_{patience} {}

  /// Is given back when it goes.
  class Lease {
   public:
    Lease(ConnectionPool& pool, std::unique_ptr<Connection> connection)
        : pool_{&pool}, connection_{std::move(connection)} {}
    Lease(Lease&&) = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (connection_) pool_->give_back(std::move(connection_));
    }
    Connection& operator*() { return *connection_; }
    Connection* operator->() { return connection_.get(); }

   private:
    ConnectionPool* pool_;
    std::unique_ptr<Connection> connection_;
  };
  [[nodiscard]] Result<Lease> take();

 private:
  void give_back(std::unique_ptr<Connection> connection);

  Opener open_;
  const std::size_t count_max_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable is_free_;
  std::vector<std::unique_ptr<Connection>> idle_;
  std::size_t in_use_ = 0;
};

}  // namespace carillon::postgres
