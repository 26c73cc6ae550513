#include "main/worker_process.hpp"

#include "base/duration_text.hpp"
#include "client/curl_transport.hpp"
#include "data_folder/data_directory.hpp"
#include "executors/process/handler_commands.hpp"
#include "executors/process/launcher.hpp"
#include "executors/process/launcher_lock.hpp"
#include "executors/process/process_executor.hpp"
#include "logging/stream_log.hpp"
#include "main/service_manager.hpp"
#include "main/signals.hpp"
#include "runtime/system_clock.hpp"
#include "worker/job_calls.hpp"
#include "worker/job_worker.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

namespace carillon {
namespace {

constexpr Duration own_launcher_patience = std::chrono::seconds{30};

std::string own_worker_name() {
  std::array<char, 65> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  return fmt::format("{}-{}", host.data(), ::getpid());
}

WorkerIntroduction introduction_of(const cli::WorkRequest& request) {
  return {.name = own_worker_name(),
          .queues = request.queues,
          .types = request.types,
          .tags = request.tags,
          .lease = request.lease};
}

JobCommandFinder finder_of(const cli::WorkRequest& request) {
  return [&request](const RemoteJob& job) { return command_for(request.handlers, job.type, job.envelope); };
}

/// A worker whose server does not answer yet waits for it; one that the server refuses cannot become right.
Result<> start_when_reached(JobWorker& worker, const Signals& signals, Log& log) {
  for (bool is_told = false;; is_told = true) {
    auto started = worker.start();
    if (started || started.error().rule != "unreachable") return started;
    if (!is_told) log.warn("the server cannot be reached; trying again", {{"error", started.error().message}});
    // Two pauses of half a second: a signal's wait has no longer ones.
    for (int i = 0; i < 2; ++i)
      if (signals.wait(std::chrono::milliseconds{500}).ends_process()) return started;
  }
}

}  // namespace

Result<cli::ExitCode> work_for_server(const cli::WorkRequest& request, cli::Console& console) {
  ::umask(S_IRWXG | S_IRWXO);
  const Signals signals;
  SystemClock clock;
  StreamLog log{clock, STDERR_FILENO,
                request.log_form == cli::ServeRequest::LogForm::json ? StreamLog::Form::json : StreamLog::Form::text};
  ServiceManager manager{log};
  const DataDirectory directory = TRY(DataDirectory::take(request.data));
  TRY(wait_until_gone(directory.launcher_lock(), own_launcher_patience));
  // Before there are threads. Commands of an earlier worker of this folder are gone now.
  Launcher launcher = TRY(start_launcher({.lock_file = directory.launcher_lock()}));
  CurlTransport claim_transport;
  CurlTransport report_transport;
  JobCalls claims{claim_transport, request.endpoint};
  JobCalls reports{report_transport, request.endpoint};
  JobWorker worker{
      clock,
      log,
      claims,
      reports,
      {.introduction = introduction_of(request), .capacity = request.capacity, .command_for = finder_of(request)}};
  ProcessOptions process;
  process.on_launcher_lost = [&log] {
    log.error("launcher has ended: no more commands can be started");
    ::kill(::getpid(), SIGTERM);
  };
  ProcessExecutor commands{clock, worker, std::move(launcher), std::move(process)};
  worker.use(commands);
  TRY(start_when_reached(worker, signals, log));
  console.write(fmt::format("carillon worker (pid {}) takes jobs of {} from {}\n  types: {}\n", ::getpid(),
                            fmt::join(request.queues, ", "), request.endpoint.url, fmt::join(request.types, ", ")));
  manager.tell_ready(fmt::format("Takes jobs from {}", request.endpoint.url));
  while (!signals.wait().ends_process()) {
  }
  manager.tell_stopping("Stops: claims nothing, waiting for running jobs");
  log.info("stopping: no new jobs, waiting for running ones; Ctrl-C again ends them",
           {{"running", worker.running_count()}});
  std::atomic<bool> is_stopped = false;
  const std::jthread impatience{[&] {
    while (!is_stopped)
      if (signals.wait(std::chrono::milliseconds{50}).ends_process()) worker.hurry();
  }};
  worker.stop(request.stop_timeout);
  is_stopped = true;
  log.info("worker stopped");
  return cli::ExitCode::ok;
}

}  // namespace carillon
