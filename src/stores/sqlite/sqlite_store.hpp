#pragma once

#include "base/error.hpp"
#include "base/listener_list.hpp"
#include "base/loop_monitor.hpp"
#include "ports/clock.hpp"
#include "ports/executor.hpp"
#include "ports/store_ports.hpp"
#include "stores/sqlite/file_identity.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace carillon {

namespace rows {
class HealthRecord;
}  // namespace rows

namespace sqlite {
class ReaderPool;
class WriteQueue;
class Checkpointer;
struct Tables;
enum class Lane;
}  // namespace sqlite

struct SqliteOptions {
  std::size_t cache_bytes = std::size_t{32} << 20;  // of the writer; a reader has a quarter of it
  std::size_t reader_count = 4;                     // that read at the same time; more wait
  std::size_t row_size_max = std::size_t{64} << 20;
  std::optional<std::int64_t> page_count_max{};  // the file does not grow beyond; pages have 4 KiB
  std::size_t log_page_count_max = 4'000;        // then the log is copied to the file, in the background
  std::string audit_key{};                       // seals the audit log; empty: it is not sealed
  bool is_new_audit_key = false;                 // what exists is sealed with it now
};

/// The embedded store: one file, one writer, readers beside it. Calls may come from several threads; what waits at the
/// same time is written in one transaction, and a call returns when its part is durable.
///
/// An error `unavailable` names the file and the cause (the disk is full, somebody else writes), and the same store
/// goes on when the cause is gone; `corrupt` means that the file is not what was written.
class SqliteStore final : public ScheduleStore,
                          public RunQueue,
                          public Retention,
                          public QueryStore,
                          public EventFeed,
                          public AuditLog,
                          public TokenStore,
                          public IdempotencyStore,
                          public Notifier,
                          public LockStore {
 public:
  /// Opens or creates the file and brings it to the present format. Refuses, and leaves alone, what is another
  /// program's, newer than this program, or damaged.
  [[nodiscard]] static Result<std::unique_ptr<SqliteStore>> open(const std::filesystem::path& file, Clock& clock,
                                                                 const SqliteOptions& options = {});
  /// For a look at a file that another process may be writing. Whatever writes is refused with a conflict.
  [[nodiscard]] static Result<std::unique_ptr<SqliteStore>> open_read_only(const std::filesystem::path& file,
                                                                           Clock& clock,
                                                                           const SqliteOptions& options = {});
  /// An orderly end. Nobody may be calling any more.
  ~SqliteStore() override;

  Result<DueSchedules> read_due(const DueRequest& request) override;
  Result<CommitResult> commit(const Batch& batch) override;
  Result<ScheduleLookup> find(const ScheduleKey& key) override;
  Result<ScheduleScanPage> read_page(Uid after, std::size_t count_max) override;
  Result<std::vector<std::optional<StoredDefinition>>> read_definitions(std::span<const DefinitionName> names) override;
  Result<std::vector<PastRun>> read_past_runs(Uid uid, Instant from, Instant to) override;
  Result<std::optional<WrittenRequest>> find_written(std::int64_t request) override;
  Result<bool> quarantine(Uid uid, std::int64_t version, const std::string& error, Instant retry_at) override;
  Result<std::optional<std::string>> read_quarantine(Uid uid) override;
  Result<bool> adopt_zone_edition(ZoneEdition expected, ZoneEdition next) override;
  Result<> settle_zone_edition(ZoneEdition edition) override;
  Result<std::optional<Outage>> note_deciding(const Presence& presence) override;
  Result<std::vector<LedgerRecord>> read_ledger(Seq after, std::size_t count_max) override;
  /// The same with jobs that have no schedule.
  [[nodiscard]] Result<std::vector<LedgerRecord>> read_ledger_and_jobs(Seq after, std::size_t count_max);

  Result<SessionId> open_session(const std::string& worker, Duration lease) override;
  Result<ClaimResult> claim(const ClaimRequest& request) override;
  Result<std::vector<RunWritten>> write(std::span<const RunUpdate> updates) override;
  Result<bool> has_claimable(std::span<const std::string> queues, const WorkerSkills& skills) override;
  Result<Pulse> heartbeat(const Heartbeat& heartbeat) override;
  Result<> close_session(SessionId session) override;
  Result<std::vector<ClaimedRun>> read_held(SessionId session) override;
  Result<std::vector<ClaimedRun>> adopt(const ClaimRequest& request) override;
  Result<std::vector<QueuedRun>> read_lost(std::size_t count_max) override;
  Result<std::vector<QueuedRun>> read_expired(std::size_t count_max) override;
  Result<std::vector<std::optional<QueuedRun>>> read_runs(std::span<const Seq> seqs) override;
  Result<std::optional<std::string>> read_result(Seq run) override;
  Result<std::vector<Seq>> enqueue(std::span<const AdhocRun> jobs, const CommandMetadata& attached) override;
  Result<RunWritten> write_command(const RunUpdate& update, const CommandMetadata& attached) override;
  Result<bool> pause_queue(const std::string& queue, bool is_paused, const CommandMetadata& attached) override;
  Result<bool> limit_queue(const std::string& queue, std::optional<std::int64_t> limit,
                           const CommandMetadata& attached) override;
  Result<bool> keep_failed(const std::string& queue, bool is_kept, const CommandMetadata& attached) override;
  Result<bool> unpark(Seq run, const CommandMetadata& attached) override;
  Result<Instant> store_now() override;

  Result<std::vector<RetentionCandidate>> read_lines(Seq after, std::size_t count_max) override;
  Result<PrunableRuns> read_prunable_runs(Uid uid, std::int64_t keep) override;
  Result<> forget_details(Uid uid, const PrunableRuns& beyond) override;
  Result<> forget_lines(std::span<const Seq> lines) override;
  Result<std::vector<DeletedSchedule>> read_deleted(Uid after, std::size_t count_max) override;
  Result<> forget_schedule(Uid uid) override;

  Result<std::optional<ScheduleRecord>> read_schedule(const ScheduleKey& key) override;
  Result<std::optional<ScheduleRecord>> read_schedule(Uid uid) override;
  Result<ScheduleList> list_schedules(const ScheduleListRequest& request) override;
  Result<RunList> list_runs(const RunListRequest& request) override;
  Result<std::vector<std::optional<RunRecordRow>>> read_run_records(std::span<const Seq> seqs) override;
  Result<std::optional<Seq>> find_run(const std::string& name_space, const std::string& name) override;
  Result<PastDecisions> read_decisions(Uid uid, Instant from, Instant to, std::size_t count_max) override;
  Result<std::vector<ChangeLine>> read_revisions(Uid uid, const RevisionListRequest& request) override;
  Result<std::vector<Backfill>> read_backfills(Uid uid) override;
  Result<BackfillList> list_backfills(const BackfillListRequest& request) override;
  Result<std::vector<ScheduleRecord>> read_waking(const std::optional<std::string>& name_space, Instant before,
                                                  std::size_t count_max) override;
  Result<std::vector<Outage>> read_outages(Instant from, Instant to, std::size_t count_max) override;
  Result<std::vector<QueueRecord>> read_queues() override;
  Result<std::vector<Seq>> read_dead_letters(std::optional<Seq> before, std::size_t count_max) override;
  Result<std::vector<std::string>> read_paused_queues() override;
  Result<std::vector<WorkerRecord>> read_workers(std::size_t count_max) override;
  Result<Totals> read_totals() override;

  Result<FeedPage> read_events(std::optional<std::int64_t> after, std::size_t count_max) override;

  NotifierSubscription subscribe(std::function<void(const StoreChange&)> listener) override;

  Result<> append(const AuditEntry& entry) override;
  Result<std::vector<AuditRecord>> read_audit(std::optional<std::int64_t> before,
                                              const std::optional<std::string>& name_space,
                                              std::size_t count_max) override;
  Result<std::optional<AuditBreak>> find_broken_record() override;
  Result<AuditHead> read_audit_head() override;

  Result<> add_token(const StoredToken& token, const AuditEntry& audit) override;
  Result<std::optional<StoredToken>> find_token(const std::string& id) override;
  Result<std::vector<StoredToken>> read_tokens() override;
  Result<> revoke_token(const std::string& id, Instant at, const AuditEntry& audit) override;

  Result<std::optional<IdempotencyRecord>> find_request(const std::string& key) override;
  Result<> keep_answer(const IdempotencyKey& key, const std::string& answer) override;

  Result<LockAttempt> acquire_lock(const LockRequest& request) override;
  Result<std::optional<LockRecord>> extend_lock(const std::string& name, const std::string& token,
                                                Duration ttl) override;
  Result<bool> release_lock(const std::string& name, const std::string& token) override;
  Result<std::optional<LockRecord>> read_lock(const std::string& name) override;

  /// Everything above, for those who need not know which store it is.
  [[nodiscard]] StorePorts ports();

  /// Ends the sessions of whoever had the file before, however long their leases still last: for the one owner of the
  /// file, who knows that nothing of theirs runs any more.
  [[nodiscard]] Result<> end_all_sessions();
  /// The same for what a server performs itself: workers in other processes keep their sessions until their leases end.
  /// Attempts may outlive their owner: those of `spared` that still run go to one session of their
  /// own, under this name, whose lease does not end by itself. None if there are none.
  [[nodiscard]] Result<std::optional<SessionId>> end_all_sessions_but(std::span<const AttemptKey> spared,
                                                                      const std::string& worker);

  /// Whether whoever had the file before has ended in order. If not, `check_integrity` is worth its time.
  [[nodiscard]] bool was_closed_cleanly() const { return was_closed_cleanly_; }

  /// Whether the store can do its work. After damage was met nothing new is taken or started: what changes schedules,
  /// decides, claims or forgets is refused, and only what runs may still end.
  [[nodiscard]] const StoreHealth& health() const;
  /// Called when that changes, from any thread; to be set before there are others.
  std::function<void(const std::optional<StoreFailure>&)> on_health_change;

  /// Whether the audit log had been sealed with another key than the new one it was opened with.
  [[nodiscard]] bool was_sealed_before() const { return was_sealed_before_; }

  /// Its writer and its thread are watched from now on. Not for a store that is only for reading.
  void watch(LoopMonitor& loops);

  /// Reads the whole file and compares what must agree; corrupt with what was found. Takes as long as reading does and
  /// holds up nobody.
  [[nodiscard]] Result<> check_integrity();

  /// Whether the file that was opened is still the one under its name: an error `unavailable` (rule "store-unwritable")
  /// if it or its folder was deleted or replaced. Everything that writes is refused with the same error, rather than
  /// acknowledged and lost. Cheap; for any thread.
  [[nodiscard]] Result<> check_file() const;
  /// Called once when a write finds the file gone, and again only if it was back meanwhile; by the thread that writes.
  /// To be set before anything is written.
  std::function<void(const Error&)> on_file_gone;

 private:
  SqliteStore(Clock& clock, std::filesystem::path file);

  /// Reads at one moment of the store, beside the writer.
  template <typename Value, typename Read>
  [[nodiscard]] Result<Value> read(Read work);
  /// Writes in one transaction, perhaps with others.
  template <typename Value, typename Write>
  [[nodiscard]] Result<Value> write_in(sqlite::Lane lane, Write work);
  template <typename Write>
  [[nodiscard]] Result<> write_in(sqlite::Lane lane, Write work);
  [[nodiscard]] Result<> expect_undamaged() const;
  [[nodiscard]] Result<> check_before_writing();

  Clock& clock_;
  std::filesystem::path file_;
  std::unique_ptr<rows::HealthRecord> health_;
  std::optional<sqlite::FileIdentity> identity_;  // none if it is only for reading
  ListenerList<StoreChange> listeners_;
  bool is_file_gone_ = false;  // as the writer saw it last
  bool was_closed_cleanly_ = true;
  bool was_sealed_before_ = false;
  std::unique_ptr<sqlite::WriteQueue> writer_;  // none if it is only for reading
  std::unique_ptr<sqlite::ReaderPool> readers_;
  std::unique_ptr<sqlite::Checkpointer> checkpointer_;
};

}  // namespace carillon
