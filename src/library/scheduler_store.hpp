#pragma once

#include "base/error.hpp"
#include "data_folder/data_directory.hpp"
#include "ports/clock.hpp"
#include "ports/store_ports.hpp"
#include "service/run_ids.hpp"

#include <filesystem>
#include <memory>
#include <optional>

namespace carillon {

/// What an embedded scheduler keeps everything in.
struct SchedulerStore {
  std::optional<DataDirectory> directory;  // none: in memory
  std::unique_ptr<ScheduleStore> owner;    // keeps what `ports` refers to
  StorePorts ports;
  RunIds run_ids;

  /// Takes the folder and calls lost what was left open there; in memory if the path is empty.
  [[nodiscard]] static Result<SchedulerStore> open(const std::filesystem::path& data, Clock& clock);
};

}  // namespace carillon
