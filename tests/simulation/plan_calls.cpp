#include "simulation/plan_parts.hpp"
#include "support/sort_by.hpp"

#include <algorithm>
#include <chrono>

namespace carillon::simulation {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// Exactly on a full minute, where crons and most intervals have their occurrences, or somewhere around it.
Duration draw_time(Draw& draw, const Plan& plan) {
  const Duration at = draw.duration(minutes{2}, plan.troubled - minutes{2});
  if (draw.chance(0.4)) return std::chrono::floor<minutes>(at) - (plan.begin - std::chrono::floor<minutes>(plan.begin));
  return at;
}

CallKind draw_kind(Draw& draw) {
  return draw.one_of({CallKind::edit, CallKind::edit, CallKind::pause, CallKind::pause, CallKind::resume,
                      CallKind::resume, CallKind::trigger, CallKind::trigger, CallKind::backfill, CallKind::backfill,
                      CallKind::backfill_pause, CallKind::backfill_resume, CallKind::backfill_cancel,
                      CallKind::cancel_run, CallKind::reset, CallKind::remove, CallKind::disable, CallKind::enable});
}

ScheduleDocument edited(Draw& draw, const ScheduleDocument& before, Instant begin) {
  ScheduleDocument after = draw_document(draw, before.id.text(), begin);
  // Most edits change one side only: what is to be done, or when.
  if (draw.chance(0.4)) after.spec = before.spec;
  if (draw.chance(0.4)) after.policies = before.policies;
  return after;
}

void fill_in(Draw& draw, PlannedCall& call, const ScheduleDocument& document, Instant begin) {
  if (call.kind == CallKind::edit) call.document = edited(draw, document, begin);
  if (call.kind == CallKind::pause && draw.chance(0.4)) call.length = draw.uneven(seconds{30}, hours{5});
  if (call.kind == CallKind::trigger) call.overlap = static_cast<OverlapPolicy>(draw.below(7));
  if (call.kind != CallKind::backfill) return;
  call.reach = draw.duration(minutes{10}, hours{20});
  call.span = draw.uneven(minutes{5}, hours{6});
  call.order = draw.chance(0.3) ? BackfillOrder::newest_first : BackfillOrder::oldest_first;
  call.reprocess = draw.one_of({Reprocess::missing, Reprocess::failed, Reprocess::all});
  call.concurrency = draw.one_of<std::int64_t>({1, 1, 2, 5});
  call.is_exclusive = draw.chance(0.25);
  if (call.is_exclusive || !draw.chance(0.35)) return;
  call.backfill_overlap = static_cast<OverlapPolicy>(draw.below(7));
}

// Deleted schedules mostly come back: soon, so that they go on where they were, or when they are forgotten.
void add_return(Draw& draw, std::vector<PlannedCall>& calls, const PlannedCall& removal,
                const ScheduleDocument& document, Instant begin) {
  if (draw.chance(0.2)) return;
  PlannedCall call{.number = removal.number + 1, .kind = CallKind::create, .schedule = removal.schedule};
  call.at =
      removal.at + (draw.chance(0.6) ? draw.duration(seconds{1}, minutes{9}) : draw.duration(minutes{11}, hours{2}));
  call.document = draw.chance(0.6) ? document : edited(draw, document, begin);
  calls.push_back(std::move(call));
}

}  // namespace

std::vector<PlannedCall> draw_calls(const Plan& plan) {
  std::vector<PlannedCall> calls;
  Draw mood{key_of(plan.seed, "calls")};
  const std::int64_t busy = mood.one_of<std::int64_t>({0, 2, 4, 8});
  int number = 1;
  for (const PlannedSchedule& schedule : plan.schedules) {
    Draw draw{key_of(plan.seed, "calls", schedule.id)};
    const ScheduleDocument document = draw_document(draw, schedule.id, plan.begin);
    const Duration created_at = draw.chance(0.8) ? draw.duration(seconds{1}, seconds{90}) : draw_time(draw, plan);
    calls.push_back(
        {.number = number, .at = created_at, .kind = CallKind::create, .schedule = schedule.id, .document = document});
    for (auto left = draw.between(0, busy); left > 0; --left) {
      number += 2;
      PlannedCall call{.number = number, .kind = draw_kind(draw), .schedule = schedule.id};
      call.at = std::max(draw_time(draw, plan), created_at + seconds{1});
      fill_in(draw, call, document, plan.begin);
      calls.push_back(call);
      if (call.kind == CallKind::remove) add_return(draw, calls, call, document, plan.begin);
    }
    number += 2;
  }
  testing::sort_by(calls, &PlannedCall::at);
  return calls;
}

}  // namespace carillon::simulation
