#include "simulation/world_store.hpp"

#include "simulation/draw.hpp"
#include "simulation/simulated_disk.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace carillon::simulation {
namespace {

std::filesystem::path new_folder(StoreKind kind) {
  if (kind != StoreKind::sqlite) return {};
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("carillon-world-{}", ::getpid());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

}  // namespace

WorldStore::WorldStore(StoreKind kind, Clock& clock, std::uint64_t seed)
    : clock_{clock},
      seed_{seed},
      memory_{clock},
      folder_{new_folder(kind)},
      sqlite_{kind == StoreKind::sqlite ? open_file() : nullptr},
      gate_{sqlite_ ? Ports{*sqlite_, *sqlite_} : Ports{memory_, memory_}} {}

WorldStore::~WorldStore() {
  sqlite_.reset();
  if (folder_.empty()) return;
  SimulatedDisk::instance().reset();
  std::filesystem::remove_all(folder_);
}

std::unique_ptr<SqliteStore> WorldStore::open_file() {
  // It must exist before SQLite opens its first file.
  (void)SimulatedDisk::instance();
  return SqliteStore::open(folder_ / "carillon.db", clock_).value();
}

void WorldStore::begin(const Fault& fault) {
  if (!sqlite_) return;
  SimulatedDisk& disk = SimulatedDisk::instance();
  if (fault.kind == FaultKind::disk_full) disk.set_full(true);
  if (fault.kind == FaultKind::disk_errors) disk.set_failing(fault.rate, key_of(seed_, "disk", fault.number));
  if (fault.kind == FaultKind::power_loss) lose_power(Draw{key_of(seed_, "kept", fault.number)}.fraction());
}

void WorldStore::end(const Fault& fault) {
  if (!sqlite_) return;
  if (fault.kind == FaultKind::disk_full) SimulatedDisk::instance().set_full(false);
  if (fault.kind == FaultKind::disk_errors) SimulatedDisk::instance().set_failing(0, 0);
}

void WorldStore::heal() {
  if (!sqlite_) return;
  SimulatedDisk::instance().set_full(false);
  SimulatedDisk::instance().set_failing(0, 0);
}

// The machine comes back at once; that nobody reaches it for a while is for the servers' faults.
void WorldStore::lose_power(double kept) {
  SimulatedDisk& disk = SimulatedDisk::instance();
  disk.set_full(false);
  disk.set_failing(0, 0);
  disk.cut_power();
  sqlite_.reset();
  disk.restore_power(kept);
  sqlite_ = open_file();
  gate_.move_to({*sqlite_, *sqlite_});
}

}  // namespace carillon::simulation
