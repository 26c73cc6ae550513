#pragma once

#include "ports/query_store.hpp"

#include <string>
#include <string_view>

namespace carillon::temporal {

/// The id that a schedule of Temporal has with us: its own, if ours can be so.
[[nodiscard]] std::string natural_id(std::string_view foreign);
/// The one it has where that is not possible or is another schedule's: ours differ without regard to case, and have
/// fewer characters.
[[nodiscard]] std::string spare_id(std::string_view foreign);

/// What Temporal's clients call a schedule of ours.
[[nodiscard]] std::string foreign_id(const ScheduleRecord& record);

}  // namespace carillon::temporal
