#include "executors/process/guard.hpp"
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

void Guard::carry_out(const TakenRequest& /*request*/) { keeper_.forget_output(); }

void Guard::carry_out(const RecordedRequest& request) { keeper_.forget(request.id); }

void Guard::carry_out(const DismissRequest& /*request*/) {
  is_dismissed_ = true;
  for (auto& [id, charge] : charges_) {
    if (!charge.is_program_over && charge.cause == Ended::Cause::itself) charge.cause = Ended::Cause::stop_request;
  }
  lose_server();
}

void Guard::leave_alone(LaunchId id, Charge& charge) {
  // The server that asked it to end would have ended it by force.
  const bool is_asked = charge.cause == Ended::Cause::stop_request && !charge.is_program_over;
  if (!is_asked || charge.force_at) return;
  charge.force_at = boot_now() + keeper_.keeping_of(id).grace;
  ending_.insert(id);
}

void Guard::keep_reading() {
  keeper_.begin_reading(poll_.get());
  const int listener = keeper_.listener();
  if (!is_listening_ && listener >= 0) is_listening_ = watch(listener, listener_token);
}

void Guard::meet_later_server() {
  while (true) {
    FileDescriptor socket{::accept4(keeper_.listener(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
    if (!socket.is_open()) return;
    if (is_same_user(socket.get())) greet(std::move(socket));
  }
}

void Guard::greet(FileDescriptor socket) {
  // Two servers never have the folder: the one before has gone, though we have not heard all of it yet.
  read_requests();
  if (!is_server_gone_) lose_server();
  std::map<LaunchId, Ended::Cause> causes;
  for (const auto& [id, charge] : charges_) causes.emplace(id, charge.cause);
  later_server_ = std::move(socket);
  server_ = later_server_.get();
  is_server_gone_ = !watch_server();
  if (is_server_gone_) return later_server_.reset();
  keeper_.end_reading(poll_.get());
  for (Keeper::Message& message : keeper_.story(causes))
    replies_.push_back({.bytes = std::move(message.bytes), .files = std::move(message.files)});
  send_replies();
}

void Guard::end_what_took_too_long(Duration now) {
  for (auto& [id, charge] : charges_) {
    if (!is_kept(id) || charge.is_program_over || charge.cause != Ended::Cause::itself) continue;
    const Keeping& keeping = keeper_.keeping_of(id);
    if (!keeping.timeout_at || now < *keeping.timeout_at) continue;
    charge.cause = Ended::Cause::timeout;
    charge.force_at = now + keeping.grace;
    ending_.insert(id);
    kin_.ask_program(id);
  }
}

void Guard::give_lock_up() {
  is_only_keeping_ = true;
  lock_.reset();
}

bool Guard::is_work_done() {
  const bool is_nobody_there = is_nobody_left();
  if (!was_left_) return false;
  if (is_server_gone_ && keeper_.count() > 0) keeper_.write_ends(poll_.get());
  if (is_nobody_there && keeper_.count() == 0) return true;
  const bool has_only_kept =
      std::ranges::all_of(charges_, [this](const auto& entry) { return is_kept(entry.first); }) &&
      spawner_.while_idle([] { return true; });
  if (!is_only_keeping_ && (is_nobody_there || (has_only_kept && !charges_.empty()))) give_lock_up();
  return false;
}

}  // namespace carillon
