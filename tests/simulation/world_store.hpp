#pragma once

#include "ports/clock.hpp"
#include "simulation/passing_store.hpp"
#include "simulation/plan.hpp"
#include "stores/memory/memory_store.hpp"
#include "stores/sqlite/sqlite_store.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>

namespace carillon::simulation {

/// The one store of a world: in memory, or a SQLite file on a simulated disk, which is gone with the world. Its ports
/// stay the same when the file is opened anew.
class WorldStore {
 public:
  WorldStore(StoreKind kind, Clock& clock, std::uint64_t seed);
  ~WorldStore();
  WorldStore(const WorldStore&) = delete;
  WorldStore& operator=(const WorldStore&) = delete;

  [[nodiscard]] Ports ports() { return gate_.ports(); }

  /// A fault of the disk begins or ends; others do not concern the store.
  void begin(const Fault& fault);
  void end(const Fault& fault);
  /// All faults are over.
  void heal();

 private:
  /// Stands before the store, whichever it is.
  class Gate final : public PassingStore {
   public:
    using PassingStore::PassingStore;
    void move_to(Ports below) { below_.emplace(below); }
  };

  [[nodiscard]] std::unique_ptr<SqliteStore> open_file();
  void lose_power(double kept);

  Clock& clock_;
  std::uint64_t seed_;
  MemoryStore memory_;
  std::filesystem::path folder_;
  std::unique_ptr<SqliteStore> sqlite_;
  Gate gate_;
};

}  // namespace carillon::simulation
