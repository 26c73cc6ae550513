#pragma once

#include "calendar/lint/lint.hpp"
#include "packages/folder_scope.hpp"
#include "pipeline/pipeline_document.hpp"

#include <cstddef>
#include <functional>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::packages {

/// How many faults are remembered at a time; what is beyond is only logged.
inline constexpr std::size_t file_fault_count_max = 1'000;

/// What is wrong with the files of a watched folder now. May be used from several threads.
class FileFaults {
 public:
  /// Whether a schedule of this file, or of one below it, is in force.
  using IsInForce = std::function<bool(const std::string& file)>;

  /// These are the faults of the scope from now on. Returns those that were not known.
  [[nodiscard]] std::vector<pipeline::FileFault> replace(std::span<const FolderScope> scopes,
                                                         std::span<const pipeline::FileFault> faults,
                                                         const IsInForce& is_in_force);
  /// What a user is told of the schedules of a file: that the last good definition stays in force, and why.
  [[nodiscard]] std::vector<Finding> findings(std::string_view file) const;
  [[nodiscard]] std::vector<pipeline::FileFault> all() const;
  /// Those of files that define no schedule in force, as lines for people: they are shown nowhere else.
  [[nodiscard]] std::vector<std::string> unscheduled() const;

 private:
  mutable std::mutex mutex_;
  // Guarded.
  std::vector<pipeline::FileFault> faults_;
  std::set<std::string> files_in_force_;  // among those with faults
};

}  // namespace carillon::packages
