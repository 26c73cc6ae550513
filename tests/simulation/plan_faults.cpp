#include "simulation/plan_parts.hpp"
#include "support/sort_by.hpp"

#include <algorithm>
#include <chrono>

namespace carillon::simulation {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// Most steps are small; one beyond an hour is a clock that has gone wrong and mostly comes back.
Duration draw_step(Draw& draw) {
  const Duration size =
      draw.chance(0.75) ? draw.uneven(milliseconds{50}, minutes{3}) : draw.duration(hours{1}, hours{5});
  return draw.chance(0.5) ? size : -size;
}

Fault draw_fault(Draw& draw, const Plan& plan, FaultKind kind) {
  Fault fault{.kind = kind};
  fault.at = draw.duration(seconds{1}, plan.troubled - minutes{1});
  fault.actor = plan.actors[draw.below(plan.actors.size())].number;
  fault.schedule = plan.schedules[draw.below(plan.schedules.size())].id;
  switch (kind) {
    case FaultKind::crash: fault.length = draw.uneven(milliseconds{200}, hours{3}); break;
    case FaultKind::pause:
      fault.length = draw.duration(seconds{1}, minutes{5});
      fault.rate = draw.one_of({0.05, 0.3});
      fault.size = draw.uneven(milliseconds{100}, minutes{5});
      break;
    case FaultKind::slow_calls:
      fault.length = draw.uneven(minutes{1}, hours{2});
      fault.rate = draw.one_of({0.02, 0.2, 0.5});
      fault.size = draw.uneven(milliseconds{5}, seconds{3});
      break;
    case FaultKind::failing_calls:
    case FaultKind::lost_answers:
      fault.length = draw.uneven(minutes{1}, hours{2});
      fault.rate = draw.one_of({0.02, 0.1, 0.4});
      break;
    case FaultKind::partition: fault.length = draw.uneven(seconds{1}, hours{1}); break;
    case FaultKind::store_full: fault.length = draw.uneven(seconds{1}, hours{1}); break;
    case FaultKind::poison: fault.length = draw.uneven(seconds{10}, hours{1}); break;
    case FaultKind::clock_step:
      fault.size = draw_step(draw);
      fault.length = draw.uneven(seconds{5}, hours{1});  // then a large one is taken back
      break;
    case FaultKind::suspend: fault.length = draw.uneven(seconds{1}, hours{2}); break;
    case FaultKind::zone_change: fault.length = draw.uneven(minutes{1}, hours{3}); break;
    case FaultKind::slow_completions:
    case FaultKind::repeated_completions:
      fault.length = draw.uneven(minutes{10}, hours{6});
      fault.rate = draw.one_of({0.1, 0.5});
      break;
    case FaultKind::disk_full: fault.length = draw.uneven(seconds{1}, minutes{20}); break;
    case FaultKind::disk_errors:
      fault.length = draw.uneven(seconds{10}, minutes{20});
      fault.rate = draw.one_of({0.02, 0.3, 1.0});
      break;
    case FaultKind::power_loss: fault.length = draw.uneven(seconds{1}, minutes{10}); break;
    case FaultKind::late_writes:
      fault.length = draw.uneven(minutes{1}, hours{2});
      fault.rate = draw.one_of({0.02, 0.1, 0.4});
      fault.size = draw.uneven(milliseconds{20}, minutes{1});
      break;
    case FaultKind::locked_rows:
      fault.length = draw.uneven(minutes{1}, hours{2});
      fault.rate = draw.one_of({0.1, 0.5});
      break;
    case FaultKind::ended_backends: fault.length = draw.uneven(milliseconds{100}, seconds{5}); break;
  }
  return fault;
}

std::int64_t count_of(Draw& draw, FaultKind kind, Duration troubled) {
  const auto days = std::max<std::int64_t>(1, troubled / hours{24});
  switch (kind) {
    case FaultKind::zone_change: return 1;
    case FaultKind::clock_step: return draw.between(1, 4);
    case FaultKind::suspend: return draw.between(1, 3);
    case FaultKind::poison: return draw.between(1, 2);
    default: return draw.between(1, 6) * days;
  }
}

double share_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::zone_change: return 0.12;
    case FaultKind::clock_step: return 0.25;
    case FaultKind::suspend: return 0.25;
    default: return 0.45;
  }
}

}  // namespace

std::vector<Fault> draw_faults(const Plan& plan, StoreKind store) {
  std::vector<Fault> faults;
  if (Draw{key_of(plan.seed, "fair weather")}.chance(0.08)) return faults;
  for (std::size_t i = 0; i < fault_kind_count; ++i) {
    const auto kind = static_cast<FaultKind>(i);
    if (!can_have(store, kind)) continue;
    Draw draw{key_of(plan.seed, "faults", i)};
    // Each seed has its own mixture: many bugs show only while some other fault keeps away.
    if (!draw.chance(share_of(kind))) continue;
    for (auto left = count_of(draw, kind, plan.troubled); left > 0; --left)
      faults.push_back(draw_fault(draw, plan, kind));
  }
  testing::sort_by(faults, &Fault::at);
  for (std::size_t i = 0; i < faults.size(); ++i) faults[i].number = static_cast<int>(i) + 1;
  return faults;
}

}  // namespace carillon::simulation
