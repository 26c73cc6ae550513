#include "simulation/plan.hpp"

#include "simulation/plan_parts.hpp"

#include <fmt/format.h>

#include <chrono>

namespace carillon::simulation {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::year;

// Often shortly before a zone changes its clocks, else anywhere in the years the zones are known for.
Instant draw_begin(Draw& draw) {
  const auto change = draw.one_of<sys_days>({year{2026} / 3 / 28, year{2026} / 10 / 24, year{2026} / 3 / 7,
                                             year{2026} / 10 / 31, year{2026} / 10 / 3, year{2027} / 3 / 27});
  const sys_days any = sys_days{year{2026} / 1 / 5} + days{draw.between(0, 600)};
  const sys_days day = draw.chance(0.5) ? change : any;
  return Instant{day} + seconds{draw.between(0, 86'399)};
}

std::vector<PlannedActor> draw_actors(std::uint64_t seed, StoreKind store) {
  Draw draw{key_of(seed, "actors")};
  auto server_count = draw.between(1, 4);
  // A file has one server; the next one may come while the last one is still ending.
  if (store == StoreKind::sqlite) server_count = draw.chance(0.8) ? 1 : 2;
  const auto worker_count = draw.between(0, 2);
  std::vector<PlannedActor> actors;
  for (int number = 1; number <= server_count + worker_count; ++number) {
    PlannedActor actor{.number = number, .is_server = number <= server_count};
    actor.lease = draw.one_of<Duration>({seconds{10}, seconds{30}, seconds{60}});
    actor.capacity = draw.one_of<std::size_t>({1, 3, 50});
    actor.claims_in_commit = actor.is_server && draw.chance(0.4);
    actor.queues = {"@command", "@http", "default", "reports"};
    // The first one serves every queue, so that none is forgotten.
    if (number > 1 && draw.chance(0.4)) actor.queues.resize(draw.below(3) + 1);
    actors.push_back(std::move(actor));
  }
  return actors;
}

}  // namespace

Plan draw_plan(std::uint64_t seed, StoreKind store) {
  Draw draw{key_of(seed, "plan")};
  Plan plan{.seed = seed, .begin = draw_begin(draw)};
  const double length = draw.fraction();
  plan.troubled = days{length < 0.75 ? 1 : length < 0.92 ? 2 : 3};
  plan.healed = hours{2};
  if (store == StoreKind::sqlite) {
    // Many short worlds find more than few long ones, where every call costs a transaction on files.
    plan.troubled = draw.uneven(minutes{20}, hours{4});
    plan.healed = minutes{40};
  }
  const auto schedule_count = 3 + draw.uneven(Duration{0}, Duration{22}).count();
  for (std::int64_t i = 0; i < schedule_count; ++i) {
    Draw habits{key_of(seed, "habit", i)};
    plan.schedules.push_back({.id = fmt::format("s{}", i), .habit = draw_habit(habits)});
  }
  plan.actors = draw_actors(seed, store);
  plan.calls = draw_calls(plan);
  plan.faults = draw_faults(plan, store);
  return plan;
}

}  // namespace carillon::simulation
