#pragma once

#include "base/error.hpp"
#include "base/listener_list.hpp"
#include "ports/clock.hpp"
#include "ports/store_ports.hpp"
#include "stores/postgres/connection.hpp"
#include "stores/postgres/store_url.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace carillon {

namespace rows {
class HealthRecord;
}  // namespace rows

namespace postgres {
class ChangeWatcher;
class ClockWatch;
class ConnectionPool;
class Lineage;
class Transaction;
class WriteSet;
struct ClockReading;
}  // namespace postgres

namespace postgres {
/// The version of the schema that this program needs.
[[nodiscard]] std::int64_t present_schema_version();
}  // namespace postgres

struct PostgresOptions {
  std::size_t connection_count_max = 8;  // and one more that listens
  postgres::TimeLimits limits{};
  bool is_watching = true;  // hears of what other processes write
  std::chrono::milliseconds poll_time{1'000};
};

/// The shared store: a schema of a PostgreSQL database, for any number of servers. Calls may come from several threads
/// and take a connection each. All times are the database's. Nothing is kept in sessions of the database, so that a
/// transaction pooler may stand between.
///
/// An error `unavailable` names the database and the cause, and the same store goes on when the cause is gone. A call
/// is repeated by itself if the database says that this can help, or the connection was lost before it was asked to
/// commit.
class PostgresStore final : public ScheduleStore,
                            public RunQueue,
                            public Retention,
                            public QueryStore,
                            public EventFeed,
                            public AuditLog,
                            public TokenStore,
                            public IdempotencyStore,
                            public Notifier,
                            public LockStore,
                            public ServerRegistry {
 public:
  /// Refuses a schema that is missing, older or newer than this program needs (`migrate` makes it), and a database that
  /// cannot be written. `clock` tells how much time has passed, not what time it is.
  [[nodiscard]] static Result<std::unique_ptr<PostgresStore>> open(const postgres::StoreUrl& url, Clock& clock,
                                                                   const PostgresOptions& options = {});
  /// Creates the schema, or brings it to the present version. Returns the version it had; zero: there was none.
  [[nodiscard]] static Result<std::int64_t> migrate(const postgres::StoreUrl& url);
  ~PostgresStore() override;

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
  bool is_prompt() const override;

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

  Result<> report_server(const ServerFacts& facts) override;
  Result<> remove_server(const std::string& id) override;
  Result<ServerList> read_servers() override;

  /// The part of the schedules that is this server's to decide first, among those with the role `scheduler`, as of its
  /// last report. A hint: nothing depends on its being right.
  [[nodiscard]] ServerShare share() const { return share_; }

  /// Bytes that all servers of this store have in common, such as the key of run ids: `proposed`, unless another server
  /// was first.
  [[nodiscard]] Result<std::string> shared_key(const std::string& name, const std::string& proposed);

  /// Everything above, for those who need not know which store it is.
  [[nodiscard]] StorePorts ports();

  /// Called when the store begins or ceases to fail, from any thread; to be set before there are others.
  std::function<void(const std::optional<StoreFailure>&)> on_health_change;
  [[nodiscard]] const StoreHealth& health() const;
  [[nodiscard]] const postgres::StoreUrl& url() const { return url_; }
  /// Where it is, without secrets.
  [[nodiscard]] const std::string& description() const { return url_.description; }

 private:
  PostgresStore(postgres::StoreUrl url, Clock& clock, const PostgresOptions& options);

  [[nodiscard]] Result<std::unique_ptr<postgres::Connection>> connect();
  /// Reads at one moment. `work` is given the transaction, and ends when its last answer is there.
  template <typename Value, typename Work>
  [[nodiscard]] Result<Value> read(Work work);
  /// Writes in one transaction, which may be tried several times: `work` must not keep anything of an earlier try. It
  /// is given what to send ahead (`begin`) and ends with `finish`.
  template <typename Value, typename Work>
  [[nodiscard]] Result<Value> write_in(Work work);
  template <typename Work>
  [[nodiscard]] Result<> write_void(Work work);

  /// One statement by itself, without a transaction around it: one round trip. For questions that are asked all the
  /// time and mostly find nothing. Tables are named with the schema.
  [[nodiscard]] Result<postgres::ResultRows> ask(const std::string& sql,
                                                 const postgres::Parameters& values = postgres::Parameters{});

  /// Asks for the time behind what was sent, and returns the answers but for that.
  [[nodiscard]] Result<std::vector<postgres::ResultRows>> begin(postgres::Transaction& transaction,
                                                                postgres::WriteSet& set);
  /// Writes all of `set` and commits. The answers to what was sent before are left out.
  [[nodiscard]] Result<> finish(postgres::Transaction& transaction, postgres::WriteSet& set);
  [[nodiscard]] Result<> write_attached(postgres::Transaction& transaction, postgres::WriteSet& set,
                                        const CommandMetadata& attached, Uid uid, std::span<const Seq> decisions);
  [[nodiscard]] Result<> write_audit(postgres::Transaction& transaction, const AuditEntry& entry, Instant now);
  /// The time, and the time by which rows are to be read that have not moved along with the clock yet.
  struct Moment {
    Instant now;
    Instant of_rows;
  };
  [[nodiscard]] Result<Moment> read_moment(postgres::Transaction& transaction);
  /// The same with one statement of its own, and what it asks for beside: columns behind the first two. The schema is
  /// written as {0}.
  struct Asked;
  [[nodiscard]] Result<Asked> ask_at(const std::string& columns,
                                     const postgres::Parameters& values = postgres::Parameters{});
  [[nodiscard]] Result<std::vector<LedgerRecord>> read_lines_after(Seq after, std::size_t count_max, bool has_jobs);
  [[nodiscard]] Result<> move_clock();
  [[nodiscard]] Result<std::optional<DueSchedules>> read_nothing_due(const DueRequest& request);
  [[nodiscard]] Result<DueSchedules> read_due_views(const DueRequest& request);
  [[nodiscard]] Result<std::optional<ClaimResult>> claim_nothing(const ClaimRequest& request);
  [[nodiscard]] Result<std::optional<Pulse>> beat_without_news(SessionId session);
  [[nodiscard]] Result<> give_positions();
  /// Limits of queues that a claim has seen. A run that ends there may let another one begin, wherever it is claimed.
  void note_limits(const ConcurrencyRoom& limits);
  [[nodiscard]] ConcurrencyRoom known_limits();

  postgres::StoreUrl url_;
  Clock& clock_;
  PostgresOptions options_;
  std::int64_t writer_;  // who this process is in the rows of the feed
  std::unique_ptr<rows::HealthRecord> health_;
  std::unique_ptr<postgres::Lineage> lineage_;
  std::unique_ptr<postgres::ConnectionPool> pool_;
  std::atomic<bool> has_claimed_ = true;   // the last time: then there is probably more
  std::atomic<bool> is_quiet_ = false;     // nothing was due, or will be soon, when it was last looked
  std::atomic<std::int64_t> reports_ = 0;  // of this server about itself
  std::atomic<ServerShare> share_{};
  std::unique_ptr<postgres::ClockWatch> clock_watch_;
  ListenerList<StoreChange> listeners_;
  std::mutex limits_mutex_;
  ConcurrencyRoom limits_;  // guarded; without what runs
  std::unique_ptr<postgres::ChangeWatcher> watcher_;
};

}  // namespace carillon
