#pragma once

#include "base/error.hpp"
#include "base/loop_monitor.hpp"
#include "ports/notifier.hpp"
#include "stores/sqlite/tables.hpp"

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace carillon::sqlite {

/// Who comes first among those who wait.
enum class Lane {
  user,  // of a user
  due,
  worker,
  housekeeping,
};

/// The one writer. Whoever finds it idle leads: begins a transaction, does what is waiting, his own and that of others,
/// makes it durable at once and answers all of them; then somebody who came meanwhile leads. A caller who is alone
/// meets no other thread.
class WriteQueue {
 public:
  using Open = std::function<Result<std::unique_ptr<Tables>>()>;
  /// Runs inside a transaction, once. If it fails, what it has done is taken back, and nothing else.
  using Work = std::function<Result<>(Tables&)>;

  /// `open` is called again after a fault of the disk.
  WriteQueue(Open open, std::unique_ptr<Tables> tables);

  /// Returns when the work is durable, or known not to have been done.
  [[nodiscard]] Result<> run(Lane lane, const Work& work);

  /// Nothing is written while `work` lasts.
  void run_alone(const std::function<void()>& work);

  /// Lets `work` read with the writer's connection, whose pages are at hand, if it is idle: tells whether.
  [[nodiscard]] bool try_read(const std::function<Result<>(Tables&)>& work, Result<>& outcome);

  /// Whoever writes is watched, as `store-writer`.
  void watch(LoopMonitor& loops);

  /// How much work waits, without what is being done.
  [[nodiscard]] std::size_t waiting_count();

  /// Asked before every transaction; its error is that of everything that waits, and the file is not touched. To be set
  /// before anything is written.
  std::function<Result<>()> may_write;
  /// Called after a change that somebody may be waiting for has become durable, when somebody else may write already.
  std::function<void(const StoreChange&)> on_change;
  /// Called after a group of writes, with the first failure of the store, or success if anything was written; by one
  /// thread at a time.
  std::function<void(const Result<>&)> on_outcome;
  /// Called after a transaction, with the pages that the log has; by one thread at a time.
  std::function<void(std::size_t)> on_log_growth;

 private:
  enum class Turn { waits, leads, done };

  /// Each has a lock of its own: those of one group are woken together and must not queue for that of the others.
  struct Entry {
    const Work* work = nullptr;  // none: wants to be alone
    Result<> outcome{};
    std::mutex mutex{};
    Turn turn = Turn::waits;
    std::condition_variable has_turn{};
  };

  [[nodiscard]] bool wait_for_turn(std::deque<Entry*>& line, Entry& entry);
  static void give(Entry& entry, Turn turn);
  [[nodiscard]] Entry* next_entry();
  void lead(Entry& own);
  void hand_over();

  // Only for the one who leads.
  [[nodiscard]] Result<> begin();
  [[nodiscard]] std::vector<Entry*> perform_group();
  [[nodiscard]] Result<> perform(const Work& work, bool is_first);
  [[nodiscard]] bool is_in_transaction() const;
  [[nodiscard]] Result<> commit();
  void tell_outcome(const std::vector<Entry*>& group, const Result<>& going);
  void take_back(const char* sql);

  Open open_;
  std::unique_ptr<Tables> tables_;
  StoreChange written_change_{};     // since the one who leads began
  std::int64_t written_before_ = 0;  // rows of the connection, when the transaction began

  std::mutex mutex_;
  LoopMonitor::Pulse pulse_;  // rests while nobody leads
  bool is_led_ = false;
  std::array<std::deque<Entry*>, 4> lanes_;
  std::deque<Entry*> exclusive_waiters_;
};

}  // namespace carillon::sqlite
