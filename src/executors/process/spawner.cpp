#include "executors/process/spawner.hpp"

#include "executors/process/system_calls.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <csignal>
#include <utility>

namespace carillon {

Spawner::Spawner(const rlimit& file_limit, const ControlGroups& groups)
    : file_limit_{file_limit},
      groups_{groups},
      nothing_{::open("/dev/null", O_RDONLY | O_CLOEXEC)},
      event_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)},
      thread_{[this](const std::stop_token& stop) { run(stop); }} {}

void Spawner::order(SpawnOrder order) {
  const std::lock_guard lock{mutex_};
  if (is_closed_) return;
  orders_.push_back(std::move(order));
  changed_.notify_one();
}

bool Spawner::withdraw(LaunchId id) {
  const std::lock_guard lock{mutex_};
  return std::erase_if(orders_, [&](const SpawnOrder& order) { return order.request.id == id; }) > 0;
}

std::vector<SpawnReport> Spawner::take_reports() {
  ::eventfd_t ignored = 0;
  ::eventfd_read(event_.get(), &ignored);
  const std::lock_guard lock{mutex_};
  return std::exchange(reports_, {});
}

void Spawner::close() {
  const std::lock_guard lock{mutex_};
  is_closed_ = true;
  orders_.clear();
}

bool Spawner::is_idle() {
  const std::lock_guard lock{mutex_};
  return orders_.empty() && reports_.empty() && !current_begun_;
}

std::optional<Duration> Spawner::oldest_unreported() {
  const std::lock_guard lock{mutex_};
  std::optional<Duration> oldest = current_begun_;
  for (const SpawnReport& report : reports_) oldest = std::min(oldest.value_or(report.begun), report.begun);
  return oldest;
}

void Spawner::end_child_on_its_way() {
  // Nobody waits for it before it is reported, and it is forgotten before that: the number is still its own.
  if (const pid_t child = spawning_.child_on_its_way(); child > 0) ::kill(child, SIGKILL);
}

void Spawner::run(const std::stop_token& stop) {
  std::unique_lock lock{mutex_};
  while (changed_.wait(lock, stop, [&] { return !orders_.empty(); })) {
    SpawnOrder order = std::move(orders_.front());
    orders_.pop_front();
    const Duration begun = boot_now();
    current_begun_ = begun;
    lock.unlock();

    SpawnReport report = carry_out(std::move(order), begun);
    spawning_.forget_child();

    lock.lock();
    current_begun_.reset();
    reports_.push_back(std::move(report));
    ::eventfd_write(event_.get(), 1);
  }
}

SpawnReport Spawner::carry_out(SpawnOrder order, Duration begun) {
  const LaunchRequest& request = order.request;
  SpawnReport report{.id = request.id,
                     .kind = SpawnReport::Kind::failed,
                     .pid = -1,
                     .process = {},
                     .begun = begun,
                     .mark = mark_of(request.program),
                     .error = {}};
  const Result<FileDescriptor> group = groups_.make(request.id);
  if (!group) {
    report.error = group.error().message;
    return report;
  }
  // As late as can be: all that may take time has been done.
  const Duration now = boot_now();
  if (now > request.launch_before || now > Duration{lease_.load()}) {
    report.kind = SpawnReport::Kind::too_late;
    report.error = too_late_text;
    return report;
  }
  const StandardFiles files{.input = (order.input.is_open() ? order.input : nothing_).get(),
                            .output = order.output.get(),
                            .error = order.error.get()};
  SpawnOutcome outcome = spawning_.start(request.program, files, file_limit_, group->get());
  report.pid = outcome.pid;
  report.process = std::move(outcome.process);
  if (outcome.failure) {
    report.error = to_text(*outcome.failure, request.program);
  } else {
    report.kind = SpawnReport::Kind::started;
  }
  return report;
}

}  // namespace carillon
