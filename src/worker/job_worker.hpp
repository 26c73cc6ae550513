#pragma once

#include "definitions/action.hpp"
#include "ports/clock.hpp"
#include "ports/executor.hpp"
#include "ports/log.hpp"
#include "worker/job_calls.hpp"

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace carillon {

/// Finds the command of this machine that performs a job; an error if there is none.
using JobCommandFinder = std::function<Result<CommandAction>(const RemoteJob& job)>;

struct JobWorkerOptions {
  WorkerIntroduction introduction;
  std::size_t capacity = 4;  // jobs at a time
  JobCommandFinder command_for;
};

/// Performs jobs of a server in another process: claims them over HTTP, runs the commands of this machine that are
/// their handlers, sends what they print, and reports how they end.
///
/// All its jobs hang on one session, which heartbeats renew. When the session cannot be renewed in time, its jobs are
/// ended before the server calls them lost. A server that cannot be reached is tried again once a second.
class JobWorker final : public AttemptEvents {
 public:
  /// Two ways to the server, since a claim waits: `claims` is used by one thread, `reports` by another.
  JobWorker(Clock& clock, Log& log, JobCalls& claims, JobCalls& reports, JobWorkerOptions options);
  ~JobWorker() override;

  /// What performs commands, and tells this object how they go. Outlives the threads: before `start`.
  void use(Executor& executor) { executor_ = &executor; }
  /// Opens the session: an error if the server refuses it.
  [[nodiscard]] Result<> start();
  /// Claims nothing more, and waits for running jobs until `timeout`; then ends them and reports them as failed, so
  /// that they are tried again elsewhere. Safe twice.
  void stop(Duration timeout);
  /// Ends the waiting of a stop under way.
  void hurry();
  [[nodiscard]] std::size_t running_count();

  void launched(const AttemptKey& key) override;
  void output(const AttemptKey& key, OutputStream stream, std::string_view bytes) override;
  void ended(const AttemptKey& key, AttemptEnd end) override;

 private:
  struct HeldJob {
    RemoteJob job;
    std::optional<Duration> timeout_at{};  // since boot
    std::optional<Duration> kill_at{};
    bool is_timed_out = false;
    bool is_cancelled = false;  // its server asked for it
    std::string printed{};      // and not sent yet
    bool is_cut = false;        // more was printed than could be kept
    std::optional<AttemptEnd> end{};
  };
  struct StopRequestOf {
    AttemptKey key;
    Stop how = Stop::cancel;
  };
  using Lock = std::unique_lock<std::mutex>;

  void claim_jobs(const std::stop_token& token);
  void claim_some(const std::string& session, std::size_t count);
  void launch(const RemoteJob& job);
  void tend_jobs(const std::stop_token& token);
  void renew();
  void watch_time();
  void send_printed();
  void send_ends();
  void lose_session(std::string_view why);
  void tell_trouble(std::string_view what, const Error& error);
  [[nodiscard]] bool wait_until_idle(Duration timeout);
  void stop_all(Stop how);
  [[nodiscard]] std::vector<RemoteAttempt> held_attempts();
  [[nodiscard]] std::string current_session();
  void send_stops(const std::vector<StopRequestOf>& stops);
  [[nodiscard]] Result<> report(const std::string& session, const HeldJob& held);

  Clock& clock_;
  Log& log_;
  JobCalls& claims_;
  JobCalls& reports_;
  const JobWorkerOptions options_;
  Executor* executor_ = nullptr;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  // Guarded.
  std::string session_;   // empty: there is none
  Duration lease_end_{};  // since boot
  Duration next_beat_{};
  std::map<AttemptKey, HeldJob> jobs_;
  std::int64_t launch_count_ = 0;
  bool is_draining_ = false;
  bool is_hurried_ = false;
  std::string last_trouble_;  // told once, not every second

  std::jthread tending_thread_;
  std::jthread claiming_thread_;
};

}  // namespace carillon
