#include "executors/process/launcher.hpp"

#include "base/assertion.hpp"
#include "base/quoted.hpp"
#include "executors/process/channel.hpp"
#include "executors/process/control_groups.hpp"
#include "executors/process/launch_supervisor.hpp"
#include "executors/process/launcher_lock.hpp"
#include "executors/process/messages.hpp"
#include "executors/process/proc_files.hpp"
#include "executors/process/system_calls.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <functional>
#include <string>
#include <utility>
#include <variant>

namespace carillon {
namespace {

constexpr int control_number = STDERR_FILENO + 1;
constexpr int launches_number = control_number + 1;

// Beyond the grace it takes a launcher no longer than this to end, unless the system cannot end a process.
constexpr Duration ending_time_max = std::chrono::seconds{10};

void reset_signals() {
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &standard, nullptr);
  // A file that would become larger than it may (ulimit -f) is a write that fails. Commands get the default back.
  ::signal(SIGXFSZ, SIG_IGN);
  // The end of its server is what a launcher goes by, not a key pressed in the terminal they share.
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
}

/// Keeps nothing of the server open but the sockets, whatever the server had as its first files.
Launcher::Sockets keep_only(const Launcher::Sockets& sockets) {
  const int control = ::fcntl(sockets.control.get(), F_DUPFD_CLOEXEC, launches_number + 1);
  const int launches = ::fcntl(sockets.launches.get(), F_DUPFD_CLOEXEC, launches_number + 1);
  ::dup3(control, control_number, O_CLOEXEC);
  ::dup3(launches, launches_number, O_CLOEXEC);
  ::closefrom(launches_number + 1);
  const int nothing = ::open("/dev/null", O_RDWR);
  for (int standard = STDIN_FILENO; standard <= STDERR_FILENO; ++standard) ::dup2(nothing, standard);
  if (nothing > STDERR_FILENO) ::close(nothing);
  return {.control = FileDescriptor{control_number}, .launches = FileDescriptor{launches_number}};
}

/// Its own limit is as high as it can be; commands get the one that was there.
rlimit raise_file_limit() {
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit raised{before.rlim_max, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &raised);
  return before;
}

Result<> settle_in() {
  ::prctl(PR_SET_NAME, "carillon-launch", 0, 0, 0);
  // Environments pass through here, secrets in them: no core dump, and no look from commands of the same user.
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  ::setsid();
  if (::chdir("/") != 0) return std::unexpected(system_error("cannot enter /"));
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
    return std::unexpected(system_error("the launcher cannot become the parent of orphans"));
  if (!children_of_thread(::getpid(), ::getpid())) {
    return fail(ErrorCode::unavailable,
                "the launcher needs /proc with the children of a process (CONFIG_PROC_CHILDREN)");
  }
  return {};
}

Result<ControlGroups> open_control_groups(const LauncherOptions& options) {
  if (options.control_group.empty()) return ControlGroups{};
  // Named after the lock, if there is one: who has it may end what an earlier launcher could not.
  const std::string name = options.lock_file.empty()
                               ? fmt::format("carillon-{}", ::getpid())
                               : fmt::format("carillon-{:016x}", std::hash<std::string>{}(options.lock_file.native()));
  return ControlGroups::open(options.control_group, name);
}

Result<> work(const Launcher::Sockets& sockets, const LauncherOptions& options) {
  TRY(settle_in());
  FileDescriptor lock = options.lock_file.empty() ? FileDescriptor{} : TRY(lock_launcher_file(options.lock_file));
  const ControlGroups groups = TRY(open_control_groups(options));
  const rlimit file_limit = raise_file_limit();
  LaunchSupervisor guard{sockets,
                         groups,
                         {.file_limit = file_limit,
                          .grace = options.grace,
                          .kept_folder = options.kept_folder,
                          .hidden_folder = options.hidden_folder},
                         std::move(lock)};
  const Hiding& hiding = guard.hiding();
  TRY(send_packet(sockets.control.get(),
                  to_bytes(LauncherReply{LauncherReady{.hiding = hiding.how, .why_not = hiding.why_not}})));
  guard.run();
  return {};
}

[[noreturn]] void live_as_launcher(Launcher::Sockets inherited, const LauncherOptions& options) {
  reset_signals();
  const Launcher::Sockets sockets = keep_only(inherited);
  // They have been closed already, by number.
  static_cast<void>(inherited.control.release());
  static_cast<void>(inherited.launches.release());
  const Result<> done = work(sockets, options);
  if (done) ::_exit(0);
  const LauncherReply why = LauncherReady{.code = done.error().code, .error = done.error().message, .why_not = {}};
  ::_exit(send_packet(sockets.control.get(), to_bytes(why)) ? 1 : 2);
}

Result<Hiding> await_ready(int socket) {
  pollfd answer{.fd = socket, .events = POLLIN, .revents = 0};
  while (::poll(&answer, 1, -1) < 0 && errno == EINTR) continue;
  Packet packet;
  const PacketStatus status = TRY(receive_packet(socket, packet));
  if (status != PacketStatus::done) return fail(ErrorCode::unavailable, "the launcher ended at once");
  const LauncherReady ready = std::get<LauncherReady>(reply_from(packet.bytes));
  if (!ready.error.empty()) return fail(ready.code, "{}", ready.error);
  return Hiding{.how = ready.hiding, .why_not = ready.why_not};
}

}  // namespace

Launcher::Launcher(Sockets sockets, pid_t pid, Duration grace)
    : sockets_{std::move(sockets)}, process_{open_process(pid)}, pid_{pid}, grace_{grace} {}

Launcher::~Launcher() {
  if (!process_.is_open()) return;
  sockets_ = {};
  const auto time_max = std::chrono::ceil<std::chrono::milliseconds>(grace_ + ending_time_max);
  pollfd end{.fd = process_.get(), .events = POLLIN, .revents = 0};
  ::poll(&end, 1, static_cast<int>(time_max.count()));
  ::waitpid(pid_, nullptr, WNOHANG);
}

Result<Launcher> start_launcher(const LauncherOptions& options) {
  LauncherOptions absolute = options;
  if (!options.lock_file.empty()) absolute.lock_file = std::filesystem::absolute(options.lock_file);
  if (!options.hidden_folder.empty()) absolute.hidden_folder = std::filesystem::absolute(options.hidden_folder);
  if (!options.kept_folder.empty()) absolute.kept_folder = std::filesystem::absolute(options.kept_folder);
  auto [own_control, its_control] = TRY(make_channel());
  auto [own_launches, its_launches] = TRY(make_channel());
  const pid_t pid = ::fork();
  if (pid < 0) return std::unexpected(system_error("cannot start the launcher"));
  if (pid == 0) live_as_launcher({.control = std::move(its_control), .launches = std::move(its_launches)}, absolute);
  its_control.reset();
  its_launches.reset();
  Launcher launcher{{.control = std::move(own_control), .launches = std::move(own_launches)}, pid, options.grace};
  launcher.hiding_ = TRY(await_ready(launcher.sockets().control.get()));
  return launcher;
}

}  // namespace carillon
