#pragma once

#include "base/error.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/statement.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace carillon::sqlite {

/// Queues by number, so that rows need not repeat their names. A number is never given to another queue, and what was
/// once read stays true.
class QueueNames {
 public:
  explicit QueueNames(Connection& connection);

  /// The number of a queue, which it gets now if it has none.
  [[nodiscard]] Result<std::int64_t> number_of(const std::string& name);
  [[nodiscard]] Result<std::optional<std::int64_t>> find(const std::string& name);
  /// Whether that changed anything.
  [[nodiscard]] Result<bool> set_paused(const std::string& name, bool is_paused);
  [[nodiscard]] Result<std::vector<std::int64_t>> paused();
  /// Empty for zero, the queue of what is not queued.
  [[nodiscard]] Result<std::string> name_of(std::int64_t number);

  /// After a transaction was taken back, with the numbers it has given.
  void forget();

 private:
  Connection& connection_;
  Statement find_;
  Statement add_;
  Statement name_;
  Statement set_paused_;
  Statement paused_;
  std::unordered_map<std::string, std::int64_t> numbers_;
  std::unordered_map<std::int64_t, std::string> names_;
};

}  // namespace carillon::sqlite
