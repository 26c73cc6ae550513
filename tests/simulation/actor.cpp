#include "simulation/actor.hpp"

#include <algorithm>
#include <utility>

namespace carillon::simulation {

bool Actor::is_busy() const { return std::ranges::any_of(lanes_, &LaneState::is_busy); }

void Actor::perform(Lane lane, std::function<void()> action) {
  if (!is_alive_) return;
  if (state_of(lane).is_busy) {
    state_of(lane).postponed.push_back(std::move(action));
    return;
  }
  state_of(lane).is_busy = true;
  try {
    action();
  } catch (const Crash&) {
    crash();
  }
  finish_performing(lane);
}

void Actor::finish_performing(Lane lane) {
  state_of(lane).is_busy = false;
  if (!is_alive_) {
    // The dead life may still be on the stack in another lane.
    if (!is_busy()) bury();
    return;
  }
  for (auto& action : std::exchange(state_of(lane).postponed, {}))
    world_.after(Duration{0}, [this, lane, life = life_, action = std::move(action)] {
      if (life == life_) perform(lane, action);
    });
}

void Actor::bury() {
  for (LaneState& lane : lanes_) lane.postponed.clear();
  on_buried();
  if (std::exchange(starts_when_free_, false)) start();
}

void Actor::stand_still(Duration length) {
  const int life = life_;
  world_.run_until(world_.now() + length);
  if (!is_alive_ || life != life_) throw Crash{};
}

void Actor::start() {
  if (is_alive_) return;
  if (is_busy()) {
    // The dead life is still on the stack.
    starts_when_free_ = true;
    return;
  }
  is_alive_ = true;
  ++life_;
  on_start();
}

void Actor::crash() {
  if (!is_alive_) return;
  is_alive_ = false;
  on_crash();
  if (!is_busy()) bury();
}

}  // namespace carillon::simulation
