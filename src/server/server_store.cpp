#include "server/server_store.hpp"

#include "base/crypto.hpp"
#include "data_folder/run_id_key.hpp"
#include "data_folder/sealed_store.hpp"
#include "ports/store_health.hpp"
#include "server/store_copy.hpp"
#include "stores/logs/file_log_store.hpp"
#include "stores/postgres/postgres_log_store.hpp"
#include "stores/postgres/postgres_store.hpp"
#include "stores/sqlite/sqlite_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace carillon {
namespace {

/// Between two looks for a database that is not there; twice as long each time.
constexpr Duration first_pause = std::chrono::milliseconds{250};
constexpr Duration longest_pause = std::chrono::seconds{5};

bool is_worth_waiting(const Error& error) {
  const auto kind = failure_kind_of(error.rule);
  return kind && may_heal(*kind);
}

Result<std::unique_ptr<PostgresStore>> open_patiently(const postgres::StoreUrl& address, Clock& clock,
                                                      const StoreWait& wait) {
  for (Duration pause = first_pause;; pause = std::min(2 * pause, longest_pause)) {
    auto opened = PostgresStore::open(address, clock);
    if (opened || !wait || !is_worth_waiting(opened.error())) return opened;
    TRY(wait(opened.error(), pause));
  }
}

}  // namespace

ServerStore::ServerStore() = default;
ServerStore::ServerStore(ServerStore&& other) noexcept = default;
ServerStore& ServerStore::operator=(ServerStore&& other) noexcept = default;
ServerStore::~ServerStore() = default;

Result<ServerStore> ServerStore::open(const DataDirectory& directory, const std::string& url, Clock& clock, Log& log,
                                      const StoreWait& wait) {
  ServerStore store;
  if (!url.empty()) {
    const auto address = TRY(postgres::parse_store_url(url));
    if (address.has_password)
      log.warn("the address of the store has a password, which other users of this machine may see",
               {{"help", "give it by PGPASSFILE, ~/.pgpass or PGPASSWORD"}});
    store.postgres_ = TRY(open_patiently(address, clock, wait));
    return store;
  }
  TRY(expect_not_moved(directory.path().string()));
  TRY(directory.protect_database());
  TRY(expect_kept_store(directory, clock));
  store.sqlite_ = TRY(open_sealed_store(directory, clock, log));
  return store;
}

StorePorts ServerStore::ports() { return sqlite_ ? sqlite_->ports() : postgres_->ports(); }

ServerShare ServerStore::share() const { return postgres_ ? postgres_->share() : ServerShare{}; }

std::string ServerStore::description() const { return postgres_ ? postgres_->description() : std::string{}; }

Result<std::optional<SessionId>> ServerStore::take_over(std::span<const AttemptKey> spared, const std::string& worker) {
  if (sqlite_) return sqlite_->end_all_sessions_but(spared, worker);
  return std::optional<SessionId>{};
}

Result<RunIds> ServerStore::open_run_ids(const DataDirectory& directory) {
  if (sqlite_) return carillon::open_run_ids(directory.run_id_key());
  RunIds::Key key{};
  fill_randomly(key);
  const std::string shared =
      TRY(postgres_->shared_key("run-id", std::string{reinterpret_cast<const char*>(key.data()), key.size()}));
  if (shared.size() != key.size()) return fail(ErrorCode::corrupt, "the key of run ids in the store is damaged");
  std::copy_n(shared.begin(), key.size(), key.begin());
  return RunIds{key};
}

Result<std::string> ServerStore::open_session_secret(const DataDirectory& directory) {
  if (sqlite_) return std::string{};
  return TRY(carillon::open_run_ids(directory.path() / "session.key")).derived_key("sessions");
}

Result<std::unique_ptr<LogStore>> ServerStore::open_logs(const DataDirectory& directory) const {
  if (postgres_) return std::make_unique<PostgresLogStore>(postgres_->url());
  return TRY(FileLogStore::open(directory.logs()));
}

Result<> ServerStore::check_file() const { return sqlite_ ? sqlite_->check_file() : Result<>{}; }

bool ServerStore::was_closed_cleanly() const { return !sqlite_ || sqlite_->was_closed_cleanly(); }

Result<> ServerStore::check_integrity() { return sqlite_ ? sqlite_->check_integrity() : Result<>{}; }

void ServerStore::watch(LoopMonitor& loops) {
  if (sqlite_) sqlite_->watch(loops);
}

void ServerStore::on_health_change(std::function<void(const std::optional<StoreFailure>&)> tell) {
  if (sqlite_)
    sqlite_->on_health_change = std::move(tell);
  else
    postgres_->on_health_change = std::move(tell);
}

void ServerStore::on_file_gone(std::function<void(const Error&)> tell) {
  if (sqlite_) sqlite_->on_file_gone = std::move(tell);
}

Result<std::string> migrate_shared_store(const std::string& url) {
  const auto address = TRY(postgres::parse_store_url(url));
  const std::int64_t before = TRY(PostgresStore::migrate(address));
  const std::int64_t now = postgres::present_schema_version();
  if (before == now)
    return fmt::format("{}: schema {} is up to date (version {})\n", address.description, address.schema, now);
  if (before == 0) return fmt::format("{}: schema {} created (version {})\n", address.description, address.schema, now);
  return fmt::format("{}: schema {} brought from version {} to {}\n", address.description, address.schema, before, now);
}

}  // namespace carillon
