#include "stores/postgres/change_watcher.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace carillon::postgres {
namespace {

/// Between two notifications of ours: everything that is written meanwhile is told with the next one.
constexpr std::chrono::milliseconds notify_pause{20};
/// What may have changed is not told: whoever waits looks.
constexpr StoreChange anything{.has_events = true, .has_claimable = true, .has_wake = true};

}  // namespace

ChangeWatcher::ChangeWatcher(Opener open, Options options, std::function<void(const StoreChange&)> tell,
                             std::function<void(const Lineage::FeedRow&)> see)
    : open_{std::move(open)},
      options_{std::move(options)},
      tell_{std::move(tell)},
      see_{std::move(see)},
      wake_descriptor_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)},
      thread_{[this](const std::stop_token& stop) { run(stop); }} {}

ChangeWatcher::~ChangeWatcher() {
  thread_.request_stop();
  ::eventfd_write(wake_descriptor_, 1);
  thread_.join();
  ::close(wake_descriptor_);
}

void ChangeWatcher::note_own(const StoreChange&) {
  if (!has_own_.exchange(true)) ::eventfd_write(wake_descriptor_, 1);
}

void ChangeWatcher::wait_without(const std::stop_token& stop) {
  if (stop.stop_requested()) return;
  pollfd watched{.fd = wake_descriptor_, .events = POLLIN, .revents = 0};
  // Only the end is worth waking for: without a connection nobody can be told.
  (void)::poll(&watched, 1, static_cast<int>(options_.poll_time.count()));
  eventfd_t count = 0;
  (void)::eventfd_read(wake_descriptor_, &count);
}

void ChangeWatcher::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    auto connection = open_();
    if (connection) static_cast<void>(watch_with(**connection, stop));
    is_listening_ = false;
    wait_without(stop);
  }
}

/// Whether somebody else has written something since the last look.
Result<bool> ChangeWatcher::look(Connection& connection) {
  connection.send(fmt::format("SELECT id, writer, at, EXISTS (SELECT FROM {0}.feed WHERE id > $2 AND writer <> $1) "
                              "FROM {0}.feed WHERE id > $2 ORDER BY id DESC LIMIT 1",
                              options_.schema),
                  Parameters{options_.writer, seen_});
  const auto answers = TRY(connection.collect());
  if (answers.back().empty()) return false;
  const Row row = answers.back()[0];
  seen_ = row.number(0);
  see_({.id = seen_, .writer = row.number(1), .at = row.instant(2)});
  return row.flag(3);
}

Result<> ChangeWatcher::tell_others(Connection& connection) {
  connection.send("SELECT pg_notify($1, $2)",
                  Parameters{"carillon_" + options_.schema, std::to_string(options_.writer)});
  TRY(connection.collect());
  return {};
}

Result<> ChangeWatcher::watch_with(Connection& connection, const std::stop_token& stop) {
  connection.send(fmt::format("LISTEN carillon_{}", options_.schema));
  TRY(connection.collect());
  // Written before we listened, or while the connection was gone.
  if (TRY(look(connection))) tell_(anything);
  is_listening_ = TRY(connection.is_direct());
  auto next_look = std::chrono::steady_clock::now() + poll_time();
  auto may_tell_at = std::chrono::steady_clock::now();
  // Not by the number of the process: behind a pooler that is not ours.
  const std::string own = std::to_string(options_.writer);
  while (!stop.stop_requested()) {
    const auto now = std::chrono::steady_clock::now();
    const auto wait_until = has_own_ ? std::min(next_look, may_tell_at) : next_look;
    const auto time =
        std::max(std::chrono::milliseconds{0}, std::chrono::ceil<std::chrono::milliseconds>(wait_until - now));
    const bool has_come = TRY(connection.wait_for_notification(wake_descriptor_, time, own));
    eventfd_t count = 0;
    (void)::eventfd_read(wake_descriptor_, &count);
    if (has_own_ && std::chrono::steady_clock::now() >= may_tell_at) {
      has_own_ = false;
      TRY(tell_others(connection));
      may_tell_at = std::chrono::steady_clock::now() + notify_pause;
    }
    const bool is_time = std::chrono::steady_clock::now() >= next_look;
    if (!has_come && !is_time) continue;
    next_look = std::chrono::steady_clock::now() + poll_time();
    const bool has_others = TRY(look(connection));
    if (has_come || has_others) tell_(anything);
  }
  return {};
}

}  // namespace carillon::postgres
