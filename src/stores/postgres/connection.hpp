#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "stores/postgres/parameters.hpp"
#include "stores/postgres/result_rows.hpp"
#include "stores/postgres/store_url.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct pg_conn;
struct pg_result;

namespace carillon::postgres {

/// How long things may take. What is held on the server is free again after these times whatever becomes of the client.
struct TimeLimits {
  std::chrono::milliseconds connect{5'000};
  std::chrono::milliseconds statement{30'000};
  std::chrono::milliseconds lock{10'000};
  std::chrono::milliseconds idle_in_transaction{10'000};
  std::chrono::milliseconds peer{20'000};  // for which bytes may stay unacknowledged, on either side
};

/// A connection to the database. Statements are queued and go together (`collect`): one round trip for all
/// of them. Nothing of a session is relied on between two transactions, so that a transaction pooler may stand between.
/// One thread at a time.
class Connection {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Connection>> open(const StoreUrl& url, const TimeLimits& limits);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  void send(const std::string& sql, const Parameters& parameters = Parameters{});
  /// The answers to all that was sent, in order; or the first error, after which the rest was not carried out.
  [[nodiscard]] Result<std::vector<ResultRows>> collect();

  /// It can be used no longer: open another.
  [[nodiscard]] bool is_broken() const;
  /// The five letters that tell what the last error was; empty if the connection failed.
  [[nodiscard]] const std::string& sql_state() const { return sql_state_; }
  /// The database and the user, without secrets.
  [[nodiscard]] const std::string& description() const { return description_; }

  /// Whether nothing stands between that deals out connections of its own: a pooler does not know the number of the
  /// process that serves us, and gives one it has made up.
  [[nodiscard]] Result<bool> is_direct();

  /// For who listens: waits until something arrives, a descriptor can be read, or the time is over. Returns whether
  /// notifications have arrived that say something else than `own`; all are dropped.
  [[nodiscard]] Result<bool> wait_for_notification(int wake_descriptor, std::chrono::milliseconds time,
                                                   std::string_view own);

 private:
  Connection(pg_conn* handle, std::string description, const TimeLimits& limits);
  [[nodiscard]] bool wait_for_answer();
  [[nodiscard]] pg_result* next_result();
  [[nodiscard]] Error error_of(const pg_result* result);
  [[nodiscard]] Error lost();

  pg_conn* handle_;
  std::string description_;
  TimeLimits limits_;
  std::size_t sent_count_ = 0;
  bool has_failed_to_send_ = false;
  bool is_cut_ = false;
  std::string sql_state_;
};

}  // namespace carillon::postgres
