#include "api/rest/log_followers.hpp"

#include <chrono>
#include <iterator>

namespace carillon::rest {
namespace {

constexpr Duration look_interval = std::chrono::milliseconds{200};
constexpr auto check_interval = std::chrono::seconds{2};
constexpr std::size_t piece_size = 64 * 1024;

}  // namespace

LogFollowers::LogFollowers(Services& services, LoopMonitor* loops)
    : services_{services}, thread_{[this, loops](const std::stop_token& token) { run(token, loops); }} {}

void LogFollowers::add(Follower follower) {
  {
    const std::scoped_lock lock{mutex_};
    newcomers_.push_back(std::move(follower));
  }
  condition_.notify_one();
}

void LogFollowers::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

bool LogFollowers::send_more(Follower& follower) {
  if (const auto now = std::chrono::steady_clock::now(); now >= follower.next_check) {
    if (!services_.access.is_still_valid(follower.caller)) return false;
    follower.next_check = now + check_interval;
  }
  for (;;) {
    LogQuery query = follower.query;
    query.count_max = piece_size;
    const auto log = services_.runs.log(follower.caller, follower.run, follower.name_space, query);
    if (!log) return false;
    if (!log->page.bytes.empty() && !follower.stream.write(log->page.bytes)) return false;
    follower.query.tail.reset();
    follower.query.attempt = log->attempt == 0 ? std::nullopt : std::optional{log->attempt};
    follower.query.offset = log->page.next_offset;
    if (log->page.is_at_end) return false;
    if (log->page.bytes.empty()) return follower.stream.is_open();
  }
}

void LogFollowers::run(const std::stop_token& token, LoopMonitor* loops) {
  const auto pulse = watch_this_thread(loops, "log-followers");
  std::list<Follower> followers;
  while (!token.stop_requested()) {
    pulse.beat();
    {
      std::unique_lock lock{mutex_};
      const auto has_news = [&] { return !newcomers_.empty(); };
      const Duration wait = followers.empty() ? pulse_interval : look_interval;
      condition_.wait_for(lock, token, wait, has_news);
      std::ranges::move(newcomers_, std::back_inserter(followers));
      newcomers_.clear();
    }
    if (token.stop_requested()) break;
    std::erase_if(followers, [&](Follower& follower) {
      pulse.beat();
      if (send_more(follower)) return false;
      follower.stream.close();
      return true;
    });
  }
}

}  // namespace carillon::rest
