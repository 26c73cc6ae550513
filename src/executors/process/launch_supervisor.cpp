#include "executors/process/launch_supervisor.hpp"

#include "base/assertion.hpp"
#include "executors/process/channel.hpp"
#include "executors/process/system_calls.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>
#include <vector>

namespace carillon {
namespace {

// What an event is about: one of these, or the launch whose program has ended. Never a file's number, which may mean
// another file by the time the event is read.
constexpr std::uint64_t from_server = ~std::uint64_t{0};
constexpr std::uint64_t from_children = ~std::uint64_t{1};
constexpr std::uint64_t from_timer = ~std::uint64_t{2};
constexpr std::uint64_t from_spawner = ~std::uint64_t{3};
constexpr std::uint64_t from_listener = LaunchSupervisor::listener_token;

/// How often we look again for what gives no sign of its own: processes that escape while they are being ended.
constexpr Duration look_interval = std::chrono::milliseconds{50};
/// The same for whom we do not know yet.
constexpr Duration moment = std::chrono::milliseconds{1};

FileDescriptor open_child_signal() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGCHLD);
  return FileDescriptor{::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK)};
}

Duration from(const timeval& time) { return std::chrono::seconds{time.tv_sec} + Duration{time.tv_usec}; }

/// How many programs can be under supervision: each takes a file, and some must be left to look after them.
std::size_t launches_with(const rlimit& file_limit) {
  constexpr rlim_t reserve = 256;
  return static_cast<std::size_t>(std::max(file_limit.rlim_max, 2 * reserve) - reserve);
}

ResourceUse use_of(const rusage& usage) {
  return {.user_time = from(usage.ru_utime),
          .system_time = from(usage.ru_stime),
          .memory_max = std::int64_t{usage.ru_maxrss} * 1024};
}

}  // namespace

LaunchSupervisor::LaunchSupervisor(const Launcher::Sockets& sockets, const ControlGroups& groups, const Rules& rules,
                                   FileDescriptor lock)
    : server_{sockets.control.get()},
      groups_{groups},
      grace_{rules.grace},
      lock_{std::move(lock)},
      launch_count_max_{launches_with(rules.file_limit)},
      poll_{::epoll_create1(EPOLL_CLOEXEC)},
      child_signal_{open_child_signal()},
      timer_{::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)},
      processes_{groups_},
      detached_{rules.kept_folder},
      spawner_{{.launches = sockets.launches.get(), .replies = server_, .poll = poll_.get()},
               {.file_limit = rules.file_limit, .hidden_folder = rules.hidden_folder},
               groups_,
               detached_} {
  CARILLON_ASSERT(watch_server() && watch(child_signal_.get(), from_children) && watch(timer_.get(), from_timer) &&
                  watch(spawner_.event(), from_spawner));
}

bool LaunchSupervisor::watch(int file, std::uint64_t token) {
  epoll_event event{.events = EPOLLIN, .data = {.u64 = token}};
  return ::epoll_ctl(poll_.get(), EPOLL_CTL_ADD, file, &event) == 0;
}

bool LaunchSupervisor::watch_server() { return watch(server_, from_server); }

void LaunchSupervisor::run() {
  while (true) {
    wait_for_something();
    end_what_is_over_time();
    settle();
    if (is_work_done()) break;
    set_timer();
  }
  groups_.remove_all();
}

void LaunchSupervisor::wait_for_something() {
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(poll_.get(), events.data(), static_cast<int>(events.size()), -1);
  // First, since events may be about what they tell of.
  take_reports();
  for (int i = 0; i < count; ++i) handle(events[static_cast<std::size_t>(i)].data.u64);
}

void LaunchSupervisor::handle(std::uint64_t token) {
  switch (token) {
    case from_server: send_replies(); return read_requests();
    case from_children: {
      std::array<signalfd_siginfo, 16> ignored;
      while (::read(child_signal_.get(), ignored.data(), sizeof(ignored)) > 0) continue;
      return;
    }
    case from_timer: {
      std::uint64_t ignored = 0;
      [[maybe_unused]] const ssize_t count = ::read(timer_.get(), &ignored, sizeof(ignored));
      return;
    }
    case from_spawner: {
      ::eventfd_t ignored = 0;
      ::eventfd_read(spawner_.event(), &ignored);
      return take_reports();
    }
    case from_listener: return meet_later_server();
    default: break;
  }
  if (const auto stream = DetachedLaunches::stream_of(token)) {
    detached_.read(*stream, poll_.get());
  } else {
    end_program(LaunchId{token});
  }
}

void LaunchSupervisor::read_requests() {
  while (!is_server_gone_) {
    Packet packet;
    const Result<PacketStatus> status = receive_packet(server_, packet);
    if (!status || *status == PacketStatus::not_now) return;
    if (*status == PacketStatus::closed) return lose_server();
    std::visit([this](const auto& request) { carry_out(request); }, request_from(packet.bytes));
  }
}

void LaunchSupervisor::carry_out(const StopLaunchRequest& request) {
  if (spawner_.stop(request.id, request.how)) return;
  take_reports();
  if (const auto launch = launches_.find(request.id); launch != launches_.end())
    stop(request.id, launch->second, request.how);
}

void LaunchSupervisor::carry_out(const ExtendRequest& request) { lease_ = request.until; }

void LaunchSupervisor::carry_out(const LaunchRequest& /*request*/) {}  // comes on another way

void LaunchSupervisor::lose_server() {
  is_server_gone_ = was_left_ = true;
  ::epoll_ctl(poll_.get(), EPOLL_CTL_DEL, server_, nullptr);
  later_server_.reset();
  replies_.clear();
  is_waiting_to_send_ = false;
  lease_.reset();
  spawner_.close();
  for (auto& [id, launch] : launches_) {
    if (is_kept(id)) {
      leave_alone(id, launch);
      continue;
    }
    processes_.ask_program(id);
    ask(id, launch);
  }
  keep_reading();
}

void LaunchSupervisor::take_reports() {
  for (SpawnReport& report : spawner_.take_reports()) {
    if (!report.refused) {
      begin_supervising(std::move(report));
      continue;
    }
    static_cast<void>(was_cut_on_its_way(report));
    if (report.pid > 0) ::waitpid(report.pid, nullptr, 0);
    groups_.remove(report.id);
    reply(*std::move(report.refused));
  }
}

// Asked once: the number of the process is another's later.
bool LaunchSupervisor::was_cut_on_its_way(const SpawnReport& report) {
  const bool was_cut = cut_on_its_way_ > 0 && report.pid == cut_on_its_way_;
  if (was_cut) cut_on_its_way_ = 0;
  return was_cut;
}

void LaunchSupervisor::begin_supervising(SpawnReport report) {
  const LaunchId id = report.id;
  processes_.add(id, report.pid, report.tag);
  SupervisedLaunch& launch = launches_[id];
  launch.pid = report.pid;
  launch.process = std::move(report.process);
  launch.begun = report.begun;
  if (was_cut_on_its_way(report)) launch.cause = StopCause::lease;
  if (report.kept) detached_.add(id, *std::move(report.kept));
  // What may be kept has two files more.
  spawner_.set_full(launches_.size() + 2 * detached_.count() >= launch_count_max_);
  if (!report.is_announced) reply(LaunchBegan{id});
  if (report.stop != Stop::none) stop(id, launch, report.stop);
  if (!report.is_watched || (is_server_gone_ && !is_kept(id))) return force(id, launch);
  if (is_server_gone_) keep_reading();
}

void LaunchSupervisor::stop(LaunchId id, SupervisedLaunch& launch, Stop how) {
  if (!launch.is_program_over && launch.cause == StopCause::none) launch.cause = StopCause::request;
  if (how == Stop::terminate) return force(id, launch);
  processes_.ask_program(id);
}

void LaunchSupervisor::end_program(LaunchId id) {
  const auto found = launches_.find(id);
  if (found == launches_.end() || found->second.is_program_over) return;
  SupervisedLaunch& launch = found->second;
  rusage usage{};
  if (::wait4(launch.pid, &launch.wait_status, WNOHANG, &usage) != launch.pid) return;
  launch.use = use_of(usage);
  launch.is_program_over = true;
  ending_.insert(id);
  // Removed before it is closed: a child on its way may hold a copy of the file, and the registration with it.
  ::epoll_ctl(poll_.get(), EPOLL_CTL_DEL, launch.process.get(), nullptr);
  launch.process.reset();
  processes_.refresh();
  processes_.program_ended(id);
}

void LaunchSupervisor::ask(LaunchId id, SupervisedLaunch& launch) {
  processes_.ask_orphans(id);
  ending_.insert(id);
  if (!launch.force_at) launch.force_at = boot_now() + grace_;
}

void LaunchSupervisor::force(LaunchId id, SupervisedLaunch& launch) {
  launch.is_forced = true;
  ending_.insert(id);
  processes_.refresh();
  processes_.end(id);
}

void LaunchSupervisor::end_what_is_over_time() {
  const Duration now = boot_now();
  const bool is_over = is_lease_over(now);
  if (is_over || (is_server_gone_ && !spawner_.is_starting_kept())) {
    const pid_t child = spawner_.end_child_on_its_way();
    if (is_over && child > 0) cut_on_its_way_ = child;
  }
  if (is_server_gone_) end_what_took_too_long(now);
  if (is_over) {
    for (auto& [id, launch] : launches_) {
      if (launch.is_forced) continue;
      if (!launch.is_program_over && launch.cause == StopCause::none) launch.cause = StopCause::lease;
      force(id, launch);
    }
  }
  for (const LaunchId id : ending_) {
    SupervisedLaunch& launch = launches_.at(id);
    if (!launch.is_forced && launch.force_at && now >= *launch.force_at) force(id, launch);
  }
}

/// A launch is over when its program is and nothing is left that it has started: a run that has ended leaves nothing
/// behind.
void LaunchSupervisor::settle() {
  processes_.refresh();
  std::vector<LaunchId> over;
  for (const LaunchId id : ending_) {
    SupervisedLaunch& launch = launches_.at(id);
    end_program(id);
    if (!launch.is_program_over) continue;
    if (!processes_.has_orphans_of(id)) {
      over.push_back(id);
    } else if (launch.is_forced) {
      processes_.end(id);
    } else {
      ask(id, launch);
    }
  }
  for (const LaunchId id : over) {
    const SupervisedLaunch& launch = launches_.at(id);
    processes_.remove(id);
    groups_.remove(id);
    const LaunchEnded ended{.id = id, .cause = launch.cause, .wait_status = launch.wait_status, .use = launch.use};
    detached_.end(ended);
    reply(ended);
    ending_.erase(id);
    launches_.erase(id);
    spawner_.set_full(false);
  }
  if (processes_.has_orphans()) end_strays();
}

void LaunchSupervisor::end_strays() {
  Duration oldest = spawner_.oldest_unreported().value_or(boot_now());
  for (const auto& [id, launch] : launches_) oldest = std::min(oldest, launch.begun);
  processes_.end_strays(oldest);
}

bool LaunchSupervisor::is_nobody_left() {
  return launches_.empty() && spawner_.while_idle([this] { return !processes_.end_everyone(); });
}

void LaunchSupervisor::set_timer() {
  std::optional<Duration> next;
  const auto at = [&](Duration time) { next = std::min(next.value_or(time), time); };
  const Duration now = boot_now();
  const bool is_over = is_lease_over(now);
  if (lease_ && !is_over) at(*lease_ + Duration{1});
  if (is_server_gone_) {
    if (detached_.next_try()) at(*detached_.next_try());
    for (const auto& [id, launch] : launches_) {
      if (is_kept(id) && detached_.keeping_of(id).timeout_at && launch.cause == StopCause::none)
        at(*detached_.keeping_of(id).timeout_at);
    }
  }
  const bool is_clearing_up = is_server_gone_ && (!is_only_keeping_ || launches_.empty());
  bool is_being_forced = is_clearing_up || (is_over && spawner_.oldest_unreported());
  for (const LaunchId id : ending_) {
    const SupervisedLaunch& launch = launches_.at(id);
    is_being_forced = is_being_forced || launch.is_forced;
    if (!launch.is_forced && launch.force_at) at(*launch.force_at);
  }
  if (is_being_forced) at(now + look_interval);
  if (processes_.is_unsure()) at(now + moment);
  if (next == timer_at_ && !is_being_forced) return;

  timer_at_ = next;
  itimerspec setting{};
  if (next) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(*next);
    setting.it_value.tv_sec = seconds.count();
    setting.it_value.tv_nsec = std::max<long>(1, std::chrono::nanoseconds{*next - seconds}.count());
  }
  ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &setting, nullptr);
}

void LaunchSupervisor::reply(const LauncherReply& reply) {
  if (is_server_gone_) return;
  replies_.push_back({.bytes = to_bytes(reply)});
  send_replies();
}

void LaunchSupervisor::send_replies() {
  while (!replies_.empty()) {
    const Result<PacketStatus> status = send_packet(server_, replies_.front().bytes, replies_.front().files);
    // Without memory it is tried again: a reply that is lost would be an attempt that never ends.
    if (!status || *status == PacketStatus::not_now) break;
    replies_.pop_front();
  }
  if (is_waiting_to_send_ == !replies_.empty()) return;
  is_waiting_to_send_ = !replies_.empty();
  epoll_event event{.events = EPOLLIN, .data = {.u64 = from_server}};
  if (is_waiting_to_send_) event.events |= EPOLLOUT;
  ::epoll_ctl(poll_.get(), EPOLL_CTL_MOD, server_, &event);
}

}  // namespace carillon
