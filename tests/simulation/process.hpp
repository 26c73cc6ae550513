#pragma once

#include "runtime/decider.hpp"
#include "runtime/lost_run_rescuer.hpp"
#include "runtime/running_attempts.hpp"
#include "runtime/worker.hpp"
#include "scheduling/schedule_commands.hpp"
#include "scheduling/shared_definitions.hpp"
#include "simulation/actor.hpp"
#include "simulation/edition_zones.hpp"
#include "simulation/faulty_store.hpp"
#include "simulation/observed_store.hpp"
#include "simulation/simulated_executor.hpp"
#include "simulation/surroundings.hpp"
#include "simulation/tallying_log.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace carillon::simulation {

/// A server or a worker: the services of `runtime`, each called as its loop would call it, over a store that may fail.
class Process final : public Actor {
 public:
  Process(Surroundings& surroundings, const PlannedActor& planned, Ports store, std::function<std::string(Uid)> id_of,
          ServerShare share, EditionZones& zones);

  [[nodiscard]] bool is_server() const { return planned_.is_server; }
  [[nodiscard]] const PlannedActor& planned() const { return planned_; }
  [[nodiscard]] ScheduleStore& store() { return store_; }
  /// Only in a life of a server.
  [[nodiscard]] ScheduleCommands& commands() { return *services_->commands; }

  /// Something was written: it will look at it within a second.
  void poke();
  /// From its next turn on it works by these zone rules.
  void give_zones(EditionZones& zones);
  void heal();

  /// Whether the store's clock has made a large step before the eyes of this server, so lately that it cannot believe
  /// it.
  [[nodiscard]] bool is_clock_doubted() const;

 private:
  /// What a life holds in memory.
  struct Services {
    explicit Services(Process& process);

    ObservedStore store;
    SharedDefinitions definitions;
    RunningAttempts attempts;
    SimulatedExecutor executor;
    Worker worker;
    // Of a server.
    std::optional<Decider> decider;
    std::optional<LostRunRescuer> rescuer;
    std::optional<ScheduleCommands> commands;
  };
  /// A service and when it is called next.
  struct Loop {
    Lane lane = Lane::deciding;
    std::function<Duration()> tick;                               // when it wants to be called again, since boot
    std::function<std::optional<Instant>(Instant wanted)> later;  // when that would find something new
    std::optional<Instant> next{};
    int idle_turns = 0;  // in a row that wanted to be called again at once
  };

  void on_start() override;
  void on_crash() override;
  void on_buried() override;

  void call_at(Loop& loop, Instant time);
  void turn(Loop& loop);
  [[nodiscard]] std::optional<Instant> next_decision(Instant wanted) const;
  [[nodiscard]] std::optional<Instant> next_work(Instant wanted);
  [[nodiscard]] std::optional<Instant> next_rescue(Instant wanted) const;
  /// Some tell the end of an attempt twice, and not even the same: what is written stays.
  void tell_again(const QueuedRun& run);
  [[nodiscard]] Clock& clock() { return around_.world.store_clock(); }

  Surroundings& around_;
  const PlannedActor& planned_;
  FaultyStore store_;
  ServerShare share_;
  SwitchedZones zones_;
  TallyingLog log_;
  std::int64_t context_count_ = 0;
  bool is_healed_ = false;
  std::unique_ptr<Services> services_;
  Loop deciding_;
  Loop working_;
  Loop rescuing_;
};

}  // namespace carillon::simulation
