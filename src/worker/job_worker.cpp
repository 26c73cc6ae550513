#include "worker/job_worker.hpp"

#include "worker/job_envelope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace carillon {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// How long a claim waits at the server: so long a stop may have to wait for it.
constexpr Duration claim_wait = seconds{5};
/// After a request that failed.
constexpr milliseconds trouble_pause{1'000};
constexpr milliseconds tending_period{500};
/// Jobs end by themselves so long before their lease does.
constexpr Duration lease_margin = seconds{2};
constexpr std::size_t printed_max = 512 * 1024;
constexpr std::string_view cut_note = "\n[output was faster than it could be sent: some of it is missing here]\n";
/// Between asking jobs to end and ending them by force when the worker stops.
constexpr Duration job_stop_grace = seconds{5};

std::string failure_text(const AttemptEnd& end) {
  if (!end.error.empty()) return end.error;
  if (end.exit_code) return fmt::format("exit code {}", *end.exit_code);
  if (end.signal) return fmt::format("ended by signal {}", *end.signal);
  return "it failed";
}

}  // namespace

JobWorker::JobWorker(Clock& clock, Log& log, JobCalls& claims, JobCalls& reports, JobWorkerOptions options)
    : clock_{clock}, log_{log}, claims_{claims}, reports_{reports}, options_{std::move(options)} {}

JobWorker::~JobWorker() { stop(Duration{0}); }

Result<> JobWorker::start() {
  const Duration sent = clock_.since_boot();
  std::string session = TRY(reports_.open(options_.introduction));
  {
    const std::scoped_lock lock{mutex_};
    session_ = std::move(session);
    lease_end_ = sent + options_.introduction.lease;
    next_beat_ = sent + options_.introduction.lease / 3;
  }
  executor_->extend_until(sent + options_.introduction.lease - lease_margin);
  tending_thread_ = std::jthread{[this](const std::stop_token& token) { tend_jobs(token); }};
  claiming_thread_ = std::jthread{[this](const std::stop_token& token) { claim_jobs(token); }};
  return {};
}

// ---- jobs as they go, told by the executor

void JobWorker::launched(const AttemptKey& key) {
  const std::scoped_lock lock{mutex_};
  if (const auto found = jobs_.find(key); found != jobs_.end())
    log_.info("job started", {{"run", found->second.job.key.run_id}, {"type", found->second.job.type}});
}

void JobWorker::output(const AttemptKey& key, OutputStream /*stream*/, std::string_view bytes) {
  const std::scoped_lock lock{mutex_};
  const auto found = jobs_.find(key);
  if (found == jobs_.end()) return;
  HeldJob& held = found->second;
  const std::size_t room = printed_max - std::min(held.printed.size(), printed_max);
  held.printed += bytes.substr(0, room);
  if (bytes.size() > room && !std::exchange(held.is_cut, true)) held.printed += cut_note;
  changed_.notify_all();
}

void JobWorker::ended(const AttemptKey& key, AttemptEnd end) {
  const std::scoped_lock lock{mutex_};
  if (const auto found = jobs_.find(key); found != jobs_.end()) found->second.end = std::move(end);
  changed_.notify_all();
}

// ---- claiming

std::string JobWorker::current_session() {
  const std::scoped_lock lock{mutex_};
  return session_;
}

std::vector<RemoteAttempt> JobWorker::held_attempts() {
  const std::scoped_lock lock{mutex_};
  std::vector<RemoteAttempt> attempts;
  for (const auto& [key, held] : jobs_) attempts.push_back(held.job.key);
  return attempts;
}

void JobWorker::claim_jobs(const std::stop_token& token) {
  while (!token.stop_requested()) {
    std::string session;
    std::size_t room = 0;
    {
      Lock lock{mutex_};
      changed_.wait_for(lock, token, seconds{1},
                        [this] { return is_draining_ || (!session_.empty() && jobs_.size() < options_.capacity); });
      if (is_draining_) return;
      session = session_;
      room = options_.capacity - std::min(jobs_.size(), options_.capacity);
    }
    if (!session.empty() && room > 0) claim_some(session, room);
  }
}

void JobWorker::claim_some(const std::string& session, std::size_t count) {
  const auto jobs = claims_.claim(session, count, claim_wait, held_attempts());
  if (jobs) {
    for (const RemoteJob& job : *jobs) launch(job);
    return;
  }
  if (jobs.error().code == ErrorCode::not_found) return lose_session("the server has ended the session");
  tell_trouble("jobs cannot be claimed", jobs.error());
  Lock lock{mutex_};
  changed_.wait_for(lock, trouble_pause, [this] { return is_draining_; });
}

void JobWorker::launch(const RemoteJob& job) {
  const auto command = options_.command_for(job);
  Assignment assignment;
  {
    const std::scoped_lock lock{mutex_};
    const AttemptKey key{.run = Seq{++launch_count_}, .attempt = job.key.attempt};
    HeldJob& held = jobs_.emplace(key, HeldJob{.job = job}).first->second;
    if (!command) {
      held.end = AttemptEnd{.outcome = AttemptOutcome::failed, .error = command.error().message};
      changed_.notify_all();
      return;
    }
    if (job.timeout) held.timeout_at = clock_.since_boot() + *job.timeout;
    assignment = {.key = key,
                  .action = *command,
                  .envelope = read_envelope(job.envelope),
                  .launch_before = lease_end_ - lease_margin,
                  .timeout_at = held.timeout_at,
                  .grace = job.grace};
  }
  executor_->launch(std::move(assignment));
}

// ---- the session, and what is told to the server

void JobWorker::tend_jobs(const std::stop_token& token) {
  while (!token.stop_requested()) {
    renew();
    watch_time();
    send_printed();
    send_ends();
    Lock lock{mutex_};
    changed_.wait_for(lock, token, tending_period, [this] {
      return std::ranges::any_of(jobs_, [](const auto& entry) { return entry.second.end.has_value(); });
    });
  }
}

void JobWorker::renew() {
  const Duration now = clock_.since_boot();
  const std::string session = current_session();
  if (session.empty()) {
    const auto opened = reports_.open(options_.introduction);
    if (!opened) return tell_trouble("the server cannot be reached", opened.error());
    executor_->extend_until(now + options_.introduction.lease - lease_margin);
    log_.info("session opened");
    const std::scoped_lock lock{mutex_};
    session_ = *opened;
    lease_end_ = now + options_.introduction.lease;
    next_beat_ = now + options_.introduction.lease / 3;
    changed_.notify_all();
    return;
  }
  {
    const std::scoped_lock lock{mutex_};
    if (now < next_beat_) return;
  }
  const auto stops = reports_.heartbeat(session, held_attempts());
  if (!stops && stops.error().code == ErrorCode::not_found) return lose_session("the server has ended the session");
  if (!stops) {
    tell_trouble("no heartbeat can be sent", stops.error());
    bool is_over = false;
    {
      const std::scoped_lock lock{mutex_};
      next_beat_ = clock_.since_boot() + seconds{1};
      is_over = clock_.since_boot() >= lease_end_ - lease_margin;
    }
    if (is_over) lose_session("the server could not be reached for the length of the lease");
    return;
  }
  std::vector<StopRequestOf> orders;
  {
    const std::scoped_lock lock{mutex_};
    last_trouble_.clear();
    lease_end_ = now + options_.introduction.lease;
    next_beat_ = now + options_.introduction.lease / 3;
    for (const RemoteStop& stop : *stops)
      for (auto& [key, held] : jobs_) {
        if (held.job.key != stop.key) continue;
        held.is_cancelled = true;
        if (!held.kill_at) held.kill_at = now + held.job.grace;
        orders.push_back({.key = key, .how = stop.is_by_force ? Stop::terminate : Stop::cancel});
      }
  }
  executor_->extend_until(now + options_.introduction.lease - lease_margin);
  send_stops(orders);
}

void JobWorker::watch_time() {
  std::vector<StopRequestOf> orders;
  {
    const std::scoped_lock lock{mutex_};
    const Duration now = clock_.since_boot();
    for (auto& [key, held] : jobs_) {
      if (held.end) continue;
      if (held.timeout_at && now >= *held.timeout_at) {
        held.timeout_at.reset();
        held.is_timed_out = true;
        held.kill_at = now + held.job.grace;
        orders.push_back({.key = key});
      }
      if (held.kill_at && now >= *held.kill_at) {
        held.kill_at.reset();
        orders.push_back({.key = key, .how = Stop::terminate});
      }
    }
  }
  send_stops(orders);
}

void JobWorker::send_stops(const std::vector<StopRequestOf>& stops) {
  for (const StopRequestOf& stop : stops) executor_->stop(stop.key, stop.how);
}

void JobWorker::send_printed() {
  std::vector<std::pair<RemoteAttempt, std::string>> pieces;
  std::string session;
  {
    const std::scoped_lock lock{mutex_};
    session = session_;
    if (session.empty()) return;
    for (auto& [key, held] : jobs_) {
      if (held.printed.empty()) continue;
      pieces.emplace_back(held.job.key, std::exchange(held.printed, {}));
      held.is_cut = false;
    }
  }
  for (const auto& [attempt, bytes] : pieces) {
    const auto sent = reports_.append_log(session, attempt, bytes);
    // What cannot be sent is lost; how the job ends is not.
    if (!sent && sent.error().code == ErrorCode::unavailable) tell_trouble("output cannot be sent", sent.error());
  }
}

Result<> JobWorker::report(const std::string& session, const HeldJob& held) {
  const AttemptEnd& end = *held.end;
  if (end.outcome == AttemptOutcome::succeeded) return reports_.complete(session, held.job.key);
  return reports_.fail(session, held.job.key,
                       {.error = failure_text(end),
                        .is_timed_out = held.is_timed_out,
                        .is_cancelled = held.is_cancelled && !held.is_timed_out});
}

void JobWorker::send_ends() {
  for (;;) {
    std::string session;
    std::optional<std::pair<AttemptKey, HeldJob>> next;
    {
      const std::scoped_lock lock{mutex_};
      session = session_;
      const auto found = std::ranges::find_if(
          jobs_, [](const auto& entry) { return entry.second.end.has_value() && entry.second.printed.empty(); });
      if (found == jobs_.end() || session.empty()) return;
      next.emplace(found->first, found->second);
    }
    const auto told = report(session, next->second);
    if (!told && told.error().code == ErrorCode::not_found) return lose_session("the server has ended the session");
    const bool is_final = told || told.error().code != ErrorCode::unavailable;
    if (!told) tell_trouble("the end of a job cannot be reported", told.error());
    if (!is_final) return;
    const HeldJob& held = next->second;
    if (held.end->outcome == AttemptOutcome::succeeded)
      log_.info("job succeeded", {{"run", held.job.key.run_id}, {"type", held.job.type}});
    else
      log_.warn("job failed",
                {{"run", held.job.key.run_id}, {"type", held.job.type}, {"error", failure_text(*held.end)}});
    const std::scoped_lock lock{mutex_};
    jobs_.erase(next->first);
    changed_.notify_all();
  }
}

// Its jobs are lost there: nobody may go on with them here.
void JobWorker::lose_session(std::string_view why) {
  std::vector<StopRequestOf> orders;
  {
    const std::scoped_lock lock{mutex_};
    if (session_.empty()) return;
    session_.clear();
    for (const auto& [key, held] : jobs_)
      if (!held.end) orders.push_back({.key = key, .how = Stop::terminate});
    jobs_.clear();
    changed_.notify_all();
  }
  log_.warn("worker lost its session", {{"reason", why}, {"ended by force", orders.size()}});
  send_stops(orders);
}

void JobWorker::tell_trouble(std::string_view what, const Error& error) {
  {
    const std::scoped_lock lock{mutex_};
    if (std::exchange(last_trouble_, error.message) == error.message) return;
  }
  log_.warn(what, {{"error", error.message}});
}

// ---- the end

std::size_t JobWorker::running_count() {
  const std::scoped_lock lock{mutex_};
  return jobs_.size();
}

void JobWorker::hurry() {
  const std::scoped_lock lock{mutex_};
  is_hurried_ = true;
  changed_.notify_all();
}

bool JobWorker::wait_until_idle(Duration timeout) {
  Lock lock{mutex_};
  const auto until = std::chrono::steady_clock::now() + timeout;
  changed_.wait_until(lock, until, [this] { return is_hurried_ || jobs_.empty(); });
  return jobs_.empty();
}

void JobWorker::stop_all(Stop how) {
  std::vector<StopRequestOf> orders;
  {
    const std::scoped_lock lock{mutex_};
    is_hurried_ = false;
    for (const auto& [key, held] : jobs_)
      if (!held.end) orders.push_back({.key = key, .how = how});
  }
  send_stops(orders);
}

void JobWorker::stop(Duration timeout) {
  if (!tending_thread_.joinable()) return;
  {
    const std::scoped_lock lock{mutex_};
    is_draining_ = true;
    changed_.notify_all();
  }
  // What a claim under way still brings is performed: it may be answered already.
  claiming_thread_.join();
  if (!wait_until_idle(timeout)) {
    log_.warn("running jobs are ended", {{"count", running_count()}});
    stop_all(Stop::cancel);
    if (!wait_until_idle(job_stop_grace)) {
      stop_all(Stop::terminate);
      (void)wait_until_idle(job_stop_grace);
    }
  }
  tending_thread_.request_stop();
  tending_thread_.join();
  if (const std::string session = current_session(); !session.empty())
    if (const auto closed = reports_.close(session); !closed)
      log_.warn("the session cannot be closed", {{"error", closed.error().message}});
}

}  // namespace carillon
