#pragma once

#include "definitions/schedule_document.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace carillon {

/// A fault in a schedule file, as a person wants to see it.
struct FileProblem {
  std::filesystem::path file;
  std::size_t line = 0;  // 0: the file as a whole
  std::size_t column = 0;
  std::string message;
  std::string hint;

  /// `schedules/nightly.yaml:7:12: message (hint)`
  [[nodiscard]] std::string text() const;
};

struct FiledSchedule {
  std::filesystem::path file;
  ScheduleDocument document;
};

/// What files hold: all that can be read, and what is wrong with the rest.
struct ScheduleFiles {
  std::vector<FiledSchedule> schedules;
  std::vector<FileProblem> problems;
};

/// Reads a file, or all `.yaml`, `.yml` and `.json` files below a folder, in the order of their names. A schedule that
/// stands in two files is a problem of the later one.
[[nodiscard]] ScheduleFiles read_schedule_files(const std::vector<std::filesystem::path>& paths,
                                                const ReadOptions& options = {});

}  // namespace carillon
