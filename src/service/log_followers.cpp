#include "service/log_followers.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <list>
#include <utility>

namespace carillon {
namespace {

constexpr Duration read_interval = std::chrono::milliseconds{200};
constexpr auto token_check_interval = std::chrono::seconds{2};
constexpr std::size_t piece_size = 64 * 1024;

}  // namespace

LogFollowers::LogFollowers(Access& access, Runs& runs, LoopMonitor* loops)
    : access_{access},
      runs_{runs},
      thread_{watched_thread(loops, "log-followers",
                             [this](const auto& token, const auto& pulse) { run(token, pulse); })} {}

void LogFollowers::add(LogFollower follower) {
  {
    const std::scoped_lock lock{mutex_};
    if (follower_count_ + newcomers_.size() >= follower_count_max) return follower.sink->close();
    newcomers_.push_back({.what = std::move(follower)});
  }
  condition_.notify_one();
}

void LogFollowers::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

bool LogFollowers::send_more(Follower& follower) {
  LogFollower& what = follower.what;
  if (const auto now = std::chrono::steady_clock::now(); now >= follower.next_check) {
    if (!access_.is_still_valid(what.caller)) return false;
    follower.next_check = now + token_check_interval;
  }
  for (;;) {
    LogQuery query = what.query;
    query.count_max = piece_size;
    const auto log = runs_.log(what.caller, what.run, what.name_space, query);
    if (!log) return false;
    if (!log->page.bytes.empty() && !what.sink->write(log->page.bytes)) return false;
    what.query.tail.reset();
    what.query.attempt = log->attempt == 0 ? std::nullopt : std::optional{log->attempt};
    what.query.offset = log->page.next_offset;
    if (log->page.is_at_end) return false;
    if (log->page.bytes.empty()) return what.sink->is_open();
  }
}

void LogFollowers::run(const std::stop_token& token, const LoopMonitor::Pulse& pulse) {
  std::list<Follower> followers;
  while (!token.stop_requested()) {
    pulse.beat();
    {
      std::unique_lock lock{mutex_};
      follower_count_ = followers.size();
      const auto has_news = [&] { return !newcomers_.empty(); };
      const Duration wait = followers.empty() ? pulse_interval : read_interval;
      condition_.wait_for(lock, token, wait, has_news);
      std::ranges::move(newcomers_, std::back_inserter(followers));
      newcomers_.clear();
      follower_count_ = followers.size();
    }
    if (token.stop_requested()) break;
    std::erase_if(followers, [&](Follower& follower) {
      pulse.beat();
      if (send_more(follower)) return false;
      follower.what.sink->close();
      return true;
    });
  }
}

}  // namespace carillon
