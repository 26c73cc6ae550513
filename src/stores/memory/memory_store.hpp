#pragma once

#include "base/blocking.hpp"
#include "base/listener_list.hpp"
#include "ports/clock.hpp"
#include "ports/store_ports.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace carillon {

namespace memory {
struct Tables;
}

/// The reference store: everything in maps, gone with the object. Calls may come from several threads.
class MemoryStore final : public ScheduleStore,
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
  /// All times come from `clock`.
  explicit MemoryStore(Clock& clock);
  ~MemoryStore() override;

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

  NotifierSubscription subscribe(std::function<void(const StoreChange&)> listener) override;

  /// Everything above, for those who need not know which store it is.
  [[nodiscard]] StorePorts ports();

  /// Lines of the ledger.
  [[nodiscard]] std::size_t ledger_size();

 private:
  /// Holds the store while something is written. When it lets go of it, listeners are told what has changed.
  class WriteScope {
   public:
    explicit WriteScope(MemoryStore& store);
    WriteScope(const WriteScope&) = delete;
    WriteScope& operator=(const WriteScope&) = delete;
    ~WriteScope();

   private:
    MemoryStore& store_;
  };

  /// The present moment, with everything done that only its coming does.
  [[nodiscard]] Instant now();
  /// The same for something that is written.
  [[nodiscard]] Instant time_of_writing();

  Clock& clock_;
  StoreMutex mutex_;
  std::unique_ptr<memory::Tables> tables_;
  ListenerList<StoreChange> listeners_;
};

}  // namespace carillon
