#include "executors/process/attempt_loop.hpp"

#include "base/assertion.hpp"
#include "executors/process/attempt_end.hpp"
#include "executors/process/channel.hpp"
#include "executors/process/leftovers.hpp"
#include "executors/process/system_calls.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>

namespace carillon {
namespace {

// What an event is about: one of these two, or a launch and one of its streams. Never a file's number, which may mean
// another file by the time the event is read.
constexpr std::uint64_t from_inbox = 0;
constexpr std::uint64_t from_launcher = 1;

constexpr std::uint64_t token_of(LaunchId id, OutputStream stream) {
  return static_cast<std::uint64_t>(id) * 2 + static_cast<std::uint64_t>(stream);
}

constexpr std::array both_streams{OutputStream::out, OutputStream::error};

/// What is read of one stream before it is another's turn.
constexpr std::size_t piece_size = 64 * 1024;

/// What may be left in a pipe when nobody writes to it any more; more comes only from somebody who escaped.
constexpr std::size_t left_in_pipe_max = 1024 * 1024;

/// So many launches are on their way to the launcher at once: enough to keep it busy, few enough for a command to stop
/// or a lease to come through at once, and for the files that travel with them.
constexpr std::size_t unanswered_count_max = 32;

constexpr std::string_view launcher_is_gone = "the launcher has ended";

struct StandardPipes {
  Pipe out;
  Pipe error;
  FileDescriptor input;  // if there is any
};

/// Fails only if this process or machine lacks files or memory.
Result<StandardPipes> make_standard_files(const std::optional<std::string>& input) {
  StandardPipes made{.out = TRY(make_pipe()), .error = TRY(make_pipe()), .input = {}};
  if (input) made.input = TRY(memory_file("carillon-stdin", *input));
  return made;
}

}  // namespace

AttemptLoop::AttemptLoop(Clock& clock, AttemptEvents& events, const Launcher::Sockets& launcher, Inbox& inbox,
                         std::atomic<bool>& is_healthy, std::function<void()> on_launcher_lost)
    : AttemptLoop{clock, events,     launcher.control.get(),     launcher.launches.get(),
                  inbox, is_healthy, std::move(on_launcher_lost)} {}

AttemptLoop::AttemptLoop(Clock& clock, AttemptEvents& events, int control_socket, int launch_socket, Inbox& inbox,
                         std::atomic<bool>& is_healthy, std::function<void()> on_launcher_lost)
    : clock_{clock},
      events_{events},
      control_socket_{control_socket},
      launch_socket_{launch_socket},
      inbox_{inbox},
      is_healthy_{is_healthy},
      on_launcher_lost_{std::move(on_launcher_lost)},
      poll_{::epoll_create1(EPOLL_CLOEXEC)},
      buffer_(piece_size) {
  CARILLON_ASSERT(watch(inbox_.event(), from_inbox) && watch(control_socket_, from_launcher));
}

void AttemptLoop::run(const std::stop_token& stop, const LoopMonitor::Pulse& pulse) {
  constexpr auto wait_max = std::chrono::duration_cast<std::chrono::milliseconds>(pulse_interval);
  std::array<epoll_event, 64> events;
  while (!stop.stop_requested()) {
    pulse.beat();
    const int count =
        ::epoll_wait(poll_.get(), events.data(), static_cast<int>(events.size()), static_cast<int>(wait_max.count()));
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      handle(event.data.u64, event.events);
    }
    send_what_waits();
  }
  dismiss_launcher();
}

bool AttemptLoop::watch(int file, std::uint64_t token) {
  epoll_event event{.events = EPOLLIN, .data = {.u64 = token}};
  return ::epoll_ctl(poll_.get(), EPOLL_CTL_ADD, file, &event) == 0;
}

void AttemptLoop::close_output(Attempt& attempt, OutputStream stream) {
  FileDescriptor& file = attempt.output[static_cast<std::size_t>(stream)];
  if (!file.is_open()) return;
  // Another process may hold a copy of the file for a moment, and the registration with it.
  ::epoll_ctl(poll_.get(), EPOLL_CTL_DEL, file.get(), nullptr);
  file.reset();
}

void AttemptLoop::handle(std::uint64_t token, std::uint32_t events) {
  if (token == from_inbox) return take_commands();
  if (token == from_launcher) {
    if ((events & EPOLLOUT) != 0) wait_to_send(false);
    return read_replies();
  }
  const auto found = attempts_.find(LaunchId{token / 2});
  if (found != attempts_.end()) read_output(found->second, static_cast<OutputStream>(token % 2));
}

void AttemptLoop::take_commands() {
  Inbox::Contents contents = inbox_.take();
  if (contents.lease) {
    lease_ = contents.lease;
    is_lease_sent_ = false;
  }
  for (ExecutorCommand& command : contents.commands) {
    std::visit([this](auto& kind) { grant(std::move(kind)); }, command);
  }
}

void AttemptLoop::grant(LaunchCommand command) {
  const LaunchId id{++launch_count_};
  // An attempt is launched at most once.
  CARILLON_ASSERT(launches_.emplace(command.key, id).second);
  Attempt& attempt = attempts_[id];
  attempt.key = command.key;
  if (!command.program) {
    std::string error = std::move(command.program.error().message);
    for (const std::string& context : command.program.error().context) error += fmt::format(", {}", context);
    return end(id, {.outcome = AttemptOutcome::failed, .error = std::move(error)});
  }
  if (!is_healthy_) return end(id, {.outcome = AttemptOutcome::lost, .error = std::string{launcher_is_gone}});
  attempt.launch_before = command.launch_before;
  attempt.ordered_at = command.ordered_at;
  attempt.input = std::move(command.input);
  attempt.keeping = command.keeping;
  attempt.tag = launch_tag_of(*command.program);
  attempt.program = *std::move(command.program);
  waiting_.push_back(id);
}

void AttemptLoop::grant(const StopCommand& command) {
  const auto found = launches_.find(command.key);
  if (found == launches_.end()) return;
  const LaunchId id = found->second;
  if (attempts_.at(id).is_sent) return requests_.push_back(StopLaunchRequest{.id = id, .how = command.how});
  std::erase(waiting_, id);
  end(id, {.outcome = AttemptOutcome::cancelled, .error = stopped_before_launch});
}

void AttemptLoop::send_what_waits() {
  if (is_waiting_to_send_ || !is_healthy_) return;
  if (!is_lease_sent_ && !send(ExtendRequest{*lease_})) return wait_to_send(true);
  is_lease_sent_ = true;
  for (; !requests_.empty(); requests_.pop_front()) {
    if (!send(requests_.front())) return wait_to_send(true);
  }
  while (!waiting_.empty() && unanswered_count_ < unanswered_count_max) {
    const LaunchId id = waiting_.front();
    const Result<PacketStatus> status = send_launch(id, attempts_.at(id));
    // Others are on their way then, and their answers bring us back here.
    if (status && *status == PacketStatus::not_now) return;
    waiting_.pop_front();
    if (!status) end(id, {.outcome = AttemptOutcome::failed, .error = status.error().message});
  }
}

bool AttemptLoop::send(const LauncherRequest& request) {
  // Without a launcher it does not matter any more; without memory it is tried again.
  const Result<PacketStatus> status = send_packet(control_socket_, to_bytes(request));
  return status && *status != PacketStatus::not_now;
}

Result<PacketStatus> AttemptLoop::send_launch(LaunchId id, Attempt& attempt) {
  // The lease goes with it: the launcher may hear of the newest one only later.
  const Duration launch_before = std::min(attempt.launch_before, lease_.value_or(attempt.launch_before));
  if (is_over(id, attempt, launch_before)) return PacketStatus::done;
  auto standard = make_standard_files(attempt.input);
  if (!standard) {
    hear(LaunchRefused{.id = id, .why = LaunchRefused::Why::out_of_resources, .error = standard.error().message});
    return PacketStatus::done;
  }
  auto& [out, error, input] = *standard;
  std::vector<int> files{out.writer.get(), error.writer.get()};
  if (attempt.keeping) files.insert(files.end(), {out.reader.get(), error.reader.get()});
  if (attempt.input) files.push_back(input.get());
  const std::string bytes = to_bytes(LaunchRequest{.id = id,
                                                   .launch_before = launch_before,
                                                   .ordered_at = attempt.ordered_at,
                                                   .program = attempt.program,
                                                   .keeping = attempt.keeping});
  const PacketStatus status = TRY(send_packet(launch_socket_, bytes, files));
  if (status != PacketStatus::done) return status;
  attempt.is_sent = true;
  attempt.program = {};
  attempt.input.reset();
  attempt.output = {std::move(out.reader), std::move(error.reader)};
  ++unanswered_count_;
  return status;
}

/// Whether it is not to be launched any more, which has been told then.
bool AttemptLoop::is_over(LaunchId id, const Attempt& attempt, Duration launch_before) {
  if (clock_.since_boot() > launch_before) {
    hear(LaunchRefused{.id = id, .why = LaunchRefused::Why::too_late, .error = too_late});
    return true;
  }
  if (boot_now() - attempt.ordered_at <= order_age_max) return false;
  hear(LaunchRefused{.id = id, .why = LaunchRefused::Why::stale, .error = stale_order});
  return true;
}

void AttemptLoop::wait_to_send(bool is_waiting) {
  is_waiting_to_send_ = is_waiting;
  epoll_event event{.events = EPOLLIN, .data = {.u64 = from_launcher}};
  if (is_waiting) event.events |= EPOLLOUT;
  ::epoll_ctl(poll_.get(), EPOLL_CTL_MOD, control_socket_, &event);
}

void AttemptLoop::read_replies() {
  while (is_healthy_) {
    Packet packet;
    const Result<PacketStatus> status = receive_packet(control_socket_, packet);
    if (status && *status == PacketStatus::not_now) return;
    if (!status || *status == PacketStatus::closed) return lose_launcher();
    std::visit([this](const auto& kind) { hear(kind); }, reply_from(packet.bytes));
  }
}

void AttemptLoop::hear(const LaunchBegan& reply) {
  Attempt& attempt = attempts_.at(reply.id);
  --unanswered_count_;
  events_.launched(attempt.key);
  // Not watched before, so that no output is told of before the launch is.
  watch_output(reply.id, attempt);
}

void AttemptLoop::watch_output(LaunchId id, Attempt& attempt) {
  for (const OutputStream stream : both_streams) {
    // What cannot be watched is closed: a command must not wait for ever for someone to read its output.
    if (!watch(attempt.output[static_cast<std::size_t>(stream)].get(), token_of(id, stream)))
      close_output(attempt, stream);
  }
}

void AttemptLoop::hear(const LaunchRefused& reply) {
  if (attempts_.at(reply.id).is_sent) --unanswered_count_;
  end(reply.id, to_attempt_end(reply));
}

void AttemptLoop::hear(const LaunchEnded& reply) {
  Attempt& attempt = attempts_.at(reply.id);
  if (attempt.is_held_back) {
    attempt.held_end = to_attempt_end(reply);
    return;
  }
  for (const OutputStream stream : both_streams) drain(attempt, stream);
  note_end(reply.id, attempt);
  end(reply.id, to_attempt_end(reply));
}

void AttemptLoop::hear(const LauncherReady& /*reply*/) {}

void AttemptLoop::lose_launcher() {
  is_healthy_ = false;
  // First of all, so that nothing more is sent here.
  if (on_launcher_lost_) on_launcher_lost_();
  ::epoll_ctl(poll_.get(), EPOLL_CTL_DEL, control_socket_, nullptr);
  waiting_.clear();
  requests_.clear();
  unrecorded_.clear();
  std::set<LaunchTag> marks;
  for (const auto& [id, attempt] : attempts_) {
    if (attempt.is_sent) marks.insert(attempt.tag);
  }
  // The system ends each program with its launcher; the rest is for us, as far as it can be recognised.
  end_marked(marks);
  const AttemptEnd lost{.outcome = AttemptOutcome::lost, .error = std::string{launcher_is_gone}};
  std::vector<LaunchId> over;
  for (auto& [id, attempt] : attempts_) {
    if (!attempt.is_held_back)
      over.push_back(id);
    else if (!attempt.held_end)
      attempt.held_end = lost;
  }
  for (const LaunchId id : over) {
    for (const OutputStream stream : both_streams) drain(attempts_.at(id), stream);
    end(id, lost);
  }
}

bool AttemptLoop::read_output(Attempt& attempt, OutputStream stream) {
  const int file = attempt.output[static_cast<std::size_t>(stream)].get();
  if (file < 0) return false;
  const ssize_t count = ::read(file, buffer_.data(), buffer_.size());
  if (count > 0) {
    events_.output(attempt.key, stream, {buffer_.data(), static_cast<std::size_t>(count)});
    return true;
  }
  if (count == 0 || (errno != EAGAIN && errno != EINTR)) close_output(attempt, stream);
  return false;
}

void AttemptLoop::drain(Attempt& attempt, OutputStream stream) {
  for (std::size_t i = 0; i < left_in_pipe_max / piece_size && read_output(attempt, stream); ++i) continue;
}

void AttemptLoop::end(LaunchId id, AttemptEnd end) {
  const auto found = attempts_.find(id);
  for (const OutputStream stream : both_streams) close_output(found->second, stream);
  const AttemptKey key = found->second.key;
  const bool is_let_go = found->second.is_let_go;
  launches_.erase(key);
  attempts_.erase(found);
  if (!is_let_go) events_.ended(key, std::move(end));
}

}  // namespace carillon
