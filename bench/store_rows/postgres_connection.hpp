#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct pg_conn;
struct pg_result;

namespace carillon::store_rows {

/// The parameters of one call, in PostgreSQL's binary form.
class Parameters {
 public:
  Parameters& number(std::int64_t value);
  Parameters& numbers(const std::vector<std::int64_t>& values);
  Parameters& optional_numbers(const std::vector<std::optional<std::int64_t>>& values);
  Parameters& byte_strings(const std::vector<std::string>& values);

  [[nodiscard]] const std::vector<std::string>& values() const { return values_; }

 private:
  std::vector<std::string> values_;
};

/// The rows of an answer; all columns are int8 or bytea, in binary form.
class Answer {
 public:
  explicit Answer(pg_result* result);

  [[nodiscard]] int row_count() const;
  [[nodiscard]] bool is_null(int row, int column) const;
  [[nodiscard]] std::int64_t number(int row, int column) const;
  [[nodiscard]] std::string bytes(int row, int column) const;
  /// SQLSTATE; empty when all went well.
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
  std::string failure_;
};

/// A libpq connection in pipeline mode. A call is one round trip and, outside begin and end, one transaction.
class PostgresConnection {
 public:
  explicit PostgresConnection(const std::string& where);

  /// Runs text that may hold several statements.
  void execute(const std::string& sql);
  void prepare(const std::string& name, const std::string& sql);
  [[nodiscard]] Answer call(const std::string& name, const Parameters& parameters);

  /// Adds a statement to the next call: same round trip, same transaction, before it and with a snapshot of its own.
  void send_ahead(const std::string& name, const Parameters& parameters);

  // Halves of a call, for watching one connection wait for another.
  void send(const std::string& name, const Parameters& parameters);
  /// The answer to the last statement, or to the first that failed.
  [[nodiscard]] Answer receive();
  [[nodiscard]] bool is_busy_for(std::int64_t milliseconds);

  [[nodiscard]] int backend() const;
  /// Calls that were undone because of a deadlock, whoever made them.
  [[nodiscard]] std::int64_t deadlock_count() const { return deadlock_count_; }

 private:
  struct Close {
    void operator()(pg_conn* connection) const;
  };
  void set_pipeline(bool is_on);
  std::unique_ptr<pg_conn, Close> connection_;
  std::int64_t deadlock_count_ = 0;
};

}  // namespace carillon::store_rows
