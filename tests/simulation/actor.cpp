#include "simulation/actor.hpp"

#include <utility>

namespace carillon::simulation {

void Actor::perform(std::function<void()> action) {
  if (!is_alive_) return;
  if (is_busy_) {
    postponed_.push_back(std::move(action));
    return;
  }
  is_busy_ = true;
  try {
    action();
  } catch (const Crash&) {
    crash();
  }
  finish_performing();
}

void Actor::finish_performing() {
  is_busy_ = false;
  if (!is_alive_) {
    postponed_.clear();
    on_buried();
    if (std::exchange(starts_when_free_, false)) start();
    return;
  }
  for (auto& action : std::exchange(postponed_, {}))
    world_.after(Duration{0}, [this, life = life_, action = std::move(action)] {
      if (life == life_) perform(action);
    });
}

void Actor::stand_still(Duration length) {
  const int life = life_;
  world_.run_until(world_.now() + length);
  if (!is_alive_ || life != life_) throw Crash{};
}

void Actor::start() {
  if (is_alive_) return;
  if (is_busy_) {
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
  if (!is_busy_) {
    postponed_.clear();
    on_buried();
  }
}

}  // namespace carillon::simulation
