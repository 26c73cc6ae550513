#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "definitions/schedule_filter.hpp"
#include "engine/backfill.hpp"
#include "engine/keys.hpp"
#include "engine/ledger_record.hpp"
#include "engine/schedule_state.hpp"
#include "ports/run_queue.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace carillon {

/// One try of a run.
struct AttemptRecord {
  std::int64_t attempt = 0;
  std::string worker;
  AttemptState state = AttemptState::claimed;
  Instant claimed_at;
  std::optional<Instant> launched_at;
  std::optional<Instant> ended_at;
  std::optional<std::int64_t> exit_code;
  std::optional<std::int64_t> signal;
  std::string error;
  std::optional<ResourceUse> use{};
  std::string known_as{};  // where it is performed, if that is elsewhere: the run id of a workflow
};

/// A decision, and its run where one was started. `run` says nothing if `outcome` is skipped; `name_space` is that of
/// the schedule, or of the job.
struct RunRecordRow : QueuedRun {
  RunRecordRow() = default;
  explicit RunRecordRow(QueuedRun queued) : QueuedRun{std::move(queued)} {}

  std::optional<ScheduleKey> key;  // none: a job without a schedule
  DecisionOutcome outcome = DecisionOutcome::started;
  std::optional<SkipReason> reason;
  std::int64_t decided_revision = 0;
  Instant decided_at;
  std::optional<Instant> waited_from;
  std::vector<AttemptRecord> attempts;  // ascending; only if asked for
  std::optional<std::string> result;    // only if asked for
};

/// A schedule with all that people are told of it, read at one moment.
struct ScheduleRecord {
  ScheduleKey key;
  ScheduleView view;
  std::string document;  // canonical JSON, of the revision in force
  Instant created_at;
  Instant updated_at;  // of its newest change
  std::string owner;   // who created it
  /// Of the pause it is in.
  struct Pause {
    std::string reason;
    std::string by;
  };
  std::optional<Pause> pause;
  std::optional<std::string> note{};  // left by a pause or its end since the definition was written
  std::optional<std::string> quarantine;
  std::vector<RunRecordRow>
      recent{};  // only if asked for: its newest runs, newest first, with attempts, without results
};

struct ScheduleListRequest {
  ScheduleFilter filter{};
  std::optional<ScheduleKey> after{};  // in the order of namespace and id, without case
  std::size_t offset = 0;
  std::size_t count_max = 50;
  std::size_t recent_count_max = 0;  // runs that are told of each
};

struct ScheduleList {
  Instant store_now;
  std::vector<ScheduleRecord> items;
  std::int64_t total = 0;  // that fit the filter
  bool has_more = false;
};

struct RunFilter {
  std::optional<std::string> name_space{};
  std::optional<Uid> uid{};
  std::vector<RunState> states{};  // any of them
  std::vector<Source> sources{};   // any of them
  std::optional<Instant> since{};  // queued at or after
  std::optional<Instant> until{};  // queued before
  std::string queue{};
  bool with_decisions = false;  // also what waits and what was skipped, which count from when they were decided
};

struct RunListRequest {
  RunFilter filter{};
  std::optional<Seq> before{};  // newest first
  std::size_t count_max = 50;
  std::size_t scan_max = 50'000;  // rows that are read for one page; then it ends early, and `next` says where to go on
};

struct RunList {
  Instant store_now;
  std::vector<RunRecordRow> items;
  std::optional<Seq> next;  // where to go on; none: that was all
};

/// What the ledger has about nominal times of a schedule. Of each kind at most as many as asked for, the newest.
struct PastDecisions {
  std::vector<RunRecordRow> rows;   // ascending by nominal, then seq
  std::vector<RangeLine> ranges;    // that touch the time asked for, newest last
  std::vector<VoidLine> voids;      // the same
  std::vector<ChangeLine> changes;  // up to the end of the time asked for, newest last; documents left out
};

struct RevisionListRequest {
  std::optional<std::int64_t> before{};  // revisions below this one; none: from the newest on
  bool definitions_only = false;         // only those that changed the definition
  std::size_t count_max = 50;
};

/// Whose backfills, and which.
struct BackfillListRequest {
  std::optional<std::string> name_space{};  // none: of all
  bool is_open_only = false;                // only those that may still start runs
  std::optional<Seq> before{};              // newest first
  std::size_t count_max = 50;
};

struct BackfillRecord {
  ScheduleKey key;
  Backfill backfill;
  Seq seq{};
  friend bool operator==(const BackfillRecord&, const BackfillRecord&) = default;
};

struct BackfillList {
  std::vector<BackfillRecord> items;
  std::optional<Seq> next{};  // where to go on; none: that was all
};

/// One for every queue that has ever had a run, or is paused.
struct QueueRecord {
  std::string name;
  std::int64_t depth = 0;           // may be claimed, or will be
  std::optional<Instant> oldest{};  // since when the first of them could have been claimed
  std::int64_t running = 0;
  bool is_paused = false;
  std::optional<std::int64_t> limit{};  // how many of its runs at a time; none: no limit
  bool keeps_failed = false;            // as dead letters
  std::int64_t dead = 0;                // dead letters
};

/// A worker whose lease lasts: of a server, or in another process.
struct WorkerRecord {
  std::string name;
  Instant lease_until;
  std::int64_t running = 0;  // runs that it has
  friend bool operator==(const WorkerRecord&, const WorkerRecord&) = default;
};

struct Totals {
  std::int64_t schedules = 0;
  std::int64_t ready = 0;    // runs that may be claimed, or will be
  std::int64_t running = 0;  // runs that a worker has
  std::optional<Instant> next_wake;
};

/// Reads for users and interfaces. Nothing here changes anything, and neither decisions nor claims wait for it. May be
/// called from several threads.
class QueryStore {
 public:
  virtual ~QueryStore() = default;

  /// None if there is no such schedule, or it is deleted.
  [[nodiscard]] virtual Result<std::optional<ScheduleRecord>> read_schedule(const ScheduleKey& key) = 0;
  [[nodiscard]] virtual Result<std::optional<ScheduleRecord>> read_schedule(Uid uid) = 0;
  [[nodiscard]] virtual Result<ScheduleList> list_schedules(const ScheduleListRequest& request) = 0;

  [[nodiscard]] virtual Result<RunList> list_runs(const RunListRequest& request) = 0;
  /// With attempts and results, in the order of the seqs; none where there is no such decision or job.
  [[nodiscard]] virtual Result<std::vector<std::optional<RunRecordRow>>> read_run_records(
      std::span<const Seq> seqs) = 0;
  /// The run of this name (`<schedule id>@…` or `~…`) in a namespace; if several schedules had the id one after the
  /// other, the run of the newest one. A skipped occurrence has no run.
  [[nodiscard]] virtual Result<std::optional<Seq>> find_run(const std::string& name_space, const std::string& name) = 0;

  /// What was decided about nominal times in [from, to); at most `count_max` rows, those that were decided last.
  [[nodiscard]] virtual Result<PastDecisions> read_decisions(Uid uid, Instant from, Instant to,
                                                             std::size_t count_max) = 0;

  /// What users changed of a schedule, newest revision first; documents left out. Kept as long as the schedule.
  [[nodiscard]] virtual Result<std::vector<ChangeLine>> read_revisions(Uid uid, const RevisionListRequest& request) = 0;

  /// All backfills of a schedule, newest first; also of a deleted schedule.
  [[nodiscard]] virtual Result<std::vector<Backfill>> read_backfills(Uid uid) = 0;
  /// Backfills of all schedules that are not deleted, newest first.
  [[nodiscard]] virtual Result<BackfillList> list_backfills(const BackfillListRequest& request) = 0;

  /// Schedules that wake before a time, soonest first.
  [[nodiscard]] virtual Result<std::vector<ScheduleRecord>> read_waking(const std::optional<std::string>& name_space,
                                                                        Instant before, std::size_t count_max) = 0;

  /// Outages that touch [from, to), ascending; at most `count_max`, the newest.
  [[nodiscard]] virtual Result<std::vector<Outage>> read_outages(Instant from, Instant to, std::size_t count_max) = 0;

  [[nodiscard]] virtual Result<std::vector<QueueRecord>> read_queues() = 0;
  /// Runs that have ended as dead letters, before this one, newest first.
  [[nodiscard]] virtual Result<std::vector<Seq>> read_dead_letters(std::optional<Seq> before,
                                                                   std::size_t count_max) = 0;
  /// The names of the paused queues. Cheaper than `read_queues`, which counts runs.
  [[nodiscard]] virtual Result<std::vector<std::string>> read_paused_queues() = 0;
  /// By name; at most `count_max`.
  [[nodiscard]] virtual Result<std::vector<WorkerRecord>> read_workers(std::size_t count_max) = 0;
  [[nodiscard]] virtual Result<Totals> read_totals() = 0;
};

}  // namespace carillon
