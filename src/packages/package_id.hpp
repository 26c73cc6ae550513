#pragma once

#include "base/ids.hpp"

#include <string>
#include <string_view>

namespace carillon::packages {

/// The id of a package's schedule: the slug of its path below the watched folder and six hexadecimal digits of a hash
/// of that path, `daily-report-a1b2c3`. So a package has the same id in every clone of a repository, and two packages
/// whose slugs are equal have different ids. `path` has no leading or trailing slash; `.` is the folder itself.
[[nodiscard]] ScheduleId schedule_id_of(std::string_view path);

}  // namespace carillon::packages
