#include "executors/process/guard.hpp"

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
constexpr std::uint64_t from_listener = Guard::listener_token;

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

/// How many programs can be in charge: each takes a file, and some must be left to look after them.
std::size_t charges_with(const rlimit& file_limit) {
  constexpr rlim_t reserve = 256;
  return static_cast<std::size_t>(std::max(file_limit.rlim_max, 2 * reserve) - reserve);
}

ResourceUse use_of(const rusage& usage) {
  return {.user_time = from(usage.ru_utime),
          .system_time = from(usage.ru_stime),
          .memory_max = std::int64_t{usage.ru_maxrss} * 1024};
}

}  // namespace

Guard::Guard(const Launcher::Sockets& sockets, const ControlGroups& groups, const Rules& rules, FileDescriptor lock)
    : server_{sockets.control.get()},
      groups_{groups},
      grace_{rules.grace},
      lock_{std::move(lock)},
      charge_count_max_{charges_with(rules.file_limit)},
      poll_{::epoll_create1(EPOLL_CLOEXEC)},
      child_signal_{open_child_signal()},
      timer_{::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)},
      kin_{groups_},
      keeper_{rules.kept_folder},
      spawner_{{.launches = sockets.launches.get(), .replies = server_, .poll = poll_.get()},
               {.file_limit = rules.file_limit, .hidden_folder = rules.hidden_folder},
               groups_,
               keeper_} {
  CARILLON_ASSERT(watch_server() && watch(child_signal_.get(), from_children) && watch(timer_.get(), from_timer) &&
                  watch(spawner_.event(), from_spawner));
}

bool Guard::watch(int file, std::uint64_t token) {
  epoll_event event{.events = EPOLLIN, .data = {.u64 = token}};
  return ::epoll_ctl(poll_.get(), EPOLL_CTL_ADD, file, &event) == 0;
}

bool Guard::watch_server() { return watch(server_, from_server); }

void Guard::run() {
  while (true) {
    wait_for_something();
    end_what_is_over_time();
    settle();
    if (is_work_done()) break;
    set_timer();
  }
  groups_.remove_all();
}

void Guard::wait_for_something() {
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(poll_.get(), events.data(), static_cast<int>(events.size()), -1);
  // First, since events may be about what they tell of.
  take_reports();
  for (int i = 0; i < count; ++i) handle(events[static_cast<std::size_t>(i)].data.u64);
}

void Guard::handle(std::uint64_t token) {
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
  if (const auto stream = Keeper::stream_of(token)) {
    keeper_.read(*stream, poll_.get());
  } else {
    end_program(LaunchId{token});
  }
}

void Guard::read_requests() {
  while (!is_server_gone_) {
    Packet packet;
    const Result<PacketStatus> status = receive_packet(server_, packet);
    if (!status || *status == PacketStatus::not_now) return;
    if (*status == PacketStatus::closed) return lose_server();
    std::visit([this](const auto& request) { carry_out(request); }, request_from(packet.bytes));
  }
}

void Guard::carry_out(const StopLaunchRequest& request) {
  if (spawner_.stop(request.id, request.how)) return;
  take_reports();
  if (const auto charge = charges_.find(request.id); charge != charges_.end())
    stop(request.id, charge->second, request.how);
}

void Guard::carry_out(const ExtendRequest& request) { lease_ = request.until; }

void Guard::carry_out(const LaunchRequest& /*request*/) {}  // comes on another way

void Guard::lose_server() {
  is_server_gone_ = was_left_ = true;
  ::epoll_ctl(poll_.get(), EPOLL_CTL_DEL, server_, nullptr);
  later_server_.reset();
  replies_.clear();
  is_waiting_to_send_ = false;
  lease_.reset();
  spawner_.close();
  for (auto& [id, charge] : charges_) {
    if (is_kept(id)) {
      leave_alone(id, charge);
      continue;
    }
    kin_.ask_program(id);
    ask(id, charge);
  }
  keep_reading();
}

void Guard::take_reports() {
  for (SpawnReport& report : spawner_.take_reports()) {
    if (!report.refused) {
      take_charge(std::move(report));
      continue;
    }
    if (report.pid > 0) ::waitpid(report.pid, nullptr, 0);
    groups_.remove(report.id);
    reply(*std::move(report.refused));
  }
}

void Guard::take_charge(SpawnReport report) {
  const LaunchId id = report.id;
  kin_.add(id, report.pid, report.mark);
  Charge& charge = charges_[id];
  charge.pid = report.pid;
  charge.process = std::move(report.process);
  charge.begun = report.begun;
  if (report.kept) keeper_.add(id, *std::move(report.kept));
  // What may be kept has two files more.
  spawner_.set_full(charges_.size() + 2 * keeper_.count() >= charge_count_max_);
  if (!report.is_announced) reply(Begun{id});
  if (report.stop != Stop::none) stop(id, charge, report.stop);
  if (!report.is_watched || (is_server_gone_ && !is_kept(id))) return force(id, charge);
  if (is_server_gone_) keep_reading();
}

void Guard::stop(LaunchId id, Charge& charge, Stop how) {
  if (!charge.is_program_over && charge.cause == Ended::Cause::itself) charge.cause = Ended::Cause::stop_request;
  if (how == Stop::terminate) return force(id, charge);
  kin_.ask_program(id);
}

void Guard::end_program(LaunchId id) {
  const auto found = charges_.find(id);
  if (found == charges_.end() || found->second.is_program_over) return;
  Charge& charge = found->second;
  rusage usage{};
  if (::wait4(charge.pid, &charge.wait_status, WNOHANG, &usage) != charge.pid) return;
  charge.use = use_of(usage);
  charge.is_program_over = true;
  ending_.insert(id);
  // Removed before it is closed: a child on its way may hold a copy of the file, and the registration with it.
  ::epoll_ctl(poll_.get(), EPOLL_CTL_DEL, charge.process.get(), nullptr);
  charge.process.reset();
  kin_.refresh();
  kin_.program_ended(id);
}

void Guard::ask(LaunchId id, Charge& charge) {
  kin_.ask_orphans(id);
  ending_.insert(id);
  if (!charge.force_at) charge.force_at = boot_now() + grace_;
}

void Guard::force(LaunchId id, Charge& charge) {
  charge.is_forced = true;
  ending_.insert(id);
  kin_.refresh();
  kin_.end(id);
}

void Guard::end_what_is_over_time() {
  const Duration now = boot_now();
  const bool is_over = is_lease_over(now);
  if (is_over || (is_server_gone_ && !spawner_.is_starting_kept())) spawner_.end_child_on_its_way();
  if (is_server_gone_) end_what_took_too_long(now);
  if (is_over) {
    for (auto& [id, charge] : charges_) {
      if (charge.is_forced) continue;
      if (!charge.is_program_over && charge.cause == Ended::Cause::itself) charge.cause = Ended::Cause::lease;
      force(id, charge);
    }
  }
  for (const LaunchId id : ending_) {
    Charge& charge = charges_.at(id);
    if (!charge.is_forced && charge.force_at && now >= *charge.force_at) force(id, charge);
  }
}

/// A launch is over when its program is and nothing is left that it has started: a run that has ended leaves nothing
/// behind.
void Guard::settle() {
  kin_.refresh();
  std::vector<LaunchId> over;
  for (const LaunchId id : ending_) {
    Charge& charge = charges_.at(id);
    end_program(id);
    if (!charge.is_program_over) continue;
    if (!kin_.has_orphans_of(id)) {
      over.push_back(id);
    } else if (charge.is_forced) {
      kin_.end(id);
    } else {
      ask(id, charge);
    }
  }
  for (const LaunchId id : over) {
    const Charge& charge = charges_.at(id);
    kin_.remove(id);
    groups_.remove(id);
    const Ended ended{.id = id, .cause = charge.cause, .wait_status = charge.wait_status, .use = charge.use};
    keeper_.end(ended);
    reply(ended);
    ending_.erase(id);
    charges_.erase(id);
    spawner_.set_full(false);
  }
  if (kin_.has_orphans()) end_strays();
}

void Guard::end_strays() {
  Duration oldest = spawner_.oldest_unreported().value_or(boot_now());
  for (const auto& [id, charge] : charges_) oldest = std::min(oldest, charge.begun);
  kin_.end_strays(oldest);
}

bool Guard::is_nobody_left() {
  return charges_.empty() && spawner_.while_idle([this] { return !kin_.end_everyone(); });
}

void Guard::set_timer() {
  std::optional<Duration> next;
  const auto at = [&](Duration time) { next = std::min(next.value_or(time), time); };
  const Duration now = boot_now();
  const bool is_over = is_lease_over(now);
  if (lease_ && !is_over) at(*lease_ + Duration{1});
  if (is_server_gone_) {
    if (keeper_.next_try()) at(*keeper_.next_try());
    for (const auto& [id, charge] : charges_) {
      if (is_kept(id) && keeper_.keeping_of(id).timeout_at && charge.cause == Ended::Cause::itself)
        at(*keeper_.keeping_of(id).timeout_at);
    }
  }
  const bool is_clearing_up = is_server_gone_ && (!is_only_keeping_ || charges_.empty());
  bool is_being_forced = is_clearing_up || (is_over && spawner_.oldest_unreported());
  for (const LaunchId id : ending_) {
    const Charge& charge = charges_.at(id);
    is_being_forced = is_being_forced || charge.is_forced;
    if (!charge.is_forced && charge.force_at) at(*charge.force_at);
  }
  if (is_being_forced) at(now + look_interval);
  if (kin_.is_unsure()) at(now + moment);
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

void Guard::reply(const Reply& reply) {
  if (is_server_gone_) return;
  replies_.push_back({.bytes = to_bytes(reply)});
  send_replies();
}

void Guard::send_replies() {
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
