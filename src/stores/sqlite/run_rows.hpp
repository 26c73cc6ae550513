#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/keys.hpp"
#include "engine/transition.hpp"
#include "ports/run_queue.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/queue_names.hpp"
#include "stores/sqlite/shared_rows.hpp"
#include "stores/sqlite/statement.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carillon::sqlite {

class RunRows {
 public:
  RunRows(Connection& connection, QueueNames& queues);

  /// A new row; `previous` is the decision of its schedule before it.
  [[nodiscard]] Result<> insert(const StoredRun& run, Seq previous);

  /// A row that has a run or waits for one.
  [[nodiscard]] Result<std::optional<StoredRun>> find(Seq seq);
  /// Any row, also a skip.
  [[nodiscard]] Result<std::optional<StoredRun>> find_decision(Seq seq);
  /// As `find`, without what only those who perform it need: its texts, and what it is for.
  [[nodiscard]] Result<std::optional<StoredRun>> find_briefly(Seq seq);
  /// The same of a run that a worker has, with no more than decides what becomes of it; none if no worker has it.
  [[nodiscard]] Result<std::optional<StoredRun>> find_running(Seq seq);
  /// What a session has.
  [[nodiscard]] Result<std::vector<StoredRun>> held_by(SessionId session, std::size_t count_max);

  /// Writes what happens to a run, or to the decision it hangs on.
  [[nodiscard]] Result<> save_run(const StoredRun& run);
  [[nodiscard]] Result<> save_decision(const StoredRun& run);

  /// Whether it is a run of that schedule that has not ended.
  [[nodiscard]] Result<bool> is_open(Uid uid, Seq seq);

  /// Takes the name of a job, which must be free.
  [[nodiscard]] Result<> add_job_name(const std::string& name, Seq seq);

  [[nodiscard]] Result<> set_result(Seq seq, const std::string& result);
  [[nodiscard]] Result<std::optional<std::string>> result(Seq seq);
  /// How the last attempt of a run ended; none: nothing is known of it any more.
  [[nodiscard]] Result<std::optional<PastFailure>> failure(Seq seq);

 private:
  [[nodiscard]] Result<std::optional<StoredRun>> first_of(Cursor row);
  [[nodiscard]] Result<> read_run(const Cursor& row, StoredRun& run);
  [[nodiscard]] Result<> add_extra(StoredRun& run);

  Connection& connection_;
  QueueNames& queues_;
  Statement insert_;
  Statement insert_extra_;
  Statement find_;
  Statement find_decision_;
  Statement find_briefly_;
  Statement find_running_;
  Statement held_;
  Statement extra_;
  Statement save_run_;
  Statement save_decision_;
  Statement is_open_;
  Statement add_job_name_;
  Statement set_result_;
  Statement result_;
  Statement failure_;
};

}  // namespace carillon::sqlite
