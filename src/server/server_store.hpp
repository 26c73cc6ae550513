#pragma once

#include "base/error.hpp"
#include "base/loop_monitor.hpp"
#include "data_folder/data_directory.hpp"
#include "ports/clock.hpp"
#include "ports/executor.hpp"
#include "ports/log.hpp"
#include "ports/log_store.hpp"
#include "ports/store_ports.hpp"
#include "service/run_ids.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace carillon {

class PostgresStore;
class SqliteStore;

/// Asked when a shared store cannot be used now and may be later: returns after a while, or an error to give up with.
using StoreWait = std::function<Result<>(const Error& failure, Duration pause)>;

/// The store of a server: a file in its data folder, or a PostgreSQL database that servers share.
class ServerStore {
 public:
  /// Empty `url`: the embedded store of the folder. Else `postgres://…`: other servers may be using it. A database that
  /// is not there is tried again for as long as `wait` says; one that refuses us, or has another schema, is not.
  [[nodiscard]] static Result<ServerStore> open(const DataDirectory& directory, const std::string& url, Clock& clock,
                                                Log& log, const StoreWait& wait = {});
  ServerStore(ServerStore&& other) noexcept;
  ServerStore& operator=(ServerStore&& other) noexcept;
  ~ServerStore();

  [[nodiscard]] StorePorts ports();
  /// Whether other servers may be using the same store: nothing that is not ours may be ended or called lost.
  [[nodiscard]] bool is_shared() const { return postgres_ != nullptr; }
  /// The part of the schedules that this server decides first; all of them where there is no other.
  [[nodiscard]] ServerShare share() const;
  /// What to call it in messages; empty: it is in the data folder.
  [[nodiscard]] std::string description() const;

  /// Ends the sessions that the folder's last owner has left, but for those attempts: they go to a session of their
  /// own. A shared store keeps all of them, until their leases end.
  [[nodiscard]] Result<std::optional<SessionId>> take_over(std::span<const AttemptKey> spared,
                                                           const std::string& worker);
  /// The ids of runs are the same on every server of a store.
  [[nodiscard]] Result<RunIds> open_run_ids(const DataDirectory& directory);
  /// What seals sessions beside the key of run ids, which lies in a shared store for all its readers to see. Kept in
  /// the data folder, so that a session is one server's. Empty if the store is that folder's own.
  [[nodiscard]] Result<std::string> open_session_secret(const DataDirectory& directory);

  /// Where output is kept: in the folder, or in the shared store, for every server to show.
  [[nodiscard]] Result<std::unique_ptr<LogStore>> open_logs(const DataDirectory& directory) const;

  [[nodiscard]] Result<> check_file() const;
  [[nodiscard]] bool was_closed_cleanly() const;
  [[nodiscard]] Result<> check_integrity();
  void watch(LoopMonitor& loops);
  void on_health_change(std::function<void(const std::optional<StoreFailure>&)> tell);
  void on_file_gone(std::function<void(const Error&)> tell);

 private:
  ServerStore();

  // One of them.
  std::unique_ptr<SqliteStore> sqlite_;
  std::unique_ptr<PostgresStore> postgres_;
};

/// Creates the schema of a shared store or brings it to the present version; says what it did.
[[nodiscard]] Result<std::string> migrate_shared_store(const std::string& url);

}  // namespace carillon
