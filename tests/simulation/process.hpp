#pragma once

#include "runtime/clock_watch.hpp"
#include "scheduling/definition_cache.hpp"
#include "scheduling/run_finisher.hpp"
#include "scheduling/scheduling.hpp"
#include "simulation/actor.hpp"
#include "simulation/edition_zones.hpp"
#include "simulation/faulty_store.hpp"
#include "simulation/surroundings.hpp"
#include "simulation/worker.hpp"

#include <memory>
#include <optional>

namespace carillon::simulation {

/// A server or a worker: the loop around carillon's scheduling, as a runtime has it, over a store that may fail.
class Process final : public Actor {
 public:
  Process(Surroundings& surroundings, const PlannedActor& planned, Ports store, std::function<std::string(Uid)> id_of,
          ServerShare share);

  [[nodiscard]] bool is_server() const { return planned_.is_server; }
  [[nodiscard]] const PlannedActor& planned() const { return planned_; }
  [[nodiscard]] ScheduleStore& store() { return store_; }
  /// Only in a life of a server.
  [[nodiscard]] Scheduling& scheduling() { return *context_->scheduling; }

  /// Something was written: it will look at it within a second.
  void poke();
  /// From its next tick on it works by these zone rules.
  void give_zones(EditionZones& zones, ZoneEdition edition);
  void heal();

  /// Whether the store's clock has made a large step before the eyes of this server, so lately that it cannot believe
  /// it.
  [[nodiscard]] bool is_clock_doubted() const;

 private:
  /// What a life holds in memory.
  struct EditionContext {
    std::unique_ptr<DefinitionCache> definitions;
    std::unique_ptr<Scheduling> scheduling;
    std::unique_ptr<RunFinisher> finisher;
  };

  void on_start() override;
  void on_crash() override;
  void on_buried() override;

  void tick();
  void tick_at(Instant time);
  void make_mind();
  void take_up_zones();
  /// Whether decisions may be made by the store's clock.
  [[nodiscard]] bool watch_clock();
  [[nodiscard]] bool note_presence(Instant store_now);
  [[nodiscard]] bool reopen_future();
  [[nodiscard]] Duration since_boot() const;
  void decide();
  void run_maintenance();
  void want(Instant time);

  Surroundings& around_;
  const PlannedActor& planned_;
  FaultyStore store_;
  ServerShare share_;
  Worker worker_;
  std::optional<EditionContext> context_;
  EditionZones* zones_ = nullptr;
  ZoneEdition edition_ = first_edition;
  std::int64_t context_count_ = 0;
  bool must_adopt_ = false;
  bool must_reopen_ = false;
  std::optional<Instant> next_tick_;
  std::optional<Instant> wanted_;  // while ticking: the earliest time somebody asked for
  std::optional<ClockWatch> watch_;
  std::optional<Instant> first_look_;     // of this life, true time
  std::optional<Instant> present_since_;  // by the store's clock
  bool has_stepped_ = false;
  bool has_been_halted_ = false;
  Instant next_note_;
  Instant newest_seen_ = instant_min;  // of the store's clock; a real server finds it in the ledger
  Instant next_maintenance_;
};

}  // namespace carillon::simulation
