#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "definitions/words.hpp"
#include "engine/attempt_end.hpp"
#include "engine/keys.hpp"
#include "engine/lane.hpp"
#include "engine/run.hpp"
#include "ports/command_metadata.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace carillon {

/// The order in which runs are claimed: lower ranks first. One step of priority is worth a minute of waiting, so that
/// no run waits for ever, and the order of two runs does not change while they wait.
[[nodiscard]] constexpr Instant rank_of(std::int64_t priority, Instant claimable_from) {
  return claimable_from - priority * std::chrono::minutes{1};
}

/// Asks for runs to perform.
struct ClaimRequest {
  SessionId session{};
  std::vector<std::string> queues;
  std::size_t count_max = 0;
  WorkerSkills skills{};  // only runs that such a worker can perform
};

/// A run as a worker needs it: what to do stands in the definition of (uid, revision).
struct QueuedRun {
  Seq seq{};
  Uid uid{};  // zero: a job without a schedule
  std::int64_t revision = 0;
  Instant nominal;
  Instant due;
  Source source = Source::schedule;
  std::int64_t backfill = 0;
  std::string trigger;
  std::optional<std::string> payload;  // its own, else the definition's
  std::optional<RunRules> rules;       // of a job without a schedule
  std::string name_space{};            // of a job without a schedule
  Seq last_success{};
  Seq last_failure{};              // newer than `last_success`; zero: none
  std::int64_t repeat_number = 0;  // successes counted for totalRepeats when it was started
  std::string queue;               // the lane it waits in (engine/lane.hpp)
  std::int64_t priority = 0;
  SessionId session{};  // of the worker that has it, or had it last
  Run run;
};

/// How the last attempt of a run ended that has failed.
struct PastFailure {
  AttemptState state = AttemptState::failed;
  std::optional<Instant> ended_at{};
  std::optional<std::int64_t> exit_code{};
  std::string error{};
  friend bool operator==(const PastFailure&, const PastFailure&) = default;
};

struct ClaimedRun {
  QueuedRun row;                              // already running, with its new attempt
  std::int64_t fence = 0;                     // ascends with every claim of a schedule
  Instant lease_until;                        // nothing may be launched after this
  Instant store_now;                          // when it was handed over, never before the claim
  std::optional<std::string> last_result{};   // what `row.last_success` has left
  std::optional<PastFailure> last_failure{};  // how `row.last_failure` ended, as long as its attempts are kept
};

struct ClaimResult {
  Instant store_now;
  std::vector<ClaimedRun> runs;           // by rank, then seq
  std::optional<Instant> next_claimable;  // of what may not be claimed yet
};

/// How many bytes of an attempt's error text are kept (RunFinisher shortens it). A text that was cut says so.
inline constexpr std::size_t attempt_error_size_max = 4 * 1024;
/// How large the result of a run may be, as JSON text.
inline constexpr std::size_t run_result_size_max = 64 * 1024;

/// The next state of a run, as the run machine has decided it. It is written only if the run still is as it was decided
/// from.
struct RunUpdate {
  Seq seq{};
  // What the run must still have.
  std::int64_t attempt = 0;
  SessionId session{};
  RunState state = RunState::running;
  Stop stop = Stop::none;
  bool may_retry = true;
  // What it becomes then.
  Run next;
  AttemptEnd end{};  // of the attempt that ends with it, if one does
};

enum class RunWritten {
  written,
  refused,  // it has changed since: read it and decide again, or drop the update
};

struct LaunchNotice {
  Seq seq{};
  std::int64_t attempt = 0;
  Instant at;
  std::string known_as{};  // as in AttemptEnd
};

struct StopRequest {
  Seq seq{};
  std::int64_t attempt = 0;
  Stop how = Stop::cancel;
};

struct Heartbeat {
  SessionId session{};
  std::span<const LaunchNotice> launched;
};

struct Pulse {
  Instant store_now;
  Instant lease_until;
  std::vector<StopRequest> stops;  // runs of this session that are to end
};

/// A job without a schedule.
struct AdhocRun {
  std::string name_space{"default"};
  std::string document;  // what to do: an action and policies, canonical JSON
  std::string name;      // unique: `~…`
  std::string queue;     // its lane
  std::int64_t priority = 0;
  RunRules rules;
};

/// Runs that wait for a worker, and runs that workers have claimed. A worker may perform its runs as long as the lease
/// of its session lasts; one heartbeat renews it for all of them. A lease that has ended cannot be renewed. May be
/// called from several threads.
///
/// Leases, back-off and start deadlines are lengths of time. When the store's clock is set, a store moves the times it
/// has written along, so that this ends no session and delays no run.
///
/// After an error `unavailable` a write may or may not have happened: `read_held` and `read_runs` tell.
class RunQueue {
 public:
  virtual ~RunQueue() = default;

  /// Begins a session. Its lease begins now.
  [[nodiscard]] virtual Result<SessionId> open_session(const std::string& worker, Duration lease) = 0;

  /// Hands out runs that may be claimed now, by rank and then by seq, at most `count_max`. Each gets a new attempt,
  /// which is recorded before the call returns. Runs that are past their start deadline are not handed out (see
  /// read_expired), nor those that the worker cannot perform or that a limit of their queue or their key forbids now.
  /// An error not_found if the session has ended.
  [[nodiscard]] virtual Result<ClaimResult> claim(const ClaimRequest& request) = 0;

  /// Writes each update whose run still is as it was decided from. If a run ends and its schedule listens, the schedule
  /// is woken in the same transaction.
  [[nodiscard]] virtual Result<std::vector<RunWritten>> write(std::span<const RunUpdate> updates) = 0;

  /// Whether a claim from these queues by such a worker could hand out a run now. Only reads, and looks neither at a
  /// session nor at limits: a claim after `true` may still be empty; `false` means that a claim at this moment would
  /// have been empty.
  [[nodiscard]] virtual Result<bool> has_claimable(std::span<const std::string> queues, const WorkerSkills& skills) = 0;

  /// Renews the lease and records which attempts were launched. Returns the runs of the session that must be stopped.
  /// An error not_found if the session has ended.
  [[nodiscard]] virtual Result<Pulse> heartbeat(const Heartbeat& heartbeat) = 0;

  /// Ends a session and its lease now. The runs that it still has are lost.
  [[nodiscard]] virtual Result<> close_session(SessionId session) = 0;

  /// The runs that a session has, as they were claimed: for a worker that does not know whether the answer to a claim
  /// was lost.
  [[nodiscard]] virtual Result<std::vector<ClaimedRun>> read_held(SessionId session) = 0;

  /// Gives a session running runs of its queues whose own session has ended, at most `count_max`: each goes on with the
  /// attempt it has. For runs whose work is done elsewhere, and can be followed by any worker. An error not_found if
  /// the session has ended.
  [[nodiscard]] virtual Result<std::vector<ClaimedRun>> adopt(const ClaimRequest& request) = 0;

  /// Running runs whose session has ended.
  [[nodiscard]] virtual Result<std::vector<QueuedRun>> read_lost(std::size_t count_max) = 0;

  /// Queued runs that are past their start deadline.
  [[nodiscard]] virtual Result<std::vector<QueuedRun>> read_expired(std::size_t count_max) = 0;

  /// In the order of the seqs; none where there is no such run.
  [[nodiscard]] virtual Result<std::vector<std::optional<QueuedRun>>> read_runs(std::span<const Seq> seqs) = 0;

  /// The result that a run has left; none if it has left none.
  [[nodiscard]] virtual Result<std::optional<std::string>> read_result(Seq run) = 0;

  /// Queues jobs without a schedule, all or none. An error conflict if a name exists.
  [[nodiscard]] virtual Result<std::vector<Seq>> enqueue(std::span<const AdhocRun> jobs,
                                                         const CommandMetadata& attached) = 0;

  /// As `write`, for one run that a user changes; `attached` is written in the same transaction.
  [[nodiscard]] virtual Result<RunWritten> write_command(const RunUpdate& update, const CommandMetadata& attached) = 0;

  /// Pauses or resumes a queue: nothing is claimed from a paused one. Returns whether this changed anything; only then
  /// `attached` is written.
  [[nodiscard]] virtual Result<bool> pause_queue(const std::string& queue, bool is_paused,
                                                 const CommandMetadata& attached) = 0;

  /// Lets at most so many runs of a queue be performed at a time; none: as many as there are workers. What runs already
  /// goes on. Returns whether this changed anything; only then `attached` is written.
  [[nodiscard]] virtual Result<bool> limit_queue(const std::string& queue, std::optional<std::int64_t> limit,
                                                 const CommandMetadata& attached) = 0;

  /// Whether runs of a queue that fail, time out or are lost with no attempt left end as dead letters. Returns whether
  /// this changed anything; only then `attached` is written.
  [[nodiscard]] virtual Result<bool> keep_failed(const std::string& queue, bool is_kept,
                                                 const CommandMetadata& attached) = 0;

  /// Somebody has dealt with a dead letter: takes the mark from its run. Returns false, and writes nothing, if the run
  /// has none.
  [[nodiscard]] virtual Result<bool> unpark(Seq run, const CommandMetadata& attached) = 0;

  /// The time by the clock that leases and claims are measured with.
  [[nodiscard]] virtual Result<Instant> store_now() = 0;
};

}  // namespace carillon
