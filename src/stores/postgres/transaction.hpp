#pragma once

#include "base/error.hpp"
#include "stores/postgres/connection.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace carillon::postgres {

/// What every transaction begins with.
struct TransactionSettings {
  std::string schema;
  TimeLimits limits{};
};

/// One transaction. Its beginning goes with the first statements, its end with the last: a call takes as many round
/// trips as it has to wait for answers. What is not committed is rolled back.
class Transaction {
 public:
  enum class Kind {
    read,   // everything at one moment
    write,  // statements see what was committed before each of them
  };
  Transaction(Connection& connection, Kind kind, const TransactionSettings& settings);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  void send(const std::string& sql, const Parameters& parameters = Parameters{});
  /// The answers to what was sent since the last time.
  [[nodiscard]] Result<std::vector<ResultRows>> collect();
  /// Sends one statement behind those that wait, and returns its answer.
  [[nodiscard]] Result<ResultRows> query(const std::string& sql, const Parameters& parameters = Parameters{});
  /// The same, and the transaction ends; `corrupt` and nothing is written if a row had a value that cannot be.
  [[nodiscard]] Result<std::vector<ResultRows>> commit();

  /// Whether the database may have been asked to commit: then an error leaves open whether it did.
  [[nodiscard]] bool is_commit_sent() const { return is_commit_sent_; }

 private:
  [[nodiscard]] Result<> check_rows() const;
  void roll_back();

  Connection& connection_;
  std::size_t skipped_ = 0;  // answers that are ours: to the beginning
  bool is_commit_sent_ = false;
  bool is_over_ = false;
  std::vector<std::shared_ptr<bool>> marks_;
};

}  // namespace carillon::postgres
