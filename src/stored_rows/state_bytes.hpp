#pragma once

#include "base/error.hpp"
#include "engine/run.hpp"
#include "engine/schedule_state.hpp"

#include <string>
#include <string_view>

namespace carillon::rows {

/// Writes what of a state has no column of its own. `out` is emptied first.
void write_body(const ScheduleState& state, std::string& out);

/// Reads it back; the members that have columns are left alone.
[[nodiscard]] Result<> read_body(std::string_view bytes, ScheduleState& state);

/// The rules of a job without a schedule.
[[nodiscard]] std::string rules_bytes(const RunRules& rules);
[[nodiscard]] Result<RunRules> read_rules(std::string_view bytes);

}  // namespace carillon::rows
