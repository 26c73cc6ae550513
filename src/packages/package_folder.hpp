#pragma once

#include "definitions/schedule_document.hpp"
#include "packages/folder_listing.hpp"
#include "packages/folder_scope.hpp"
#include "pipeline/pipeline_document.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace carillon::packages {

/// A schedule that a file defines. It has the label by which it is known as that file's.
struct FiledSchedule {
  std::string file;     // relative to the watched folder
  std::string package;  // path of its package; empty: it stands in a file of schedules
  ScheduleDocument document;
};

/// What the files of a scope define, and what is wrong with the others. A file is taken as a whole: one with a fault
/// defines nothing.
struct FolderContents {
  std::vector<FiledSchedule> schedules;
  std::vector<pipeline::FileFault> faults;
  std::size_t package_count = 0;  // with or without a schedule

  /// Whether what a file defines is not known, because it or a folder above it has a fault.
  [[nodiscard]] bool has_fault(std::string_view file) const;
};

/// `daily-report/pipeline.yaml:3:9: message (hint)`
[[nodiscard]] std::string text_of(const pipeline::FileFault& fault);

/// A folder whose files define schedules: packages, and files of schedules where they are asked for. Nothing outside of
/// it is read. Keeps nothing open and remembers nothing, so that it may be used from several threads.
class PackageFolder {
 public:
  /// `default_timezone` is that of packages that name none; `schedule_timezone` that of files of schedules.
  struct Options {
    WatchedFiles which = WatchedFiles::packages;
    std::string default_timezone{"UTC"};
    std::string schedule_timezone{"UTC"};
    std::optional<std::int64_t> kept_run_count{};  // of each package; none: as of any schedule
  };
  PackageFolder(std::filesystem::path path, Options options) : path_{std::move(path)}, options_{std::move(options)} {}

  /// Reads the files of a scope now. A schedule that two files of the scope define is a fault of the later one. If the
  /// folder cannot be read at all, that is a fault of `.`, and nothing is known of any file.
  [[nodiscard]] FolderContents read(const FolderScope& scope = {}) const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] WatchedFiles which() const { return options_.which; }

 private:
  std::filesystem::path path_;
  Options options_;
};

}  // namespace carillon::packages
