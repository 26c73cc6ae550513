#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "definitions/words.hpp"
#include "engine/keys.hpp"
#include "engine/run.hpp"
#include "ports/command_metadata.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace carillon {

/// Who comes first: lower ranks do. A step of priority is worth a minute of waiting, so that nobody waits for ever, and
/// the order of two runs never changes while they wait.
[[nodiscard]] constexpr Instant rank_of(std::int64_t priority, Instant claimable_from) {
  return claimable_from - priority * std::chrono::minutes{1};
}

/// Asks for runs to perform.
struct ClaimRequest {
  SessionId session{};
  std::vector<std::string> queues;
  std::size_t count_max = 0;
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
  std::int64_t repeat_number = 0;  // successes counted for totalRepeats when it was started
  std::string queue;
  std::int64_t priority = 0;
  SessionId session{};  // who has it, or had it last
  Run run;
};

struct ClaimedRun {
  QueuedRun row;                             // already running, with its new attempt
  std::int64_t fence = 0;                    // ascends with every claim of a schedule
  Instant lease_until;                       // nothing may be launched after this
  std::optional<std::string> last_result{};  // what `row.last_success` has left
};

struct ClaimResult {
  Instant store_now;
  std::vector<ClaimedRun> runs;           // by rank, then seq
  std::optional<Instant> next_claimable;  // of what may not be claimed yet
};

/// How much of an attempt's error text is kept; the rest is left out, visibly.
inline constexpr std::size_t attempt_error_size_max = 4 * 1024;
/// How large the result of a run may be, as JSON text.
inline constexpr std::size_t run_result_size_max = 64 * 1024;

/// What an attempt leaves behind beside its outcome.
struct AttemptReport {
  std::optional<Instant> launched_at{};
  std::optional<Instant> ended_at{};  // by the store's clock: what a back-off is counted from; none = when written
  std::optional<std::int64_t> exit_code{};
  std::optional<std::int64_t> signal{};
  std::string error{};                  // at most attempt_error_size_max; RunFinisher sees to it
  std::optional<std::string> result{};  // at most run_result_size_max; given to the next run
};

/// A run as the run machine wants it written, if it is still as it was.
struct RunUpdate {
  Seq seq{};
  // It must still have these.
  std::int64_t attempt = 0;
  SessionId session{};
  RunState state = RunState::running;
  Stop stop = Stop::none;
  bool may_retry = true;
  // Then it becomes this.
  Run next;
  AttemptReport report{};
};

enum class RunWritten {
  written,
  refused,  // it is another one by now: read it and decide again, or let it be
};

struct LaunchNotice {
  Seq seq{};
  std::int64_t attempt = 0;
  Instant at;
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
  std::string queue;
  std::int64_t priority = 0;
  RunRules rules;
};

/// Runs that wait for a worker, and those that workers have. A worker's right to its runs is its session's lease: one
/// heartbeat for all of them. A session whose lease has ended is over; it is never renewed.
///
/// Leases, back-off and the wait for a first attempt are lengths of time. When the store's clock is set, a store moves
/// the times that stand for them along, so that a step alone ends no session and delays no run.
class RunQueue {
 public:
  virtual ~RunQueue() = default;

  [[nodiscard]] virtual Result<SessionId> open_session(const std::string& worker, Duration lease) = 0;

  /// Hands out runs that may be claimed now, by rank and then by seq. Each gets a new attempt, recorded before it is
  /// handed out. What has expired is left for read_expired. An error not_found if the session is over.
  [[nodiscard]] virtual Result<ClaimResult> claim(const ClaimRequest& request) = 0;

  /// Writes each run that is still as it was. The end of a run whose schedule listens wakes the schedule, in the same
  /// transaction.
  [[nodiscard]] virtual Result<std::vector<RunWritten>> write(std::span<const RunUpdate> updates) = 0;

  /// Whether a claim from these queues may hand out something now. Reads only, and does not look at the session: true
  /// may be followed by an empty claim, false means that a claim at this moment would have been empty.
  [[nodiscard]] virtual Result<bool> has_claimable(std::span<const std::string> queues) = 0;

  /// Renews the lease and notes what was launched. An error not_found if the session is over.
  [[nodiscard]] virtual Result<Pulse> heartbeat(const Heartbeat& heartbeat) = 0;

  /// Ends a session: its lease ends now.
  [[nodiscard]] virtual Result<> close_session(SessionId session) = 0;

  /// Runs that the session has, as claimed: for a worker that does not know whether a claim has reached it.
  [[nodiscard]] virtual Result<std::vector<ClaimedRun>> read_held(SessionId session) = 0;

  /// Running runs whose session is over.
  [[nodiscard]] virtual Result<std::vector<QueuedRun>> read_lost(std::size_t count_max) = 0;

  /// Queued runs that have waited too long for their first attempt.
  [[nodiscard]] virtual Result<std::vector<QueuedRun>> read_expired(std::size_t count_max) = 0;

  /// In the order of the seqs; none where there is no such run.
  [[nodiscard]] virtual Result<std::vector<std::optional<QueuedRun>>> read_runs(std::span<const Seq> seqs) = 0;

  /// The result a run has left, if it did.
  [[nodiscard]] virtual Result<std::optional<std::string>> read_result(Seq run) = 0;

  /// Queues jobs, all or none; conflict if a name exists.
  [[nodiscard]] virtual Result<std::vector<Seq>> enqueue(std::span<const AdhocRun> jobs,
                                                         const CommandMetadata& attached) = 0;

  /// As `write`, for one run that a user wants changed.
  [[nodiscard]] virtual Result<RunWritten> write_command(const RunUpdate& update, const CommandMetadata& attached) = 0;

  /// Nothing is claimed from a paused queue. Tells whether that changed anything; only then `attached` is written.
  [[nodiscard]] virtual Result<bool> pause_queue(const std::string& queue, bool is_paused,
                                                 const CommandMetadata& attached) = 0;

  /// Time by the clock that leases and claims are measured with.
  [[nodiscard]] virtual Result<Instant> store_now() = 0;
};

}  // namespace carillon
