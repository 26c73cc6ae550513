#include "base/duration_text.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/session.hpp"
#include "cli/connection/token_source.hpp"
#include "cli/display/run_display.hpp"
#include "cli/settings/running_servers.hpp"
#include "cli/settings/stop_request.hpp"
#include "cli/terminal/printable.hpp"
#include "client/client.hpp"

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
constexpr std::size_t shown_run_count_max = 10;

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

  [[nodiscard]] bool ask_to_end(StopRequest request) const {
    siginfo_t info{};
    info.si_signo = SIGTERM;
    info.si_code = SI_QUEUE;
    info.si_pid = ::getpid();
    info.si_uid = ::getuid();
    info.si_value.sival_int = static_cast<int>(request);
    return ::syscall(SYS_pidfd_send_signal, descriptor_, SIGTERM, &info, 0) == 0;
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
    return no_server("you have no carillon server running on this machine",
                     "stop another user's or machine's server there; --pid N stops any server process");
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

/// A client for the server itself, whichever the settings name; none if it wrote no record or its token is not ours.
std::optional<Client> client_of(pid_t pid, Session& session) {
  const auto servers = running_servers(session.console);
  const auto server = std::ranges::find(servers, pid, &RunningServer::pid);
  if (server == servers.end()) return std::nullopt;
  auto token = find_token({}, &*server, session);
  if (!token) return std::nullopt;
  return Client{session.transport, {.url = server->url, .token = *std::move(token)}};
}

/// Whether it is the server with this process that performs the run: its worker is named HOST-PID.
bool is_run_of(pid_t pid, const client::Run& run) {
  return run.attempts.empty() || (run.attempts.back().worker + "-").contains(fmt::format("-{}-", pid));
}

/// The runs that a stop waits for, a line each. Nothing if the server does not tell them any more.
std::string runs_waited_for(pid_t pid, Client& client, Session& session) {
  const Paint paint = Paint::of(session.console, Stream::error, ColourChoice::automatic);
  const auto runs = client.list_runs({{"state", "running"}}, shown_run_count_max + 1);
  const auto zone = session.zones.zone("UTC");
  if (!runs || !zone) return {};
  std::string text;
  std::size_t count = 0;
  for (const client::Run& run : runs->items) {
    if (is_run_of(pid, run) && ++count <= shown_run_count_max)
      text += fmt::format("  {}\n", run_line(run, **zone, paint, session.now));
  }
  if (count > shown_run_count_max) text += "  … and more\n";
  return paint.signs(text);
}

void tell_request(pid_t pid, StopRequest request, bool was_stopping, std::string_view runs, Console& console) {
  std::string text =
      was_stopping ? fmt::format("pid {} is already stopping", pid) : fmt::format("asked pid {} to stop", pid);
  if (request == StopRequest::cancel_runs)
    text += "; running work is cancelled";
  else
    text += runs.empty() ? "; it ends when running work has ended" : "; it waits for:";
  console.write_error(fmt::format("{}\n{}", text, runs));
  if (request == StopRequest::wait_for_runs && !runs.empty())
    console.write_error("  to cancel them: carillon stop --now\n");
}

Result<Duration> stop_timeout_of(const Arguments& arguments) {
  return TRY(timeout_value(arguments.value("timeout"))).value_or(timeout_default);
}

Result<ExitCode> stop_command(const Arguments& arguments, Session& session) {
  const Duration timeout = TRY(stop_timeout_of(arguments));
  const pid_t pid = TRY(server_asked(arguments, session.console));
  const ProcessHandle process{pid};
  if (!process.is_there()) return no_server(fmt::format("process {} not found", pid), "carillon stop, without --pid");
  // Looked at behind the handle: now the number cannot be given to another program any more.
  if (!is_carillon(pid)) return no_server(fmt::format("process {} is not a carillon server", pid), "carillon stop");
  const StopRequest request = arguments.has("now") ? StopRequest::cancel_runs : StopRequest::wait_for_runs;
  auto client = client_of(pid, session);
  const auto before = client ? client->system() : fail(ErrorCode::unavailable, "");
  if (!process.ask_to_end(request))
    return std::unexpected(Error{.code = ErrorCode::invalid_argument,
                                 .message = fmt::format("cannot stop process {}: {}", pid, std::strerror(errno)),
                                 .hint = "run this as the user the server runs as",
                                 .rule = "forbidden",
                                 .position = {},
                                 .context = {}});
  tell_request(pid, request, before && before->value.stopping, client ? runs_waited_for(pid, *client, session) : "",
               session.console);
  if (!process.wait_for_end(timeout)) {
    session.console.write_error(fmt::format("pid {} is still running after {}\n", pid, to_text(timeout)));
    return ExitCode::pending;
  }
  session.print(fmt::format("stopped pid {}\n", pid));
  return ExitCode::ok;
}

}  // namespace

const Verb stop_verb{
    .name = "stop",
    .targets = "",
    .summary = "Stops the server on this machine after running work has ended, and waits for it.",
    .examples = {"carillon stop", "carillon stop --timeout 5m", "carillon stop --now"},
    .group = VerbGroup::server,
    .flags =
        [] {
          return FlagSpecs{
              {.names = "--pid", .form = "N", .text = "stop this process; default: the only server running"},
              {.names = "--now", .form = {}, .text = "cancel running work instead of waiting for it"},
              {.names = "--timeout", .form = "DURATION", .text = "how long to wait, then exit with 8; default: 1m"}};
        },
    .perform = stop_command,
    .stray_hint = "to stop a schedule's runs: carillon cancel NAME; to stop new starts: carillon pause NAME",
};

}  // namespace carillon::cli
