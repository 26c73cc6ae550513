#include "soak/quiet_executor.hpp"

#include <algorithm>
#include <utility>

namespace carillon::testing {
namespace {

constexpr std::int64_t failure_period = 50;
constexpr std::int64_t output_period = 20;
constexpr std::int64_t much_output_period = 5'000;
constexpr std::size_t much = std::size_t{2} << 20;

}  // namespace

QuietExecutor::QuietExecutor(AttemptEvents& events, std::string watched)
    : events_{events},
      watched_{std::move(watched)},
      much_(much, 'x'),
      thread_{[this](const std::stop_token& token) { work(token); }} {}

void QuietExecutor::launch(Assignment assignment) {
  {
    const std::scoped_lock lock{mutex_};
    waiting_.push_back(std::move(assignment));
  }
  changed_.notify_all();
}

bool QuietExecutor::await(Instant nominal, std::chrono::seconds patience) {
  std::unique_lock lock{mutex_};
  return changed_.wait_for(lock, patience, [&] { return watched_newest_ >= nominal; });
}

void QuietExecutor::await_rest() {
  std::unique_lock lock{mutex_};
  changed_.wait(lock, [&] { return waiting_.empty() && !is_busy_; });
}

std::int64_t QuietExecutor::ended_count() {
  const std::scoped_lock lock{mutex_};
  return ended_count_;
}

void QuietExecutor::work(const std::stop_token& token) {
  for (;;) {
    std::unique_lock lock{mutex_};
    if (!changed_.wait(lock, token, [&] { return !waiting_.empty(); })) return;
    const Assignment assignment = std::move(waiting_.front());
    waiting_.pop_front();
    is_busy_ = true;
    const std::int64_t number = ended_count_ + 1;
    lock.unlock();
    perform(assignment, number);
    lock.lock();
    is_busy_ = false;
    ended_count_ = number;
    if (assignment.envelope.schedule_id == watched_)
      watched_newest_ = std::max(watched_newest_, assignment.envelope.nominal);
    lock.unlock();
    changed_.notify_all();
  }
}

void QuietExecutor::perform(const Assignment& assignment, std::int64_t number) {
  events_.launched(assignment.key);
  if (number % output_period == 0)
    events_.output(assignment.key, OutputStream::out, "the bell rings for " + assignment.envelope.run_name + "\n");
  if (number % much_output_period == 0) events_.output(assignment.key, OutputStream::error, much_);
  const bool fails = number % failure_period == 0 && assignment.envelope.attempt == 1;
  if (fails)
    events_.ended(assignment.key, {.outcome = AttemptOutcome::failed, .exit_code = 3, .error = "exit code 3"});
  else
    events_.ended(assignment.key, {.outcome = AttemptOutcome::succeeded, .exit_code = 0, .result = R"({"bells":12})"});
}

}  // namespace carillon::testing
