#pragma once

#include "calendar/lint/lint.hpp"
#include "packages/folder_scope.hpp"
#include "pipeline/pipeline_document.hpp"

#include <cstddef>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

namespace carillon::packages {

/// How many faults are remembered at a time; what is beyond is only logged.
inline constexpr std::size_t file_fault_count_max = 1'000;

/// What is wrong with the files of a watched folder now. May be used from several threads.
class FileFaults {
 public:
  /// These are the faults of the scope from now on. Returns those that were not known.
  [[nodiscard]] std::vector<pipeline::FileFault> replace(std::span<const FolderScope> scopes,
                                                         std::span<const pipeline::FileFault> faults);
  /// What a user is told of the schedules of a file: that the last good definition stays in force, and why.
  [[nodiscard]] std::vector<Finding> findings(std::string_view file) const;
  [[nodiscard]] std::vector<pipeline::FileFault> all() const;

 private:
  mutable std::mutex mutex_;
  std::vector<pipeline::FileFault> faults_;  // guarded
};

}  // namespace carillon::packages
