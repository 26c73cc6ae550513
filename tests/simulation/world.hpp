#pragma once

#include "base/instant.hpp"
#include "support/manual_clock.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace carillon::simulation {

/// Time and what happens in it. Everything runs in one thread, in the order of time; true time only goes forward, at
/// one pace for all, so it is also everybody's boot clock. The store's clock may be set.
class World {
 public:
  explicit World(Instant begin);

  [[nodiscard]] Instant now() const { return now_; }
  [[nodiscard]] Instant store_now() { return clock_.now(); }
  [[nodiscard]] ManualClock& store_clock() { return clock_; }

  /// Does something at a time; at once if that has passed. What is due together happens in the order it was asked for.
  void at(Instant time, std::function<void()> action);
  void after(Duration delay, std::function<void()> action) { at(now_ + delay, std::move(action)); }
  /// The same, before whatever else is due then: a timer of the machine itself, which no process can be ahead of.
  void first_at(Instant time, std::function<void()> action);

  /// Lets time pass. May be called from inside an action: the others then go on while this one stands in its call.
  void run_until(Instant end);
  /// Nothing happens any more.
  void stop() { is_stopped_ = true; }
  [[nodiscard]] bool is_stopped() const { return is_stopped_; }

  void set_store_clock(Duration step);
  /// Everything stands still for a while.
  void suspend(Duration length) { suspended_until_ = std::max(suspended_until_, now_ + length); }

  /// When the store's clock was set, and by how much.
  struct Step {
    Instant time;
    Duration size;
  };
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  /// Whether the store's clock kept its pace between two times.
  [[nodiscard]] bool is_steady(Instant from, Instant to) const;
  /// Whether it was set back between two times.
  [[nodiscard]] bool went_back(Instant from, Instant to) const;

 private:
  void move_to(Instant time);

  Instant now_;
  ManualClock clock_;
  enum class Rank { timer, usual };
  std::multimap<std::pair<Instant, Rank>, std::function<void()>> events_;  // equal keys keep the order of insertion
  Instant suspended_until_;
  std::vector<Step> steps_;
  bool is_stopped_ = false;
};

}  // namespace carillon::simulation
