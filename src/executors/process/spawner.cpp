#include "executors/process/spawner.hpp"

#include "executors/process/system_calls.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

namespace carillon {
namespace {

constexpr const char* too_many_files = "the launcher has too many open files";

LaunchRefused cannot_start(LaunchId id, std::string error) {
  return {.id = id, .why = LaunchRefused::Why::cannot_start, .error = std::move(error)};
}
LaunchRefused out_of_files(LaunchId id) {
  return {.id = id, .why = LaunchRefused::Why::out_of_resources, .error = too_many_files};
}

/// Why an order is not to be carried out any more, if it is so.
std::optional<LaunchRefused> why_over(const LaunchRequest& request) {
  const Duration now = boot_now();
  if (now > request.launch_before)
    return LaunchRefused{.id = request.id, .why = LaunchRefused::Why::too_late, .error = too_late};
  if (now - request.ordered_at > order_age_max)
    return LaunchRefused{.id = request.id, .why = LaunchRefused::Why::stale, .error = stale_order};
  return std::nullopt;
}

/// Whether a launch failed for what this machine lacks, rather than for what it was to start.
bool is_shortage(const SpawnFailure& failure) {
  const bool is_ours = failure.step == SpawnStep::process || failure.step == SpawnStep::files;
  return is_ours &&
         (failure.error == EAGAIN || failure.error == ENOMEM || failure.error == EMFILE || failure.error == ENFILE);
}

}  // namespace

Spawner::Spawner(Places places, const Rules& rules, const ControlGroups& groups, DetachedLaunches& keeper)
    : places_{places},
      file_limit_{rules.file_limit},
      groups_{groups},
      detached_{keeper},
      nothing_{::open("/dev/null", O_RDONLY | O_CLOEXEC)},
      event_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)},
      folder_hiding_{rules.hidden_folder},
      thread_{[this](const std::stop_token& stop) { run(stop); }} {}

std::vector<SpawnReport> Spawner::take_reports() {
  const std::lock_guard lock{mutex_};
  return std::exchange(reports_, {});
}

bool Spawner::stop(LaunchId id, Stop how) {
  const std::lock_guard lock{mutex_};
  if (id < newest_ || (id == newest_ && !current_begun_)) return false;
  Stop& command = stops_[id];
  command = std::max(command, how);
  return true;
}

void Spawner::close() {
  {
    const std::lock_guard lock{mutex_};
    is_closed_ = true;
  }
  ::shutdown(places_.launches, SHUT_RD);
}

std::optional<Duration> Spawner::oldest_unreported() {
  const std::lock_guard lock{mutex_};
  std::optional<Duration> oldest = current_begun_;
  for (const SpawnReport& report : reports_) oldest = std::min(oldest.value_or(report.begun), report.begun);
  return oldest;
}

pid_t Spawner::end_child_on_its_way() {
  // Nobody waits for it before it is reported, and it is forgotten before that: the number is still its own.
  const pid_t child = spawning_.child_on_its_way();
  if (child > 0) ::kill(child, SIGKILL);
  return child;
}

void Spawner::run(const std::stop_token& stop) {
  hiding_promise_.set_value(folder_hiding_.begin());
  while (true) {
    Packet packet;
    const Result<PacketStatus> status = receive_packet(places_.launches, packet, Waiting::until_there);
    if (status && *status == PacketStatus::closed) return stay(stop);
    const Duration begun = boot_now();
    const LaunchId id = launch_id_from(packet.bytes);
    if (id == LaunchId::none) continue;
    std::optional<LaunchRefused> refused = begin(id, begun);
    if (!refused && !status) refused = out_of_files(id);
    if (refused) {
      report({.id = id, .begun = begun, .refused = std::move(refused)});
    } else {
      report(start(std::get<LaunchRequest>(request_from(packet.bytes)), std::move(packet.files), begun));
    }
  }
}

/// The system would end our programs with this thread, without asking them first.
void Spawner::stay(const std::stop_token& stop) {
  std::mutex mutex;
  std::unique_lock lock{mutex};
  std::condition_variable_any{}.wait(lock, stop, [] { return false; });
}

std::optional<LaunchRefused> Spawner::begin(LaunchId id, Duration now) {
  const std::lock_guard lock{mutex_};
  newest_ = id;
  current_begun_ = now;
  if (is_closed_) return cannot_start(id, "the server has ended");
  if (is_full_) return out_of_files(id);
  if (!stops_.contains(id)) return std::nullopt;
  return LaunchRefused{.id = id, .why = LaunchRefused::Why::stopped, .error = stopped_before_launch};
}

Result<> Spawner::prepare_to_keep() {
  // Their folder is the next launcher's to empty.
  if (groups_.is_in_use())
    return fail(ErrorCode::invalid_argument, "onOwnerLoss: adopt cannot be used with control groups");
  return detached_.prepare();
}

SpawnReport Spawner::start(LaunchRequest request, std::vector<FileDescriptor> files, Duration begun) {
  const LaunchId id = request.id;
  SpawnReport report{.id = id, .begun = begun, .tag = launch_tag_of(request.program)};
  is_starting_kept_ = request.keeping.has_value();
  if (request.keeping) {
    if (const Result<> prepared = prepare_to_keep(); !prepared) {
      report.refused = cannot_start(id, prepared.error().message);
      return report;
    }
    report.kept = DetachedLaunch{.keeping = *request.keeping,
                                 .tag = report.tag,
                                 .launched_at = wall_now(),
                                 .output = {std::move(files.at(2)), std::move(files.at(3))}};
    files.erase(files.begin() + 2, files.begin() + 4);
  }
  const Result<Place> place = place_for(request);
  if (!place) {
    report.refused = cannot_start(id, place.error().message);
    return report;
  }
  // As late as can be: all that may take time has been done.
  if (report.refused = why_over(request); report.refused) return report;
  const StandardFiles standard{
      .input = (files.size() > 2 ? files[2] : nothing_).get(), .output = files.at(0).get(), .error = files.at(1).get()};
  SpawnOutcome outcome = spawning_.start(request.program, standard, file_limit_,
                                         {.control_group = place->group.get(), .ruleset = place->ruleset});
  report.pid = outcome.pid;
  report.process = std::move(outcome.process);
  if (outcome.failure) {
    report.refused = cannot_start(id, to_text(*outcome.failure, request.program));
    if (is_shortage(*outcome.failure)) report.refused->why = LaunchRefused::Why::out_of_resources;
  }
  return report;
}

Result<Spawner::Place> Spawner::place_for(const LaunchRequest& request) {
  const auto& identity = request.program.identity;
  const int ruleset = TRY(folder_hiding_.ruleset_for(identity ? identity->user : ::geteuid()));
  return Place{.group = TRY(groups_.make(request.id)), .ruleset = ruleset};
}

void Spawner::report(SpawnReport report) {
  // A server hears of the beginning from here, and of the end from the guard, who knows of it only after this.
  if (!report.refused) {
    const Result<PacketStatus> told = send_packet(places_.replies, to_bytes(LauncherReply{LaunchBegan{report.id}}));
    report.is_announced = told && *told != PacketStatus::not_now;
  }
  const std::lock_guard lock{mutex_};
  spawning_.forget_child();
  current_begun_.reset();
  if (const auto command = stops_.find(report.id); command != stops_.end()) report.stop = command->second;
  stops_.erase(stops_.begin(), stops_.upper_bound(report.id));
  if (!report.refused) {
    epoll_event event{.events = EPOLLIN, .data = {.u64 = static_cast<std::uint64_t>(report.id)}};
    report.is_watched = ::epoll_ctl(places_.poll, EPOLL_CTL_ADD, report.process.get(), &event) == 0;
  }
  const bool can_wait = report.is_announced && report.is_watched && report.stop == Stop::none && !is_closed_;
  reports_.push_back(std::move(report));
  if (!can_wait) ::eventfd_write(event_.get(), 1);
}

}  // namespace carillon
