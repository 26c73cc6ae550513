#include "no_op_executor.hpp"

#include <utility>

namespace carillon::bench {

NoOpExecutor::NoOpExecutor(AttemptEvents& events, std::function<void(const Envelope&)> on_launch)
    : events_{events}, on_launch_{std::move(on_launch)}, thread_{[this](const std::stop_token& stop) { work(stop); }} {}

void NoOpExecutor::launch(Assignment assignment) {
  if (on_launch_) on_launch_(assignment.envelope);
  {
    const std::scoped_lock lock{mutex_};
    waiting_.push_back(assignment.key);
  }
  has_work_.notify_one();
}

void NoOpExecutor::work(const std::stop_token& stop) {
  std::vector<AttemptKey> keys;
  while (true) {
    {
      std::unique_lock lock{mutex_};
      if (!has_work_.wait(lock, stop, [&] { return !waiting_.empty(); })) return;
      keys = std::exchange(waiting_, {});
    }
    for (const AttemptKey& key : keys) {
      events_.launched(key);
      events_.ended(key, {.outcome = AttemptOutcome::succeeded, .exit_code = 0});
    }
  }
}

}  // namespace carillon::bench
