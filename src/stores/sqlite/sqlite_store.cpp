#include "stores/sqlite/sqlite_store.hpp"

#include "base/assertion.hpp"
#include "engine/feed_rules.hpp"
#include "stores/sqlite/checkpointer.hpp"
#include "stores/sqlite/claiming.hpp"
#include "stores/sqlite/metadata_writing.hpp"
#include "stores/sqlite/opening.hpp"
#include "stores/sqlite/store_calls.hpp"
#include "stores/sqlite/transition_writing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

using sqlite::Access;
using sqlite::Connection;
using sqlite::ConnectionOptions;
using sqlite::FreshRun;
using sqlite::Lane;
using sqlite::Tables;

ConnectionOptions options_for(Access access, const SqliteOptions& options) {
  const bool is_writer = access == Access::write;
  return {.access = access,
          .cache_bytes = is_writer ? options.cache_bytes : options.cache_bytes / 4,
          .row_size_max = options.row_size_max,
          .page_count_max = options.page_count_max};
}

/// One more connection to the file that the store was opened with. Another one that stands under its name now is
/// neither read nor written: it has other tokens and another history.
Result<std::unique_ptr<Connection>> open_same(const sqlite::FileIdentity& identity, const ConnectionOptions& options) {
  TRY(identity.check());
  auto connection = TRY(Connection::open(identity.file(), options));
  // SQLite opens the log of writes with the first read, again by its name.
  TRY(connection->number("PRAGMA schema_version"));
  TRY(identity.check());
  return connection;
}

/// Opens the file anew each time it is called.
auto opener(const sqlite::FileIdentity& identity, Access access, const SqliteOptions& options) {
  return [identity, to = options_for(access, options), key = options.audit_key]() -> Result<std::unique_ptr<Tables>> {
    return std::make_unique<Tables>(TRY(open_same(identity, to)), key);
  };
}

/// The same for a file that somebody else may be writing, and replacing.
auto read_only_opener(const std::filesystem::path& file, const SqliteOptions& options) {
  return [file, to = options_for(Access::read, options), key = options.audit_key]() -> Result<std::unique_ptr<Tables>> {
    return std::make_unique<Tables>(TRY(Connection::open(file, to)), key);
  };
}

/// Notes that the file is in use, and tells how whoever had it before has ended.
Result<bool> take_possession(Connection& connection, Instant now) {
  const auto was_clean = TRY(connection.number("SELECT is_clean FROM meta"));
  // What the clock has done while nobody had the file open cannot be told from time that passed.
  TRY(connection.execute("UPDATE meta SET is_clean = 0, clock_offset = NULL"));
  // But no lease lasts longer than from now on, whatever it shows: a machine may start with a clock that is behind.
  TRY(connection.execute(fmt::format("UPDATE session SET lease_until = min(lease_until, {} + lease) WHERE phase = 0",
                                     now.time_since_epoch().count())));
  return was_clean != 0;
}

bool is_command(const Transition& transition) { return transition.request != 0; }

}  // namespace

SqliteStore::SqliteStore(Clock& clock, std::filesystem::path file)
    : clock_{clock}, file_{std::move(file)}, health_{std::make_unique<rows::HealthRecord>(clock)} {
  health_->on_change = [this](const std::optional<StoreFailure>& failure) {
    if (on_health_change) on_health_change(failure);
  };
}

const StoreHealth& SqliteStore::health() const { return *health_; }

StorePorts SqliteStore::ports() {
  return {.schedules = *this,
          .runs = *this,
          .queries = *this,
          .retention = *this,
          .events = *this,
          .audit = *this,
          .tokens = *this,
          .idempotency = *this,
          .notifier = *this,
          .health = health_.get(),
          .locks = this};
}

NotifierSubscription SqliteStore::subscribe(std::function<void(const StoreChange&)> listener) {
  return NotifierSubscription{listeners_.add(std::move(listener))};
}

Result<> SqliteStore::expect_undamaged() const {
  if (!health_->is_damaged()) return {};
  Error error =
      fail(ErrorCode::unavailable, "{}: the store is damaged; nothing new is written to it", file_.string()).error();
  error.rule = rule_of(StoreFailureKind::damaged);
  error.hint = remedy_of(StoreFailureKind::damaged);
  return std::unexpected(std::move(error));
}

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::filesystem::path& file, Clock& clock,
                                                       const SqliteOptions& options) {
  auto connection = TRY(Connection::open(file, options_for(Access::write, options)));
  TRY(check_owner(*connection));
  TRY(migrate(*connection));
  TRY(check_tables(*connection));

  std::unique_ptr<SqliteStore> store{new SqliteStore{clock, file}};
  store->was_closed_cleanly_ = TRY(take_possession(*connection, clock.now()));
  const auto identity = TRY(sqlite::FileIdentity::of(file));
  store->identity_ = identity;
  store->writer_ = std::make_unique<sqlite::WriteQueue>(
      opener(identity, Access::write, options), std::make_unique<Tables>(std::move(connection), options.audit_key));
  if (options.is_new_audit_key)
    TRY(store->writer_->run(Lane::housekeeping, [&](Tables& tables) -> Result<> {
      store->was_sealed_before_ = TRY(tables.audit.seal());
      return {};
    }));
  store->readers_ =
      std::make_unique<sqlite::ReaderPool>(opener(identity, Access::read_beside, options), options.reader_count);
  store->checkpointer_ = std::make_unique<sqlite::Checkpointer>(
      [identity, to = options_for(Access::write, options)] { return open_same(identity, to); }, *store->writer_,
      options.log_page_count_max);
  store->writer_->may_write = [to = store.get()] { return to->check_before_writing(); };
  store->writer_->on_change = [to = store.get()](const StoreChange& change) { to->listeners_.call(change); };
  store->writer_->on_outcome = [to = store->health_.get()](const Result<>& outcome) {
    to->note(rows::HealthRecord::Part::writing, outcome);
  };
  store->writer_->on_log_growth = [to = store->checkpointer_.get()](std::size_t pages) { to->note_log(pages); };
  return store;
}

Result<std::unique_ptr<SqliteStore>> SqliteStore::open_read_only(const std::filesystem::path& file, Clock& clock,
                                                                 const SqliteOptions& options) {
  auto connection = TRY(Connection::open(file, options_for(Access::read, options)));
  TRY(check_owner(*connection));
  if (TRY(connection->number("PRAGMA application_id")) != sqlite::application_id)
    return fail(ErrorCode::corrupt, "{}: the file is empty", file.string());
  TRY(expect_present_version(*connection));
  TRY(connection->execute(sqlite::Bound::begin));
  TRY(check_tables(*connection));
  std::unique_ptr<SqliteStore> store{new SqliteStore{clock, file}};
  store->was_closed_cleanly_ = TRY(connection->number("SELECT is_clean FROM meta")) != 0;
  store->readers_ = std::make_unique<sqlite::ReaderPool>(read_only_opener(file, options), options.reader_count);
  return store;
}

void SqliteStore::watch(LoopMonitor& loops) {
  writer_->watch(loops);
  checkpointer_->watch(loops);
}

SqliteStore::~SqliteStore() {
  if (!writer_ || !checkpointer_) return;
  // If it cannot be written, the next one will look at the file more closely.
  static_cast<void>(writer_->run(
      Lane::housekeeping, [](Tables& tables) { return tables.connection->execute("UPDATE meta SET is_clean = 1"); }));
}

Result<DueSchedules> SqliteStore::read_due(const DueRequest& request) {
  DueSchedules due{};
  const auto work = [&](Tables& tables) -> Result<> {
    due.store_now = clock_.now();
    due.zone_edition = TRY(tables.views.zone_edition());
    due.outages = TRY(tables.outages.newest(outages_told_max));
    return tables.views.read_due(request, due);
  };
  Result<> outcome{};
  // Who goes on behind others has these to write, and must not be in their way.
  const bool may_use_writer = writer_ && !request.after;
  if (!may_use_writer || !writer_->try_read(work, outcome)) outcome = readers_->read(work);
  health_->note(rows::HealthRecord::Part::deciding, outcome);
  if (!outcome) return std::unexpected(std::move(outcome).error());
  return due;
}

Result<CommitResult> SqliteStore::commit(const Batch& batch) {
  CARILLON_ASSERT(batch.attached == nullptr || batch.transitions.size() == 1);
  const bool is_user = batch.attached != nullptr || std::ranges::any_of(batch.transitions, is_command);
  const Lane lane = is_user ? Lane::user : Lane::due;
  return write_in<CommitResult>(lane, [&](Tables& tables, Instant now) -> Result<CommitResult> {
    CommitResult committed{.store_now = now, .items = {}, .claimed = {}};
    committed.items.reserve(batch.transitions.size());
    if (batch.attached != nullptr) TRY(check_attached(tables, *batch.attached, now));
    std::vector<FreshRun> fresh;
    fresh.reserve(batch.transitions.size());
    for (const Transition& transition : batch.transitions)
      committed.items.push_back(TRY(write_transition(tables, batch.writer, transition, fresh, now)));
    // What was decided holds, also if this server's own workers have lost their lease.
    const auto session = batch.claim ? TRY(tables.sessions.find(batch.claim->session, now)) : std::nullopt;
    if (session) committed.claimed = TRY(claim_runs(tables, *batch.claim, *session, fresh, now));
    TRY(queue_fresh(tables, fresh, now));
    if (batch.attached != nullptr && committed.items.front().outcome == WriteOutcome::Outcome::written)
      TRY(write_attached(tables, *batch.attached, committed.items.front().uid, committed.items.front().decisions, now));
    return committed;
  });
}

Result<ScheduleLookup> SqliteStore::find(const ScheduleKey& key) {
  return read<ScheduleLookup>([&](Tables& tables, Instant now) -> Result<ScheduleLookup> {
    ScheduleLookup found{.store_now = now,
                         .zone_edition = TRY(tables.views.zone_edition()),
                         .view = {},
                         .outages = TRY(tables.outages.newest(outages_told_max))};
    // Only the newest bearer of a name can be alive.
    const auto bearer = TRY(tables.definitions.find(key));
    if (bearer) found.view = TRY(tables.views.find(bearer->uid));
    return found;
  });
}

Result<ScheduleScanPage> SqliteStore::read_page(Uid after, std::size_t count_max) {
  return read<ScheduleScanPage>([&](Tables& tables, Instant now) -> Result<ScheduleScanPage> {
    ScheduleScanPage page = TRY(tables.views.page_head());
    page.store_now = now;
    page.views = TRY(tables.views.page(after, count_max));
    page.outages = TRY(tables.outages.newest(outages_told_max));
    return page;
  });
}

Result<std::vector<std::optional<StoredDefinition>>> SqliteStore::read_definitions(
    std::span<const DefinitionName> names) {
  using Definitions = std::vector<std::optional<StoredDefinition>>;
  return read<Definitions>([&](Tables& tables, Instant) -> Result<Definitions> {
    Definitions definitions;
    definitions.reserve(names.size());
    for (const DefinitionName& name : names) definitions.push_back(TRY(tables.definitions.read(name)));
    return definitions;
  });
}

Result<std::vector<PastRun>> SqliteStore::read_past_runs(Uid uid, Instant from, Instant to) {
  return read<std::vector<PastRun>>([&](Tables& tables, Instant) { return tables.past.read(uid, from, to); });
}

Result<std::optional<WrittenRequest>> SqliteStore::find_written(std::int64_t request) {
  return read<std::optional<WrittenRequest>>(
      [&](Tables& tables, Instant) { return tables.definitions.find_written(request); });
}

Result<bool> SqliteStore::quarantine(Uid uid, std::int64_t version, const std::string& error, Instant retry_at) {
  return write_in<bool>(Lane::due, [&](Tables& tables, Instant now) -> Result<bool> {
    if (!TRY(tables.states.quarantine(uid, version, error, retry_at))) return false;
    tables.feed.note(event_of_quarantine({.uid = uid, .at = now}));
    return true;
  });
}

Result<std::optional<std::string>> SqliteStore::read_quarantine(Uid uid) {
  return read<std::optional<std::string>>([&](Tables& tables, Instant) { return tables.views.quarantine(uid); });
}

Result<bool> SqliteStore::adopt_zone_edition(ZoneEdition expected, ZoneEdition next) {
  return write_in<bool>(Lane::housekeeping, [&](Tables& tables, Instant) -> Result<bool> {
    if (TRY(tables.views.zone_edition()) != expected) return false;
    TRY(tables.connection->execute(fmt::format("UPDATE meta SET zone_edition = {}", static_cast<std::int64_t>(next))));
    return true;
  });
}

Result<> SqliteStore::settle_zone_edition(ZoneEdition edition) {
  return write_in(Lane::housekeeping, [&](Tables& tables, Instant) {
    return tables.connection->execute(fmt::format("UPDATE meta SET settled_edition = {0} WHERE zone_edition = {0}",
                                                  static_cast<std::int64_t>(edition)));
  });
}

Result<std::optional<Outage>> SqliteStore::note_deciding(const Presence& presence) {
  return write_in<std::optional<Outage>>(
      Lane::due, [&](Tables& tables, Instant now) { return tables.outages.note(presence, tables.counters, now); });
}

Result<std::vector<LedgerRecord>> SqliteStore::read_ledger(Seq after, std::size_t count_max) {
  return read<std::vector<LedgerRecord>>([&](Tables& tables, Instant) { return tables.ledger.read(after, count_max); });
}

Result<std::vector<LedgerRecord>> SqliteStore::read_ledger_and_jobs(Seq after, std::size_t count_max) {
  return read<std::vector<LedgerRecord>>([&](Tables& tables, Instant) {
    return tables.ledger.read(after, count_max, sqlite::LedgerReading::Jobs::included);
  });
}

Result<std::vector<RetentionCandidate>> SqliteStore::read_lines(Seq after, std::size_t count_max) {
  return read<std::vector<RetentionCandidate>>(
      [&](Tables& tables, Instant) { return tables.forgetting.read_lines(after, count_max); });
}

Result<PrunableRuns> SqliteStore::read_prunable_runs(Uid uid, std::int64_t keep) {
  return read<PrunableRuns>([&](Tables& tables, Instant) { return tables.forgetting.read_prunable_runs(uid, keep); });
}

Result<> SqliteStore::forget_details(Uid uid, const PrunableRuns& beyond) {
  TRY(expect_undamaged());
  return write_in(Lane::housekeeping,
                  [&](Tables& tables, Instant) { return tables.forgetting.forget_details(uid, beyond); });
}

Result<> SqliteStore::forget_lines(std::span<const Seq> lines) {
  TRY(expect_undamaged());
  return write_in(Lane::housekeeping, [&](Tables& tables, Instant) -> Result<> {
    for (const Seq line : lines) TRY(tables.forgetting.forget_line(line));
    return {};
  });
}

Result<std::vector<DeletedSchedule>> SqliteStore::read_deleted(Uid after, std::size_t count_max) {
  return read<std::vector<DeletedSchedule>>(
      [&](Tables& tables, Instant) { return tables.removal.read_deleted(after, count_max); });
}

Result<> SqliteStore::forget_schedule(Uid uid) {
  TRY(expect_undamaged());
  return write_in(Lane::housekeeping, [&](Tables& tables, Instant now) -> Result<> {
    // Answers to requests about it are kept for a day, and may show all of it.
    TRY(tables.idempotency.forget_old(now));
    return tables.removal.remove(uid);
  });
}

Result<> SqliteStore::check_file() const { return identity_ ? identity_->check() : Result<>{}; }

// By the one writer, one thread at a time.
Result<> SqliteStore::check_before_writing() {
  auto checked = check_file();
  const bool was_gone = std::exchange(is_file_gone_, !checked);
  if (!checked && !was_gone && on_file_gone) on_file_gone(checked.error());
  return checked;
}

Result<> SqliteStore::check_integrity() {
  const auto connection = TRY(Connection::open(file_, {.access = Access::read}));
  // At one moment: what is compared must not have been written in between.
  TRY(connection->execute(sqlite::Bound::begin));
  auto checked = check_tables(*connection);
  if (checked) checked = check_everything(*connection);
  if (!checked && checked.error().code == ErrorCode::corrupt) health_->note_damage(checked.error());
  return checked;
}

}  // namespace carillon
