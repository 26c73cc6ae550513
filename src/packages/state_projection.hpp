#pragma once

#include "packages/package_state_files.hpp"
#include "packages/package_sync.hpp"
#include "packages/schedule_state_file.hpp"
#include "ports/event_feed.hpp"
#include "ports/log.hpp"
#include "service/runs.hpp"
#include "service/schedule_answer.hpp"
#include "service/schedules.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace carillon::packages {

/// The state of a package by what the ledger says of its schedule. `runs` are its newest runs, newest first; the first
/// of them that has ended may have its result. `earlier` is what its file said before the schedule was created here:
/// its runs and counts come before the others.
[[nodiscard]] PackageState package_state_of(const std::string& package, const ScheduleAnswer& schedule,
                                            std::span<const RunAnswer> runs, const std::optional<PackageState>& earlier,
                                            std::size_t history_count = history_count_default);

/// The same, with runs and earlier state as they are now.
[[nodiscard]] Result<PackageState> current_package_state(const std::string& package, const ScheduleAnswer& schedule,
                                                         Runs& runs, const PackageStateFiles& files,
                                                         std::size_t history_count = history_count_default);

/// A run as a state file tells of it, with items and result file if its result was read; none if it has not ended, or
/// never began.
[[nodiscard]] std::optional<PackageRun> ended_package_run(const RunAnswer& run);

/// Writes the state file of packages whenever their schedule or one of its runs has changed. For one thread.
class StateProjection {
 public:
  StateProjection(Schedules& schedules, Runs& runs, EventFeed& feed, PackageStateFiles& files, Log& log,
                  std::size_t history_count = history_count_default)
      : schedules_{schedules}, runs_{runs}, feed_{feed}, files_{files}, log_{log}, history_count_{history_count} {}

  /// Writes the files of those that have changed since the last call, at most `count_max`, and returns whether others
  /// are left for the next call. With the first call, and if the store no longer knows what has changed, all have. A
  /// file that cannot be written is tried again with the next call, and logged once.
  bool update(std::span<const FileManagedSchedule> packages, std::size_t count_max = SIZE_MAX);

 private:
  enum class Extent { some, all };
  /// Adds those that have changed to `due_`; `all`: which they are is not known.
  [[nodiscard]] Extent read_changes();
  [[nodiscard]] Result<> write(const FileManagedSchedule& package);

  Schedules& schedules_;
  Runs& runs_;
  EventFeed& feed_;
  PackageStateFiles& files_;
  Log& log_;
  const std::size_t history_count_;
  std::optional<std::int64_t> position_;  // up to which events have been read
  std::set<Uid> known_;                   // whose file has been written
  std::set<Uid> due_;                     // whose file is to be written
  std::set<Uid> failed_;                  // whose file could not be written
  bool is_left_ = false;                  // a call has not come to its end
};

}  // namespace carillon::packages
