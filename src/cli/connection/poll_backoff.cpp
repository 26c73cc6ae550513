#include "cli/connection/poll_backoff.hpp"

#include <algorithm>
#include <thread>

namespace carillon::cli {

namespace {

constexpr Duration pause_min = std::chrono::milliseconds{50};
constexpr Duration pause_max = std::chrono::seconds{1};
constexpr int poll_failure_max = 60;

}  // namespace

PollBackoff::PollBackoff(std::optional<Duration> timeout, Sleep sleep)
    : sleep_{sleep ? std::move(sleep) : [](Duration length) { std::this_thread::sleep_for(length); }},
      next_{pause_min} {
  if (timeout) end_ = std::chrono::steady_clock::now() + *timeout;
}

bool PollBackoff::pause() {
  Duration length = next_;
  if (end_) {
    const auto left = std::chrono::ceil<Duration>(*end_ - std::chrono::steady_clock::now());
    if (left <= Duration{0}) return false;
    length = std::min(length, left);
  }
  sleep_(length);
  next_ = std::min(next_ * 2, pause_max);
  return true;
}

void PollBackoff::reset() { next_ = pause_min; }

bool PollBackoff::may_retry() {
  next_ = pause_max;
  return ++failure_count_ <= poll_failure_max;
}

}  // namespace carillon::cli
