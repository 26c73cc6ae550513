#pragma once

#include "base/ids.hpp"

#include <string_view>

namespace carillon {

/// An id made from a name: lower case, what an id cannot hold becomes `-`: `Nightly ETL` → `nightly-etl`. A name
/// without any letter or digit of ASCII gives `schedule`.
[[nodiscard]] ScheduleId slug(std::string_view name);

/// The id with a number behind it, shortened to fit: what a second schedule of the same slug is called
/// (`nightly-etl-2`).
[[nodiscard]] ScheduleId numbered(const ScheduleId& id, int number);

}  // namespace carillon
