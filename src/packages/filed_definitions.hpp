#pragma once

#include "packages/package_folder.hpp"
#include "pipeline/pipeline_document.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::packages {

/// What one file defines; nothing if it has faults.
struct FiledDefinitions {
  std::vector<FiledSchedule> schedules;
  std::vector<pipeline::FileFault> faults;
};

struct FiledDefinitionOptions {
  std::string_view package_timezone{"UTC"};      // of a package that names none
  std::string_view schedule_timezone{"UTC"};     // of a schedule that names none
  std::optional<std::int64_t> kept_run_count{};  // of a package; none: as of any schedule
};

/// A pipeline.yaml: its schedule, or none if it has no `schedule:` block. `file` is its path below the watched folder.
[[nodiscard]] FiledDefinitions read_package_text(const std::string& file, std::string_view text,
                                                 const FiledDefinitionOptions& options);
/// A file of schedules.
[[nodiscard]] FiledDefinitions read_schedules_text(const std::string& file, std::string_view text,
                                                   const FiledDefinitionOptions& options);

/// The fault of a schedule that another file defines.
[[nodiscard]] pipeline::FileFault defined_twice(const FiledSchedule& schedule, std::string_view other_file);

}  // namespace carillon::packages
