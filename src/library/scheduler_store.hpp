#pragma once

#include "base/error.hpp"
#include "data_folder/data_directory.hpp"
#include "ports/clock.hpp"
#include "ports/retention.hpp"
#include "ports/run_queue.hpp"
#include "ports/schedule_store.hpp"
#include "service/run_ids.hpp"

#include <filesystem>
#include <memory>
#include <optional>

namespace carillon {

/// What an embedded scheduler keeps everything in.
struct SchedulerStore {
  std::optional<DataDirectory> directory;  // none: in memory
  std::unique_ptr<ScheduleStore> schedules;
  // The same object.
  RunQueue& queue;
  Retention& retention;
  RunIds run_ids;

  /// Takes the folder and calls lost what was left open there; in memory if the path is empty.
  [[nodiscard]] static Result<SchedulerStore> open(const std::filesystem::path& data, Clock& clock);
};

}  // namespace carillon
