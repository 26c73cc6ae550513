#pragma once

#include "base/error.hpp"
#include "engine/lane.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/statement.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace carillon::sqlite {

/// Lanes of queues by number, so that rows need not repeat their names. A number is never given to another lane, and
/// what was once read stays true. A queue itself is the lane that has its name alone.
class QueueNames {
 public:
  explicit QueueNames(Connection& connection);

  /// The number of a queue, which it gets now if it has none.
  [[nodiscard]] Result<std::int64_t> number_of(const std::string& name);
  [[nodiscard]] Result<std::optional<std::int64_t>> find(const std::string& name);
  /// Whether that changed anything.
  [[nodiscard]] Result<bool> set_paused(const std::string& name, bool is_paused);
  /// The names of the paused queues.
  [[nodiscard]] Result<std::vector<std::string>> paused();
  /// Whether that changed anything.
  [[nodiscard]] Result<bool> set_limit(const std::string& name, std::optional<std::int64_t> limit);
  [[nodiscard]] Result<bool> keep_failed(const std::string& name, bool is_kept);
  /// Limits of queues, without what runs.
  [[nodiscard]] Result<ConcurrencyRoom> limits();
  /// Whether the queue of a lane has a limit, or the lane itself.
  [[nodiscard]] Result<bool> is_limited(std::int64_t lane);
  /// Whether the queue of a lane keeps failed runs as dead letters.
  [[nodiscard]] Result<bool> keeps_failed(std::int64_t lane);
  /// All lanes of a queue.
  [[nodiscard]] Result<std::vector<std::int64_t>> lanes_of(const std::string& queue);
  /// Empty for zero, the queue of what is not queued.
  [[nodiscard]] Result<std::string> name_of(std::int64_t number);

  /// After a transaction was taken back, with the numbers it has given.
  void forget();

 private:
  void forget_limits();

  Connection& connection_;
  Statement find_;
  Statement add_;
  Statement name_;
  Statement set_paused_;
  Statement paused_;
  Statement set_limit_;
  Statement keep_failed_;
  Statement limits_;
  Statement keeping_;
  Statement all_;
  std::optional<ConcurrencyRoom> known_limits_;
  std::unordered_map<std::int64_t, bool> known_limited_;  // answers that follow from `known_limits_`
  std::optional<std::set<std::string>> known_keeping_;
  std::unordered_map<std::string, std::int64_t> numbers_;
  std::unordered_map<std::int64_t, std::string> names_;
};

}  // namespace carillon::sqlite
