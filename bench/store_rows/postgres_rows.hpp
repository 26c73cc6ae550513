#pragma once

#include "postgres_connection.hpp"
#include "rows.hpp"
#include "stand_in.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace carillon::store_rows {

enum class Layout {
  wake_column,  // what we chose: the wake-up in the state row, the ledger row is the run
  wake_table,   // the wake-up in a table of its own
  live_rows,    // a live row for every run until its end is counted
};

/// How servers keep out of each other's way.
struct Share {
  enum class Kind { own_first, mixed } kind = Kind::own_first;
  std::int64_t server_count = 1;
  std::int64_t me = 0;
};

/// Makes the tables of one layout and fills them.
void create_rows(const std::string& where, Layout layout, std::span<const NewSchedule> schedules);

/// The statements on one connection to a PostgreSQL server.
class PostgresRows {
 public:
  PostgresRows(const std::string& where, Layout layout, Share share);

  [[nodiscard]] std::vector<DueState> read_due(std::int64_t count_max);
  [[nodiscard]] CommitOutcome commit(std::span<const Transition> transitions, ClaimFor claim_for);
  [[nodiscard]] std::vector<ClaimResult> claim(std::int64_t session, std::int64_t queue, std::int64_t count_max);
  /// How many were written; the others were refused.
  [[nodiscard]] std::int64_t finish(std::int64_t session, std::span<const Finish> items);
  /// The runs of this session that are to be stopped.
  [[nodiscard]] std::vector<ClaimResult> heartbeat(std::int64_t session, std::span<const ClaimResult> launched);
  /// The open runs of sessions whose lease has ended, as items for finish.
  [[nodiscard]] std::vector<std::pair<std::int64_t, Finish>> lost_runs();

  void set_share(Share share) { share_ = share; }

  // Halves of commit and finish, for interleaving two connections by hand.
  void send_commit(std::span<const Transition> transitions, ClaimFor claim_for);
  void send_finish(std::int64_t session, std::span<const Finish> items);

  void add_worker(std::int64_t session, std::int64_t lease_until);
  void execute(const std::string& sql) { connection_.execute(sql); }
  [[nodiscard]] std::int64_t number(const std::string& query);
  [[nodiscard]] std::int64_t wake_of(std::int64_t uid);
  [[nodiscard]] std::vector<LiveRow> runs_of(std::int64_t uid);
  [[nodiscard]] PostgresConnection& connection() { return connection_; }
  [[nodiscard]] std::int64_t deadlock_count() const { return connection_.deadlock_count(); }

 private:
  PostgresConnection connection_;
  Layout layout_;
  Share share_;
  std::int64_t seq_ = 0;
  std::int64_t seq_end_ = 0;
};

}  // namespace carillon::store_rows
