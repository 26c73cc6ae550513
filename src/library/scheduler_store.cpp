#include "library/scheduler_store.hpp"

#include "base/crypto.hpp"
#include "data_folder/run_id_key.hpp"
#include "data_folder/sealed_store.hpp"
#include "executors/process/detached_work.hpp"
#include "executors/process/launcher_lock.hpp"
#include "library/memory_log_store.hpp"
#include "stores/logs/file_log_store.hpp"
#include "stores/memory/memory_store.hpp"
#include "stores/sqlite/sqlite_store.hpp"

#include <chrono>
#include <utility>

namespace carillon {
namespace {

/// How long the launcher of a server that has died may need to end its commands.
constexpr Duration launcher_patience = std::chrono::seconds{30};

template <typename Store>
SchedulerStore made_of(std::optional<DataDirectory> directory, std::unique_ptr<Store> store,
                       std::unique_ptr<LogStore> logs, const RunIds& run_ids) {
  const StorePorts ports = store->ports();
  return {.directory = std::move(directory),
          .owner = std::move(store),
          .ports = ports,
          .logs = std::move(logs),
          .run_ids = run_ids};
}

SchedulerStore in_memory(Clock& clock) {
  RunIds::Key key{};
  fill_randomly(key);
  return made_of(std::nullopt, std::make_unique<MemoryStore>(clock), std::make_unique<MemoryLogStore>(), RunIds{key});
}

}  // namespace

Result<SchedulerStore> SchedulerStore::open(const std::filesystem::path& data, Clock& clock, Log& log) {
  if (data.empty()) return in_memory(clock);
  DataDirectory directory = TRY(DataDirectory::take(data));
  TRY(directory.expect_database());
  TRY(directory.protect_database());
  // The folder may have been a server's: its commands must have ended before their runs are marked as lost.
  TRY(wait_until_gone(directory.launcher_lock(), launcher_patience));
  TRY(expect_no_detached_work(directory.adopted(), launcher_patience));
  auto store = TRY(open_sealed_store(directory, clock, log));
  TRY(store->end_all_sessions());
  const RunIds run_ids = TRY(open_run_ids(directory.run_id_key()));
  auto logs = TRY(FileLogStore::open(directory.logs()));
  return made_of(std::move(directory), std::move(store), std::move(logs), run_ids);
}

}  // namespace carillon
