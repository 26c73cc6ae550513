#include "base/duration_text.hpp"
#include "base/quoted.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/session.hpp"
#include "cli/settings/running_servers.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <limits>

namespace carillon::cli {

namespace {

constexpr Duration timeout_default = std::chrono::minutes{1};
constexpr std::size_t pid_max = 4'194'304;

/// A process that stays the one it was, whatever numbers are given anew.
class ProcessHandle {
 public:
  explicit ProcessHandle(pid_t pid) : descriptor_{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))} {}
  ProcessHandle(const ProcessHandle&) = delete;
  ProcessHandle& operator=(const ProcessHandle&) = delete;
  ~ProcessHandle() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  [[nodiscard]] bool is_there() const { return descriptor_ >= 0; }

  [[nodiscard]] bool ask_to_end() const {
    return ::syscall(SYS_pidfd_send_signal, descriptor_, SIGTERM, nullptr, 0) == 0;
  }

  /// False when the time was over first.
  [[nodiscard]] bool wait_for_end(Duration timeout) const {
    const auto end = std::chrono::steady_clock::now() + timeout;
    for (;;) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
      pollfd waiting{.fd = descriptor_, .events = POLLIN, .revents = 0};
      const int count = ::poll(&waiting, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 1 << 30)));
      if (count > 0) return true;
      if (count == 0) return false;
      if (errno != EINTR) return false;
    }
  }

 private:
  int descriptor_;
};

bool is_carillon(pid_t pid) {
  std::ifstream stream{fmt::format("/proc/{}/comm", pid)};
  std::string name;
  return std::getline(stream, name) && name.starts_with("carillon");
}

std::unexpected<Error> no_server(std::string message, std::string hint) {
  return std::unexpected(Error{.code = ErrorCode::not_found,
                               .message = std::move(message),
                               .hint = std::move(hint),
                               .rule = "not_found",
                               .position = {},
                               .context = {}});
}

/// The one server that runs on this machine; several have to be told apart.
Result<pid_t> only_server(const Console& console) {
  const auto servers = running_servers(console);
  if (servers.size() == 1) return servers.front().pid;
  if (servers.empty())
    return no_server("no carillon server of yours runs on this machine",
                     "one of another user or another machine: stop it there; --pid N names any process");
  Error error = usage_error(fmt::format("{} servers run on this machine", servers.size()),
                            fmt::format("carillon stop --pid {}", servers.front().pid));
  for (const RunningServer& server : servers)
    error.context.push_back(fmt::format("pid {}  {}  {}", server.pid, server.url, server.data.string()));
  return std::unexpected(std::move(error));
}

Result<pid_t> server_asked(const Arguments& arguments, const Console& console) {
  if (!arguments.value("pid")) return only_server(console);
  return static_cast<pid_t>(TRY(count_value("--pid", *arguments.value("pid"), pid_max)));
}

Result<Duration> stop_timeout_of(const Arguments& arguments) {
  const auto text = arguments.value("timeout");
  if (!text) return timeout_default;
  if (const auto duration = parse_duration(*text)) return *duration;
  return std::unexpected(
      usage_error(fmt::format("--timeout cannot be {}", carillon::quoted(*text)), "how long, for example 30s or 10m"));
}

Result<ExitCode> stop_command(const Arguments& arguments, Session& session) {
  if (!arguments.targets.empty())
    return std::unexpected(
        usage_error(fmt::format("stop is about the server and takes no words, such as {}",
                                carillon::quoted(arguments.targets.front())),
                    "carillon cancel NAME stops the runs of a schedule, carillon pause NAME its starts"));
  const Duration timeout = TRY(stop_timeout_of(arguments));
  const pid_t pid = TRY(server_asked(arguments, session.console));
  const ProcessHandle process{pid};
  if (!process.is_there()) return no_server(fmt::format("there is no process {}", pid), "carillon stop, without --pid");
  // Looked at behind the handle: now the number cannot be given to another program any more.
  if (!is_carillon(pid)) return no_server(fmt::format("process {} is no carillon server", pid), "carillon stop");
  if (!process.ask_to_end())
    return std::unexpected(Error{.code = ErrorCode::invalid_argument,
                                 .message = fmt::format("process {} cannot be stopped: {}", pid, std::strerror(errno)),
                                 .hint = "become the user it runs as",
                                 .rule = "forbidden",
                                 .position = {},
                                 .context = {}});
  session.console.write_error(fmt::format("asked pid {} to stop; it ends when running work has\n", pid));
  if (!process.wait_for_end(timeout)) {
    session.console.write_error(fmt::format("pid {} still runs after {}\n", pid, to_text(timeout)));
    return ExitCode::pending;
  }
  session.print(fmt::format("stopped pid {}\n", pid));
  return ExitCode::ok;
}

}  // namespace

const Verb stop_verb{
    .name = "stop",
    .targets = "",
    .summary = "Stops the server that runs on this machine, and waits until it has ended.",
    .examples = {"carillon stop", "carillon stop --timeout 5m", "carillon stop --pid 12345"},
    .group = VerbGroup::server,
    .flags =
        [] {
          return FlagSpecs{{.names = "--pid", .form = "N", .text = "this process; default: the only server there is"},
                           {.names = "--timeout",
                            .form = "DURATION",
                            .text = "how long to wait for its end; then exit 8; default: 1m"}};
        },
    .perform = stop_command,
};

}  // namespace carillon::cli
