#pragma once

#include "base/error.hpp"
#include "data_folder/data_directory.hpp"
#include "ports/clock.hpp"
#include "ports/log.hpp"
#include "ports/log_store.hpp"
#include "ports/store_ports.hpp"
#include "service/run_ids.hpp"

#include <filesystem>
#include <memory>
#include <optional>

namespace carillon {

/// The store of an embedded scheduler: in a data folder, or in memory.
struct SchedulerStore {
  std::optional<DataDirectory> directory;  // none: in memory
  std::unique_ptr<ScheduleStore> owner;    // keeps what `ports` refers to
  StorePorts ports;
  std::unique_ptr<LogStore> logs;
  RunIds run_ids;

  /// Takes the folder and marks the runs that an earlier process left open there as lost. An empty path: in memory.
  [[nodiscard]] static Result<SchedulerStore> open(const std::filesystem::path& data, Clock& clock, Log& log);
};

}  // namespace carillon
