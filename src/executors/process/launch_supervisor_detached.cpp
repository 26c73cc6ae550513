#include "executors/process/launch_supervisor.hpp"
#include "executors/process/system_calls.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

/// The folder keeps others away already.
bool is_same_user(int socket) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

}  // namespace

void LaunchSupervisor::carry_out(const TakenRequest& /*request*/) { detached_.forget_output(); }

void LaunchSupervisor::carry_out(const RecordedRequest& request) { detached_.forget(request.id); }

void LaunchSupervisor::carry_out(const DismissRequest& /*request*/) {
  is_dismissed_ = true;
  for (auto& [id, launch] : launches_) {
    if (!launch.is_program_over && launch.cause == StopCause::none) launch.cause = StopCause::request;
  }
  lose_server();
}

void LaunchSupervisor::leave_alone(LaunchId id, SupervisedLaunch& launch) {
  // The server that asked it to end would have ended it by force.
  const bool is_asked = launch.cause == StopCause::request && !launch.is_program_over;
  if (!is_asked || launch.force_at) return;
  launch.force_at = boot_now() + detached_.keeping_of(id).grace;
  ending_.insert(id);
}

void LaunchSupervisor::keep_reading() {
  detached_.begin_reading(poll_.get());
  const int listener = detached_.listener();
  if (!is_listening_ && listener >= 0) is_listening_ = watch(listener, listener_token);
}

void LaunchSupervisor::meet_later_server() {
  while (true) {
    FileDescriptor socket{::accept4(detached_.listener(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
    if (!socket.is_open()) return;
    if (is_same_user(socket.get())) greet(std::move(socket));
  }
}

void LaunchSupervisor::greet(FileDescriptor socket) {
  // Two servers never have the folder: the one before has gone, though we have not heard all of it yet.
  read_requests();
  if (!is_server_gone_) lose_server();
  std::map<LaunchId, StopCause> causes;
  for (const auto& [id, launch] : launches_) causes.emplace(id, launch.cause);
  later_server_ = std::move(socket);
  server_ = later_server_.get();
  is_server_gone_ = !watch_server();
  if (is_server_gone_) return later_server_.reset();
  detached_.end_reading(poll_.get());
  for (DetachedLaunches::Message& message : detached_.story(causes))
    replies_.push_back({.bytes = std::move(message.bytes), .files = std::move(message.files)});
  send_replies();
}

void LaunchSupervisor::end_what_took_too_long(Duration now) {
  for (auto& [id, launch] : launches_) {
    if (!is_kept(id) || launch.is_program_over || launch.cause != StopCause::none) continue;
    const DetachTerms& keeping = detached_.keeping_of(id);
    if (!keeping.timeout_at || now < *keeping.timeout_at) continue;
    launch.cause = StopCause::timeout;
    launch.force_at = now + keeping.grace;
    ending_.insert(id);
    processes_.ask_program(id);
  }
}

void LaunchSupervisor::give_lock_up() {
  is_only_keeping_ = true;
  lock_.reset();
}

bool LaunchSupervisor::is_work_done() {
  const bool is_nobody_there = is_nobody_left();
  if (!was_left_) return false;
  if (is_server_gone_ && detached_.count() > 0) detached_.write_ends(poll_.get());
  if (is_nobody_there && detached_.count() == 0) return true;
  const bool has_only_kept =
      std::ranges::all_of(launches_, [this](const auto& entry) { return is_kept(entry.first); }) &&
      spawner_.while_idle([] { return true; });
  if (!is_only_keeping_ && (is_nobody_there || (has_only_kept && !launches_.empty()))) give_lock_up();
  return false;
}

}  // namespace carillon
