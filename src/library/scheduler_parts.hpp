#pragma once

#include "library/handler_executor.hpp"
#include "library/scheduler_core.hpp"
#include "library/scheduler_life.hpp"
#include "library/scheduler_listeners.hpp"
#include "library/scheduler_store.hpp"

#include <carillon/scheduler.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace carillon {

/// An error `invalid_argument` if the name cannot be a mark of schedules.
[[nodiscard]] Result<> check_managed(const ManagedSchedules& managed);

/// The wiring of one scheduler: what every embedded one consists of, with handlers, listeners, and what the program has
/// registered.
struct Scheduler::Parts {
  Parts(std::unique_ptr<SchedulerSurroundings> around, SchedulerStore opened, const SchedulerOptions& options);
  ~Parts();

  [[nodiscard]] Result<> start();
  [[nodiscard]] Result<> stop();

  [[nodiscard]] Result<> add_handler(const std::string& name, Handler handler);
  /// `own_handler` is removed together with the schedule; empty: none is.
  [[nodiscard]] Served<> add_schedule(const ScheduleDocument& document, const std::string& own_handler = {});
  [[nodiscard]] Served<> remove(const std::string& id);

  std::unique_ptr<SchedulerSurroundings> surroundings;
  SchedulerListeners listeners;
  SchedulerBase base;
  HandlerExecutor executor;
  SchedulerCore core;
  SchedulerLife life;

  std::mutex registering;
  std::map<std::string, std::string> registered;  // by the id in lower case: the handler that came with it, or none

  const std::optional<ManagedSchedules> managed;
  std::jthread
      grace_watch;  // waits until schedules that are not registered by then are ended; last, as it uses the rest

 private:
  /// Creates the schedule, or changes the one that is there; none if that is equal already.
  [[nodiscard]] Served<std::optional<ScheduleChange::Kind>> apply(const ScheduleDocument& document);
  [[nodiscard]] bool is_registered(const std::string& id) const;

  // scheduler_managed.cpp: schedules that the program no longer registers
  /// With the mark of the program, if it manages its schedules.
  [[nodiscard]] ScheduleDocument marked(ScheduleDocument document) const;
  /// Resumes a schedule that was paused because it was not registered.
  [[nodiscard]] Served<> resume_registered(const ScheduleDocument& document);
  void watch_registered();
  [[nodiscard]] std::vector<std::string> managed_ids();
  void end_all_unregistered();
  /// Whether it was changed.
  [[nodiscard]] Served<bool> end_unregistered(const std::string& id);
  [[nodiscard]] Served<bool> pause_unregistered(const std::string& id);

  /// Logs the active schedules that nothing in this process performs.
  void log_missing_handlers();
};

}  // namespace carillon
