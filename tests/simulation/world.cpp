#include "simulation/world.hpp"

#include <algorithm>

namespace carillon::simulation {

World::World(Instant begin) : now_{begin}, clock_{begin}, suspended_until_{begin} {}

void World::at(Instant time, std::function<void()> action) {
  events_.emplace(std::pair{std::max(time, now_), Rank::usual}, std::move(action));
}

void World::first_at(Instant time, std::function<void()> action) {
  events_.emplace(std::pair{std::max(time, now_), Rank::timer}, std::move(action));
}

void World::move_to(Instant time) {
  if (time <= now_) return;
  clock_.advance(time - now_);
  now_ = time;
}

void World::run_until(Instant end) {
  while (!is_stopped_ && !events_.empty()) {
    auto next = events_.extract(events_.begin());
    if (next.key().first < suspended_until_) {
      next.key().first = suspended_until_;
      events_.insert(std::move(next));
      continue;
    }
    if (next.key().first > std::max(end, suspended_until_)) {
      // It was the first, so it goes before whatever has the same time.
      events_.insert(events_.lower_bound(next.key()), std::move(next));
      break;
    }
    move_to(next.key().first);
    next.mapped()();
  }
  if (!is_stopped_) move_to(std::max(end, suspended_until_));
}

void World::set_store_clock(Duration step) {
  clock_.advance_wall(step);
  steps_.push_back({.time = now_, .size = step});
}

bool World::is_steady(Instant from, Instant to) const {
  return std::ranges::none_of(steps_, [&](const Step& step) { return from <= step.time && step.time <= to; });
}

bool World::went_back(Instant from, Instant to) const {
  return std::ranges::any_of(
      steps_, [&](const Step& step) { return from <= step.time && step.time <= to && step.size < Duration{0}; });
}

}  // namespace carillon::simulation
