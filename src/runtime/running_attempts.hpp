#pragma once

#include "base/listener_list.hpp"
#include "ports/clock.hpp"
#include "ports/executor.hpp"
#include "ports/log.hpp"
#include "ports/log_store.hpp"
#include "ports/run_progress.hpp"
#include "ports/run_queue.hpp"
#include "runtime/alarm.hpp"
#include "runtime/run_events.hpp"
#include "runtime/running_attempt.hpp"
#include "runtime/store_time.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace carillon {

struct AttemptOptions {
  LogStore* logs = nullptr;         // none: what attempts print is not kept
  RunObserver* observer = nullptr;  // hears of every attempt; none: nobody does
  StoreTime::Source store_time = StoreTime::Source::answers;
};

/// The attempts of one worker. Executors tell it how they go, so that it is made before the executors, and the worker,
/// which needs both, is made after them. May be called from several threads.
///
/// It holds nothing that matters: what the store was not told when the process dies is called lost.
class RunningAttempts final : public AttemptEvents, public ProgressSource {
 public:
  RunningAttempts(Clock& clock, Log& log, AttemptOptions options = {});

  using Table = std::map<AttemptKey, RunningAttempt>;
  /// The table, locked for as long as this exists. Meanwhile neither the store nor an executor may be called: executors
  /// may be waiting for the lock.
  class Access {
   public:
    [[nodiscard]] Table& operator*() { return table_; }
    [[nodiscard]] Table* operator->() { return &table_; }

   private:
    friend class RunningAttempts;
    Access(std::mutex& mutex, Table& table) : lock_{mutex}, table_{table} {}
    std::unique_lock<std::mutex> lock_;
    Table& table_;
  };
  [[nodiscard]] Access access() { return {mutex_, table_}; }

  /// How many more may be claimed, if `reserved` are about to be. One that has ended needs no room any more, also if
  /// the store has not been told; but no more than twice the capacity are ever known, so that ends do not pile up.
  [[nodiscard]] std::size_t room(std::size_t capacity, std::size_t reserved);
  [[nodiscard]] bool is_empty();
  /// How many are known, ended ones included that the store has not been told of.
  [[nodiscard]] std::size_t count();

  /// Nothing more is claimed from now on; what runs goes on.
  void drain();
  [[nodiscard]] bool is_draining();

  /// What was launched in a session and the store has not heard of. The store is about to be told.
  [[nodiscard]] std::vector<LaunchNotice> take_unreported_launches(SessionId session);
  /// When the first of them was launched, since boot; none if there is none.
  [[nodiscard]] std::optional<Duration> first_unreported();
  /// The store has heard of these.
  void note_told(std::span<const LaunchNotice> launches);

  [[nodiscard]] StoreTime& store_time() { return store_time_; }
  [[nodiscard]] RunObserver* observer() const { return options_.observer; }
  /// Rings when there is something to do for the worker's thread.
  [[nodiscard]] Alarm& alarm() { return alarm_; }

  void known_as(const AttemptKey& key, std::string_view name) override;
  void launched(const AttemptKey& key) override;
  void output(const AttemptKey& key, OutputStream stream, std::string_view bytes) override;
  void progress(const AttemptKey& key, const RunProgress& progress) override;
  void ended(const AttemptKey& key, AttemptEnd end) override;

  [[nodiscard]] std::optional<RunProgress> progress_of(Seq run) override;
  [[nodiscard]] std::vector<AttemptProgress> changed_since(std::uint64_t& mark) override;
  [[nodiscard]] std::shared_ptr<void> listen(std::function<void()> listener) override;

 private:
  /// The log of an attempt is complete before its end is told to anybody.
  void close_log(const AttemptKey& key);
  /// What the observer is to be told, if anything.
  [[nodiscard]] std::optional<AttemptNews> note_end(const AttemptKey& key, AttemptEnd end);

  Clock& clock_;
  Log& log_;
  const AttemptOptions options_;
  StoreTime store_time_;
  Alarm alarm_;
  ListenerList<AttemptKey> listeners_;  // of progress
  std::mutex mutex_;
  // Guarded.
  Table table_;
  std::optional<Duration> first_unreported_;  // since boot
  bool is_draining_ = false;
  std::uint64_t progress_count_ = 0;  // steps that were told so far
};

}  // namespace carillon
