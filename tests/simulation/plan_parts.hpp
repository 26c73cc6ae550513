#pragma once

#include "simulation/draw.hpp"
#include "simulation/plan.hpp"

#include <string>
#include <vector>

namespace carillon::simulation {

// The parts that a plan is drawn from; private to it.

[[nodiscard]] ScheduleDocument draw_document(Draw& draw, const std::string& id, Instant begin);
[[nodiscard]] RunHabit draw_habit(Draw& draw);
[[nodiscard]] std::vector<PlannedCall> draw_calls(const Plan& plan);
[[nodiscard]] std::vector<Fault> draw_faults(const Plan& plan, StoreKind store);

}  // namespace carillon::simulation
