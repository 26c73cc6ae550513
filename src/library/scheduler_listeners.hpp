#pragma once

#include "ports/log.hpp"
#include "runtime/run_events.hpp"
#include "runtime/run_log.hpp"

#include <carillon/listener.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace carillon {

/// Passes what happens to the log and to the host's listeners. An exception of a listener is logged, and the others are
/// called.
class SchedulerListeners final : public RunObserver {
 public:
  /// Which pipeline a schedule runs. Called from several threads; must not wait for long.
  using PipelineOf = std::function<std::string(const std::string& schedule_id)>;

  /// `scheduler` is the one they listen to, for SchedulerCallback. Without `pipeline_of` there are no pipelines.
  SchedulerListeners(const void* scheduler, Log& log, PipelineOf pipeline_of = {})
      : scheduler_{scheduler}, log_{log}, run_log_{log}, pipeline_of_{std::move(pipeline_of)} {}

  ListenerId add(Listener listener);
  /// Returns when no call of it is under way, unless this is called by code that the scheduler has called.
  void remove(ListenerId id);

  void attempt_began(const AttemptNews& news) override;
  void attempt_ended(const AttemptNews& news) override;
  void schedule_changed(const std::string& id, ScheduleChange::Kind change, const std::string& pipeline = {});
  void status_changed(SchedulerStatus status);

 private:
  struct Entry {
    ListenerId id;
    Listener listener;
    std::size_t call_count = 0;  // under way; guarded
    bool is_removed = false;     // guarded
  };
  using Entries = std::vector<std::shared_ptr<Entry>>;
  [[nodiscard]] Entries entries();
  [[nodiscard]] bool begin_call(Entry& entry);
  void end_call(Entry& entry);
  [[nodiscard]] std::string pipeline_of(const AttemptNews& news) const;
  template <typename Event>
  void tell(std::function<void(Event)> Listener::* member, const std::remove_cvref_t<Event>& event);

  const void* scheduler_;
  Log& log_;
  RunLog run_log_;
  const PipelineOf pipeline_of_;
  std::mutex mutex_;
  // Guarded. Entries are shared with those that are calling them while one is added or removed.
  Entries entries_;
  std::uint64_t added_count_ = 0;
  std::condition_variable call_ended_;
};

}  // namespace carillon
