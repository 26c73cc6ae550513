#pragma once

#include "ports/executor.hpp"
#include "simulation/actor.hpp"
#include "simulation/plan.hpp"
#include "simulation/surroundings.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace carillon::simulation {

/// Performs attempts of any kind in one life of a process, as the plan says that they go, and keeps a record of what
/// was alive when. What it performs is ended when the lease ends, even while the process stands still, and dies with
/// it.
class SimulatedExecutor final : public Executor {
 public:
  /// `on_told` is called after an end was told to the events.
  SimulatedExecutor(Surroundings& surroundings, Actor& actor, const PlannedActor& planned, std::string worker,
                    AttemptEvents& events, std::function<void()> on_told);

  void launch(Assignment assignment) override;
  void stop(const AttemptKey& key, Stop how) override;
  void extend_until(Duration since_boot) override;

  /// The process is gone.
  void die();

 private:
  struct Performance {
    Assignment assignment;
    std::optional<std::size_t> launch{};  // in the witness; none while it is prepared
    Stop stop = Stop::none;
    std::int64_t end_number = 0;  // tells a planned end from one that replaced it
  };

  void begin(const AttemptKey& key);
  void plan_end(Performance& performance);
  void end_at(Performance& performance, Instant time, AttemptEnd end);
  /// It is over now; its end is told at once, or after a while.
  void finish(const AttemptKey& key, AttemptEnd end);
  void tell(const AttemptKey& key, AttemptEnd end, Duration delay);
  void note_end(const Performance& performance, bool was_killed);
  void kill_all();
  [[nodiscard]] std::uint64_t luck_of(const AttemptKey& key, std::string_view what) const;
  /// Calls `action` in this life of the process.
  template <typename Action>
  void later(Instant time, Action action);
  template <typename Action>
  [[nodiscard]] std::function<void()> in_this_life(Action action) const;

  Surroundings& around_;
  Actor& actor_;
  const PlannedActor& planned_;
  std::string worker_;
  AttemptEvents& events_;
  std::function<void()> on_told_;
  Duration lease_end_{};  // since boot
  std::map<AttemptKey, Performance> performances_;
};

}  // namespace carillon::simulation
