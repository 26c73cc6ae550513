#pragma once

#include "simulation/world.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

namespace carillon::simulation {

/// Thrown through whatever an actor is doing when its process ends. No error of carillon: nothing of it may catch this.
struct Crash {};

/// Threads of a process.
enum class Lane { deciding, working };
inline constexpr std::size_t lane_count = 2;

/// A process: each of its lanes does one thing at a time, may stand still in the middle of it, and the process may die.
class Actor {
 public:
  Actor(World& world, int number) : world_{world}, number_{number} {}
  virtual ~Actor() = default;
  Actor(const Actor&) = delete;
  Actor& operator=(const Actor&) = delete;

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool is_alive() const { return is_alive_; }
  /// Counts its lives.
  [[nodiscard]] int life() const { return life_; }

  /// Does something in this life, when the lane has finished what it is doing.
  void perform(Lane lane, std::function<void()> action);
  /// Stands still while the others go on. Throws Crash if it died meanwhile.
  void stand_still(Duration length);
  void start();
  void crash();

 protected:
  virtual void on_start() = 0;
  virtual void on_crash() = 0;
  /// After a crash, when nothing of the dead life is on the stack any more.
  virtual void on_buried() = 0;

  World& world_;

 private:
  struct LaneState {
    bool is_busy = false;
    std::vector<std::function<void()>> postponed;
  };
  [[nodiscard]] bool is_busy() const;
  [[nodiscard]] LaneState& state_of(Lane lane) { return lanes_[static_cast<std::size_t>(lane)]; }
  void finish_performing(Lane lane);
  void bury();

  int number_;
  int life_ = 0;
  bool is_alive_ = false;
  bool starts_when_free_ = false;
  std::array<LaneState, lane_count> lanes_;
};

}  // namespace carillon::simulation
