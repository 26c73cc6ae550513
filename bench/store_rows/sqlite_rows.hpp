#pragma once

#include "rows.hpp"
#include "stand_in.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace carillon::store_rows {

/// What tells read_due how a schedule's runs are.
enum class Live {
  in_ledger,      // the ledger row is the run; the state names one uncounted run, `live` lists any others
  without_index,  // the same without the index that finds a worker's runs (what the index costs)
  until_counted,  // a row for every run from its start until a decision has counted its end
  until_ended,    // a row for every run while it is open; nothing counts the end (what counting costs)
};

/// The statements on an SQLite file: WAL, synchronous=FULL, one writer.
class SqliteRows {
 public:
  SqliteRows(const std::string& path, Live live);
  ~SqliteRows();

  void populate(std::span<const NewSchedule> schedules);

  [[nodiscard]] std::vector<DueState> read_due(std::int64_t count_max);
  [[nodiscard]] CommitOutcome commit(std::span<const Transition> transitions, ClaimFor claim_for);
  [[nodiscard]] std::vector<ClaimResult> claim(std::int64_t session, std::int64_t queue, std::int64_t count_max);
  /// How many were written; the others were refused.
  [[nodiscard]] std::int64_t finish(std::int64_t session, std::span<const Finish> items);
  /// The runs of this session that are to be stopped.
  [[nodiscard]] std::vector<ClaimResult> heartbeat(std::int64_t session, std::span<const ClaimResult> launched);
  /// The open runs of sessions whose lease has ended, as items for finish.
  [[nodiscard]] std::vector<std::pair<std::int64_t, Finish>> lost_runs();

  void add_worker(std::int64_t session, std::int64_t lease_until);
  void execute(const std::string& sql);
  [[nodiscard]] std::int64_t number(const std::string& query);
  [[nodiscard]] std::int64_t wake_of(std::int64_t uid);
  [[nodiscard]] std::vector<LiveRow> runs_of(std::int64_t uid);
  /// Pages given to the write-ahead log so far.
  [[nodiscard]] std::int64_t page_writes() const;

 private:
  struct Statements;
  [[nodiscard]] bool has_lease(std::int64_t session, std::int64_t now);
  [[nodiscard]] bool commit_one(const Transition& item, std::int64_t now, ClaimFor& claim_for, CommitOutcome& outcome);
  std::int64_t add_run(const Transition& item, const LedgerRow& row, std::int64_t previous, std::int64_t now,
                       ClaimFor& claim_for, CommitOutcome& outcome);
  [[nodiscard]] bool has_live_rows() const { return live_ == Live::until_counted || live_ == Live::until_ended; }
  void add_more_runs(DueState& state);
  void release(std::int64_t uid, std::int64_t seq, std::int64_t now);
  void cancel(std::int64_t uid, std::int64_t seq, std::int64_t now);
  void wake_now(std::int64_t uid, std::int64_t now);

  Live live_;
  std::int64_t seq_ = 0;
  std::unique_ptr<Statements> to_;
};

}  // namespace carillon::store_rows
