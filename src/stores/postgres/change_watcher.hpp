#pragma once

#include "ports/notifier.hpp"
#include "stores/postgres/connection.hpp"
#include "stores/postgres/lineage.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

namespace carillon::postgres {

/// Tells this process of what others write, and others of what this process writes. It listens on a connection of its
/// own and looks by itself all the same: once a second where a pooler may stand between, which notifications do not
/// pass, and every five seconds where none does.
/// What this process writes is told to the others after it is durable, at most every few milliseconds, so that commits
/// do not queue up behind notifications.
class ChangeWatcher {
 public:
  using Opener = std::function<Result<std::unique_ptr<Connection>>()>;
  struct Options {
    std::string schema;
    std::int64_t writer = 0;  // who this process is in the rows of the feed
    std::chrono::milliseconds poll_time{1'000};
    std::chrono::milliseconds listening_poll_time{5'000};
  };
  /// `see` hears of the newest row of the feed.
  ChangeWatcher(Opener open, Options options, std::function<void(const StoreChange&)> tell,
                std::function<void(const Lineage::FeedRow&)> see);
  ~ChangeWatcher();
  ChangeWatcher(const ChangeWatcher&) = delete;
  ChangeWatcher& operator=(const ChangeWatcher&) = delete;

  /// This process has written something.
  void note_own(const StoreChange& change);

  /// Whether notifications arrive, as far as is known. From any thread.
  [[nodiscard]] bool is_listening() const { return is_listening_; }

 private:
  void run(const std::stop_token& stop);
  [[nodiscard]] Result<> watch_with(Connection& connection, const std::stop_token& stop);
  [[nodiscard]] Result<bool> look(Connection& connection);
  [[nodiscard]] Result<> tell_others(Connection& connection);
  void wait_without(const std::stop_token& stop);
  [[nodiscard]] std::chrono::milliseconds poll_time() const {
    return is_listening_ ? options_.listening_poll_time : options_.poll_time;
  }

  Opener open_;
  Options options_;
  std::function<void(const StoreChange&)> tell_;
  std::function<void(const Lineage::FeedRow&)> see_;
  std::atomic<bool> has_own_ = false;
  std::atomic<bool> is_listening_ = false;
  std::int64_t seen_ = 0;  // up to which row of the feed
  int wake_descriptor_;
  std::jthread thread_;
};

}  // namespace carillon::postgres
