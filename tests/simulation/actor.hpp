#pragma once

#include "simulation/world.hpp"

#include <functional>
#include <vector>

namespace carillon::simulation {

/// Thrown through whatever an actor is doing when its process ends. No error of carillon: nothing of it may catch this.
struct Crash {};

/// A process: it does one thing at a time, may stand still in the middle of it, and may die.
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
  [[nodiscard]] bool is_busy() const { return is_busy_; }

  /// Does something in this life, when it has finished what it is doing.
  void perform(std::function<void()> action);
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
  void finish_performing();

  int number_;
  int life_ = 0;
  bool is_alive_ = false;
  bool is_busy_ = false;
  bool starts_when_free_ = false;
  std::vector<std::function<void()>> postponed_;
};

}  // namespace carillon::simulation
