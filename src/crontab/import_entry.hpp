#pragma once

#include "crontab/crontab.hpp"
#include "crontab/crontab_entry.hpp"
#include "crontab/taken_ids.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// What stands above a line and around it.
struct CrontabSurroundings {
  const CrontabOptions& options;
  const ZoneNames& zones;
  CrontabForm form;
  TextMap variables{};  // as set by the lines before
};

/// A schedule with all that is not as before.
struct ImportedEntry {
  ImportedSchedule schedule;
  std::vector<std::string> differences;
};

/// Makes a schedule of a line with times. The line is well-formed UTF-8 without NUL.
[[nodiscard]] Result<ImportedEntry> import_entry(std::string_view line, const CrontabSurroundings& surroundings,
                                                 TakenIds& ids);

}  // namespace carillon
