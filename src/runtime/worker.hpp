#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "ports/clock.hpp"
#include "ports/executor.hpp"
#include "ports/log.hpp"
#include "ports/log_store.hpp"
#include "ports/run_queue.hpp"
#include "runtime/attempt_outcome.hpp"
#include "runtime/run_events.hpp"
#include "scheduling/definition_cache.hpp"
#include "scheduling/run_finisher.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace carillon {

/// Who performs which kind of action; null = nobody here.
struct Executors {
  Executor* command = nullptr;
  Executor* http = nullptr;
  Executor* job = nullptr;
};

struct WorkerOptions {
  std::string name;
  std::vector<std::string> queues;
  std::size_t capacity = 16;  // attempts at a time
  Duration lease = std::chrono::seconds{30};
  bool has_store_clock = false;              // the store goes by this machine's wall clock
  std::function<std::string(Seq)> run_id{};  // how users may name a run
  /// Whether a run whose launch was postponed is still to begin (is_still_wanted); none: always.
  std::function<Result<bool>(const ScheduleKey&, const QueuedRun&)> is_wanted{};
};

/// Claims runs and performs them: one session with one lease for all of them. Driven from outside, by one thread that
/// calls `tick`; runs claimed inside a commit may be handed over by another. Holds nothing that matters: what it has
/// not told the store when it dies is called lost.
class Worker final : public AttemptEvents {
 public:
  /// `on_event` is called by executors' threads when there is something to do for `tick`, `on_told` after ends of runs
  /// were written, for which schedules may be waiting.
  Worker(RunQueue& queue, Clock& clock, Log& log, WorkerOptions options, std::function<void()> on_event,
         std::function<void()> on_told);

  /// Before the first tick. The log store and the observer may be null.
  void use(Executors executors, LogStore* logs, RunObserver* observer);
  /// Definitions and the run finisher belong to one edition of the zone rules; whoever ticks may exchange them.
  void use(DefinitionCache& definitions, RunFinisher& finisher);

  /// Goes on with attempts of an earlier worker: those that `session` holds, which is theirs alone and whose lease does
  /// not end by itself. Tells which they are; the others are nobody's any more. Before the first tick.
  [[nodiscard]] Result<std::vector<AttemptKey>> take_over(SessionId session, std::span<const DetachedAttempt> detached);

  /// Renews the lease, tells what ended, claims and launches. When it wants to be called again, since boot.
  [[nodiscard]] Duration tick();

  /// To claim inside a commit, none if there is no room now. `take` must follow, also after an error: until then the
  /// room is kept.
  [[nodiscard]] std::optional<ClaimRequest> claim_request();
  enum class Answer { known, lost };
  void take(const ClaimRequest& request, std::vector<ClaimedRun> runs, Answer answer);

  /// Somebody was asked to stop: finds out with the next tick.
  void look_for_stops();

  /// No more claims. Then `is_idle` becomes true when all has ended and been told.
  void drain();
  /// Asks all that runs to end, or ends it by force; it is recorded as cancelled.
  void stop_all(Stop how);
  [[nodiscard]] bool is_idle();
  /// Gives the session back; nothing may run any more.
  void leave();

  void launched(const AttemptKey& key) override;
  void output(const AttemptKey& key, OutputStream stream, std::string_view bytes) override;
  void ended(const AttemptKey& key, AttemptEnd end) override;

 private:
  using Cause = StopCause;
  struct Child {
    ClaimedRun claimed;
    DefinitionPtr definition{};
    enum class State { claimed, launching, ended } state = State::claimed;
    bool is_postponed = false;             // its launch has to be tried again, if it is still wanted
    std::optional<Duration> not_before{};  // that, since boot
    std::optional<Instant> launched_at{};  // by the store's clock
    bool is_launch_told = false;
    Stop stop = Stop::none;
    Cause cause = Cause::none;
    std::optional<Duration> timeout_at{};  // since boot
    std::optional<Duration> kill_at{};
    bool has_output = false;
    std::optional<DetachedAttempt> detached{};  // to be resumed instead of launched
    std::optional<Finish> finish{};
  };
  struct Session {
    SessionId id{};
    Duration lease_end{};  // since boot
    Duration next_beat{};
  };

  // worker.cpp: the session
  [[nodiscard]] bool open_session();
  void beat();
  void close(SessionId session);
  void apply_stop_requests(const std::vector<StopRequest>& stops, Duration now);
  [[nodiscard]] std::vector<LaunchNotice> unreported_launches(SessionId session) const;
  void note_told(std::span<const LaunchNotice> launched);
  void extend(Duration sent, Duration length);
  void shorten(Duration sent, Duration left);
  void tell_executors();
  void lose_session();
  void look_for_lost_claims();
  [[nodiscard]] std::size_t room() const;  // with the lock held
  void claim();
  void claim_and_launch(Duration now);
  void accept(const ClaimRequest& request, std::vector<ClaimedRun> runs, Answer answer);
  void report_finished();
  void see_store_clock(Instant store_now);
  [[nodiscard]] Instant store_time() const;
  [[nodiscard]] bool is_open() const;
  [[nodiscard]] bool must_beat(Duration now);
  [[nodiscard]] bool has_uncertain_claims();
  [[nodiscard]] bool is_draining();
  [[nodiscard]] Duration next_tick(Duration now);

  // worker_adopting.cpp: attempts of an earlier worker
  void beat_adopted();
  void leave_adopted();
  [[nodiscard]] static Child adopted_child(ClaimedRun run, const DetachedAttempt& detached, Instant now);
  void go_on_with(Child& child, Duration now);
  void resume(const AttemptKey& key, const Result<DefinitionPtr>& definition);

  // worker_children.cpp: attempts
  void launch_claimed();
  void launch(const AttemptKey& key);
  void watch_time();
  void stop(Child& child, Stop how, Cause cause, Duration now);
  [[nodiscard]] AttemptNews news_of(const Child& child) const;
  [[nodiscard]] Executor* executor_of(const Child& child) const;
  [[nodiscard]] static bool may_outlive_server(const Child& child);
  [[nodiscard]] Finish finish_of(const Child& child, const AttemptEnd& end) const;
  void end_unlaunched(Child& child, const std::string& error);
  void postpone(Child& child, const AttemptEnd& end);
  void end_child(Child& child, AttemptEnd end);
  [[nodiscard]] bool may_launch(const AttemptKey& key, const Definition& definition);

  RunQueue& queue_;
  Clock& clock_;
  Log& log_;
  WorkerOptions options_;
  std::function<void()> on_event_;
  std::function<void()> on_told_;
  Executors executors_;
  LogStore* logs_ = nullptr;
  RunObserver* observer_ = nullptr;
  DefinitionCache* definitions_ = nullptr;
  RunFinisher* finisher_ = nullptr;
  std::optional<Duration> next_claim_;  // since boot
  std::optional<Duration> next_report_;
  std::optional<Duration> next_launch_;  // only while the store cannot be asked what to launch

  std::mutex mutex_;
  // Guarded: what other threads touch.
  std::optional<Session> session_;
  std::optional<SessionId> adopted_session_;  // of attempts taken over
  Instant store_seen_{};                      // the store's clock, and the boot clock at that moment
  Duration boot_seen_{};
  std::map<AttemptKey, Child> children_;
  std::size_t reserved_ = 0;       // room promised to a commit under way
  bool is_looking_ = false;        // reads what it holds: meanwhile no commit claims for it
  bool claims_uncertain_ = false;  // an answer was lost: there may be runs it does not know of
  bool must_beat_ = false;
  std::optional<Duration> first_unreported_;  // since boot: when something was launched that the store has not heard of
  // Executors are told without the lock, since they may be waiting for it.
  struct StopOrder {
    Executor* executor;
    AttemptKey key;
    Stop how;
  };
  std::vector<StopOrder> stop_orders_;
  std::vector<AttemptNews> unlaunched_news_;  // the observer is told without the lock too
  bool must_extend_ = false;
  bool is_draining_ = false;
};

}  // namespace carillon
