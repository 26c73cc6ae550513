#include "library/scheduler_store.hpp"

#include "base/crypto.hpp"
#include "data_folder/run_id_key.hpp"
#include "executors/process/detached_work.hpp"
#include "executors/process/launcher_lock.hpp"
#include "stores/memory/memory_store.hpp"
#include "stores/sqlite/sqlite_store.hpp"

#include <chrono>
#include <utility>

namespace carillon {
namespace {

/// What a server's launcher may need to end everything after the server has died.
constexpr Duration launcher_patience = std::chrono::seconds{30};

template <typename Store>
SchedulerStore made_of(std::optional<DataDirectory> directory, std::unique_ptr<Store> store, const RunIds& run_ids) {
  const StorePorts ports = store->ports();
  return {.directory = std::move(directory), .owner = std::move(store), .ports = ports, .run_ids = run_ids};
}

SchedulerStore in_memory(Clock& clock) {
  RunIds::Key key{};
  fill_randomly(key);
  return made_of(std::nullopt, std::make_unique<MemoryStore>(clock), RunIds{key});
}

}  // namespace

Result<SchedulerStore> SchedulerStore::open(const std::filesystem::path& data, Clock& clock) {
  if (data.empty()) return in_memory(clock);
  DataDirectory directory = TRY(DataDirectory::take(data));
  TRY(directory.expect_database());
  TRY(directory.protect_database());
  // The folder may have been a server's, whose commands must be gone before they are called lost.
  TRY(wait_until_gone(directory.launcher_lock(), launcher_patience));
  TRY(expect_no_detached_work(directory.adopted(), launcher_patience));
  auto store = TRY(SqliteStore::open(directory.database(), clock));
  TRY(store->end_all_sessions());
  const RunIds run_ids = TRY(open_run_ids(directory.run_id_key()));
  return made_of(std::move(directory), std::move(store), run_ids);
}

}  // namespace carillon
