#pragma once

#include "ports/clock.hpp"
#include "ports/log.hpp"
#include "ports/run_queue.hpp"
#include "runtime/attempt_supervisor.hpp"
#include "runtime/running_attempts.hpp"

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

struct SessionOptions {
  std::string name;
  std::vector<std::string> queues;
  std::size_t capacity = 16;  // attempts at a time
  Duration lease = std::chrono::seconds{30};
  WorkerSkills skills{};
  /// Its runs are performed elsewhere: it goes on with those of sessions that have ended, and when it ends itself,
  /// another one goes on with its own.
  bool hands_over = false;
  std::function<bool()> hears_of_changes{};  // Notifier::is_prompt: then it claims less often by itself; none: never
};

/// A worker's session with the store: one lease for all its attempts, which heartbeats renew, and the claims made in
/// it. When the lease is over by the boot clock, everything claimed in the session is ended, before anybody else may
/// call it lost.
///
/// One thread opens, renews and ends the session. Another one, which decides, may claim runs within its commits
/// (`claim_request`, `take`).
class LeasedSession {
 public:
  LeasedSession(RunQueue& queue, RunningAttempts& attempts, AttemptSupervisor& supervisor, Clock& clock, Log& log,
                SessionOptions options);

  // From any thread.

  /// To claim inside a commit; none if there is no room now. `take` must follow, also after an error: until then the
  /// room is kept.
  [[nodiscard]] std::optional<ClaimRequest> claim_request();
  enum class Answer {
    known,
    lost,  // there may be runs that this worker does not know of
  };
  void take(const ClaimRequest& request, std::vector<ClaimedRun> runs, Answer answer);
  /// Somebody was asked to stop: the worker's thread finds out with its next turn.
  void look_for_stops();
  /// There may be something to claim: the worker's thread claims with its next turn, before it would do so by itself.
  void look_for_runs();
  /// Whether a commit under way may still bring runs.
  [[nodiscard]] bool has_reservations();

  // From the worker's thread.

  /// False if the store does not answer; then it is to be tried again.
  [[nodiscard]] bool open();
  [[nodiscard]] bool is_open() const { return session_.has_value(); }
  /// Whether its attempts may be performed.
  [[nodiscard]] bool is_held(Duration now) const { return session_ && now < session_->lease_end; }
  [[nodiscard]] bool has_uncertain_claims();
  /// Until when attempts may be launched, since boot; zero without a session.
  [[nodiscard]] Duration lease_end() const { return session_ ? session_->lease_end : Duration{0}; }

  /// Ends the session if its lease is over.
  void end_if_over(Duration now);
  [[nodiscard]] bool must_beat(Duration now);
  /// Renews the lease, tells what was launched and stops what is to stop.
  void beat();
  /// Finds runs that were claimed by a call whose answer was lost.
  void look_for_lost_claims();
  /// Goes on with runs whose session has ended, if that is its kind and it is time to.
  void adopt(Duration now);
  /// Claims from the queues, if it is time to.
  void claim(Duration now);
  /// Tells executors how long the lease lasts, if that has changed.
  void extend_executors();
  /// When the next thing is to be done, since boot.
  [[nodiscard]] std::optional<Duration> next_tick();

  /// Gives the session back. Nothing may run in it any more.
  void leave();

 private:
  struct Session {
    SessionId id{};
    Duration lease_end{};  // since boot
    Duration next_beat{};
  };

  [[nodiscard]] bool is_time_to_claim(Duration now);
  void lose();
  void extend(Duration sent, Duration length);
  void shorten(Duration sent, Duration left);
  void accept(const ClaimRequest& request, std::vector<ClaimedRun> runs, Answer answer);

  RunQueue& queue_;
  RunningAttempts& attempts_;
  AttemptSupervisor& supervisor_;
  Clock& clock_;
  Log& log_;
  const SessionOptions options_;
  std::optional<Duration> next_claim_;  // since boot
  Duration next_adoption_{};            // since boot
  bool must_extend_ = false;            // executors have not heard yet how long the lease lasts

  std::mutex mutex_;
  // Guarded. The session is changed by the worker's thread alone, which therefore reads it without the lock.
  std::optional<Session> session_;
  std::size_t reserved_ = 0;       // room promised to commits under way
  bool is_looking_ = false;        // reads what it holds: meanwhile no commit claims for it
  bool claims_uncertain_ = false;  // an answer was lost
  bool has_lost_answers_ = false;  // in this session: what was asked for then may still be carried out
  bool must_beat_ = false;
  bool must_claim_ = false;  // before next_claim_
};

/// Ends a session, and logs why that cannot be done.
void close_session(RunQueue& queue, SessionId session, Log& log);

}  // namespace carillon
