#include "packages/watched_folder.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace carillon::packages {
namespace {

/// After something that could not be done, and while not all folders can be watched.
constexpr Duration retry_interval = std::chrono::seconds{2};
constexpr Duration rescan_interval = std::chrono::minutes{1};
/// How often state files are written at most: a schedule that runs every second needs no more.
constexpr Duration projection_interval = std::chrono::milliseconds{200};
/// How many are written before files are looked at again: a disk may need milliseconds for each.
constexpr std::size_t projection_count_max = 50;

/// Without those that another one contains, so that no file is read twice.
std::vector<FolderScope> without_contained(const std::vector<FolderScope>& scopes) {
  std::vector<FolderScope> kept;
  for (const FolderScope& scope : scopes) {
    const bool is_contained = std::ranges::any_of(scopes, [&](const FolderScope& other) {
      return other != scope && other.is_recursive && is_at_or_below(scope.folder, other.folder);
    });
    if (!is_contained) kept.push_back(scope);
  }
  return kept;
}

void append(FolderContents& all, FolderContents&& more) {
  std::ranges::move(more.schedules, std::back_inserter(all.schedules));
  std::ranges::move(more.faults, std::back_inserter(all.faults));
  all.package_count += more.package_count;
}

}  // namespace

Result<ClaimedFolder> ClaimedFolder::claim(const std::filesystem::path& folder, WatchedFiles which, Clock& clock,
                                           Duration heartbeat_age_max) {
  SchedulerLock lock = TRY(SchedulerLock::acquire(folder, clock, own_identity(), heartbeat_age_max));
  return ClaimedFolder{.lock = std::move(lock), .watcher = TRY(FolderWatcher::open(folder, which))};
}

WatchedFolder::WatchedFolder(const WatchedFolderParts& parts, ClaimedFolder claimed, PackageFolder folder,
                             std::filesystem::path earlier_states, const WatchedFolderOptions& options)
    : heartbeat_interval_{options.heartbeat_interval},
      clock_{parts.clock},
      log_{parts.log},
      loops_{parts.loops},
      wake_{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)},
      claimed_{std::move(claimed)},
      folder_{std::move(folder)},
      states_{folder_.path(), std::move(earlier_states)},
      sync_{{parts.schedules, parts.runs, parts.clock, parts.log, states_, parts.faults, parts.on_change},
            options.grace},
      projection_{parts.schedules, parts.runs, parts.feed, states_, parts.log, options.history_count},
      changes_{parts.notifier.subscribe([this](const StoreChange& change) {
        if (!change.has_events || is_store_changed_.exchange(true)) return;
        const std::uint64_t one = 1;
        (void)!::write(wake_.get(), &one, sizeof one);
      })} {}

WatchedFolder::~WatchedFolder() { stop(); }

Result<WatchedFolder::FirstRead> WatchedFolder::open() {
  TRY(sync_.load());
  FolderContents contents = folder_.read();
  const FolderScope all;
  FirstRead first{.counts = sync_.apply({&all, 1}, contents),
                  .package_count = contents.package_count,
                  .schedules = std::move(contents.schedules)};
  if (first.counts.must_retry) rescan_at_ = clock_.since_boot() + retry_interval;
  if (!claimed_.watcher.is_complete()) {
    log_.warn("not all folders can be watched: they are read every minute",
              {{"folder", folder_.path().string()}, {"help", "fs.inotify.max_user_watches"}});
    rescan_at_ = clock_.since_boot() + rescan_interval;
  }
  beat_at_ = clock_.since_boot() + heartbeat_interval_;
  projected_at_ = clock_.since_boot() - projection_interval;
  return first;
}

void WatchedFolder::start() {
  thread_ = watched_thread(loops_, "packages", [this](const auto& token, const auto& pulse) { run(token, pulse); });
}

void WatchedFolder::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  const std::uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
  thread_.join();
  projection_.update(sync_.packages());
}

void WatchedFolder::run(const std::stop_token& token, const LoopMonitor::Pulse& pulse) {
  while (!token.stop_requested()) {
    pulse.beat();
    turn();
    const Duration now = clock_.since_boot();
    wait(std::clamp(next_turn().value_or(now + pulse_interval) - now, Duration{0}, pulse_interval));
  }
}

void WatchedFolder::wait(Duration longest) const {
  std::array<pollfd, 2> events{pollfd{.fd = claimed_.watcher.descriptor(), .events = POLLIN, .revents = 0},
                               pollfd{.fd = wake_.get(), .events = POLLIN, .revents = 0}};
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(longest).count();
  (void)::poll(events.data(), events.size(), static_cast<int>(milliseconds));
  std::uint64_t count = 0;
  (void)!::read(wake_.get(), &count, sizeof count);
}

void WatchedFolder::turn() {
  const Duration now = clock_.since_boot();
  claimed_.watcher.take_events(now);
  read_changes(now);
  if (const auto removal = sync_.next_removal(); removal && *removal <= now) sync_.remove_missing();
  if (beat_at_ <= now) beat(now);
  if (projected_at_ + projection_interval <= now && is_store_changed_.exchange(false)) {
    projected_at_ = now;
    if (projection_.update(sync_.packages(), projection_count_max)) {
      is_store_changed_ = true;
      projected_at_ = now - projection_interval;
    }
  }
}

std::optional<Duration> WatchedFolder::next_turn() const {
  Duration next = beat_at_;
  for (const auto& other : {claimed_.watcher.next_due(), sync_.next_removal(), rescan_at_})
    if (other) next = std::min(next, *other);
  if (is_store_changed_) next = std::min(next, projected_at_ + projection_interval);
  return next;
}

void WatchedFolder::read_changes(Duration now) {
  std::vector<FolderScope> scopes = claimed_.watcher.take_due(now);
  if (rescan_at_ && *rescan_at_ <= now) {
    rescan_at_.reset();
    claimed_.watcher.watch_again();
    if (!claimed_.watcher.is_complete()) rescan_at_ = now + rescan_interval;
    scopes = {FolderScope{}};
  }
  if (!scopes.empty()) read(without_contained(scopes), now);
}

void WatchedFolder::read(std::vector<FolderScope> scopes, Duration now) {
  FolderContents contents;
  for (const FolderScope& scope : scopes) append(contents, folder_.read(scope));
  const bool is_gone = contents.has_fault(".");
  if (sync_.apply(scopes, contents).must_retry || is_gone) rescan_at_ = now + retry_interval;
  // What is new has no state file yet.
  is_store_changed_ = true;
}

void WatchedFolder::beat(Duration now) {
  beat_at_ = now + heartbeat_interval_;
  const auto beaten = claimed_.lock.beat(clock_.now());
  if (!beaten && was_beaten_)
    log_.error("cannot renew the lock of the watched folder", {{"error", beaten.error().message}});
  was_beaten_ = beaten.has_value();
}

}  // namespace carillon::packages
