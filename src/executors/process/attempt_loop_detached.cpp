#include "base/assertion.hpp"
#include "executors/process/attempt_end.hpp"
#include "executors/process/attempt_loop.hpp"
#include "executors/process/system_calls.hpp"

#include <poll.h>

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

/// A launcher that works reads at once; one that is halted need not be waited for.
constexpr Duration dismissal_time_max = std::chrono::seconds{1};

}  // namespace

AttemptLoop::AttemptLoop(Clock& clock, AttemptEvents& events, EarlierLauncher& launcher, Inbox& inbox,
                         std::atomic<bool>& is_healthy)
    : AttemptLoop{clock, events, launcher.socket.get(), -1, inbox, is_healthy, {}} {
  is_to_be_dismissed_ = false;
  for (RunningDetachedLaunch& launch : launcher.launches) {
    Attempt& attempt = attempts_[launch.kept.id];
    attempt.key = launch.kept.key;
    attempt.tag = std::move(launch.kept.tag);
    attempt.is_sent = attempt.is_held_back = true;
    attempt.output = std::move(launch.output);
    attempt.keeping = DetachTerms{.key = launch.kept.key};
    attempt.printed = std::move(launch.printed);
    launches_.emplace(attempt.key, launch.kept.id);
  }
}

void AttemptLoop::grant(const ResumeCommand& command) {
  const auto found = launches_.find(command.key);
  if (found == launches_.end()) return;
  const LaunchId id = found->second;
  Attempt& attempt = attempts_.at(id);
  if (!std::exchange(attempt.is_held_back, false)) return;
  is_to_be_dismissed_ = true;
  for (const DetachedOutput& output : std::exchange(attempt.printed, {}))
    events_.output(attempt.key, output.stream, output.bytes);
  note_taken();
  if (!attempt.held_end) return watch_output(id, attempt);
  for (const OutputStream stream : {OutputStream::out, OutputStream::error}) drain(attempt, stream);
  note_end(id, attempt);
  end(id, *attempt.held_end);
}

void AttemptLoop::grant(const ReleaseCommand& command) {
  const auto found = launches_.find(command.key);
  if (found == launches_.end()) return;
  const LaunchId id = found->second;
  Attempt& attempt = attempts_.at(id);
  attempt.is_held_back = false;
  attempt.is_let_go = true;
  for (const OutputStream stream : {OutputStream::out, OutputStream::error}) close_output(attempt, stream);
  note_taken();
  if (!attempt.held_end) return requests_.push_back(StopLaunchRequest{.id = id, .how = Stop::terminate});
  note_end(id, attempt);
  end(id, *attempt.held_end);
}

void AttemptLoop::note_taken() {
  const bool is_any_held_back =
      std::ranges::any_of(attempts_, [](const auto& entry) { return entry.second.is_held_back; });
  if (!is_any_held_back) requests_.push_back(TakenRequest{});
}

void AttemptLoop::note_end(LaunchId id, const Attempt& attempt) {
  if (!attempt.keeping) return;
  if (attempt.is_let_go || attempt.is_given_up)
    requests_.push_back(RecordedRequest{id});
  else
    unrecorded_.insert_or_assign(attempt.key, id);
}

void AttemptLoop::grant(const RecordedCommand& command) {
  if (const auto ended = unrecorded_.extract(command.key)) return requests_.push_back(RecordedRequest{ended.mapped()});
  if (const auto found = launches_.find(command.key); found != launches_.end())
    attempts_.at(found->second).is_given_up = true;
}

void AttemptLoop::grant(const ReportEndCommand& command) {
  const AttemptKey key = command.end.kept.key;
  for (const DetachedOutput& output : command.end.output) events_.output(key, output.stream, output.bytes);
  events_.ended(key, to_attempt_end(command.end.ended));
}

void AttemptLoop::dismiss_launcher() {
  // What the store has need not be kept; other commands come too late.
  const Inbox::Contents contents = inbox_.take();
  for (const ExecutorCommand& command : contents.commands) {
    if (const auto* recorded = std::get_if<RecordedCommand>(&command)) grant(*recorded);
  }
  if (is_to_be_dismissed_) requests_.push_back(DismissRequest{});
  const Duration end = boot_now() + dismissal_time_max;
  while (is_healthy_ && !requests_.empty()) {
    if (send(requests_.front())) {
      requests_.pop_front();
      continue;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - boot_now());
    if (left.count() <= 0) return;
    pollfd room{.fd = control_socket_, .events = POLLOUT, .revents = 0};
    ::poll(&room, 1, static_cast<int>(left.count()));
  }
}

// Heard before there is a loop.
void AttemptLoop::hear(const DetachedLaunchInfo& /*reply*/) {}
void AttemptLoop::hear(const DetachedOutput& /*reply*/) {}
void AttemptLoop::hear(const DetachedListEnd& /*reply*/) {}

}  // namespace carillon
