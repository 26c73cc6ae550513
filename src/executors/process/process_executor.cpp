#include "executors/process/process_executor.hpp"

#include "base/assertion.hpp"
#include "executors/process/attempt_loop.hpp"
#include "executors/process/make_program.hpp"
#include "executors/process/system_calls.hpp"

#include <utility>
#include <variant>

namespace carillon {

ProcessExecutor::ProcessExecutor(Clock& clock, AttemptEvents& events, Launcher launcher, ProcessOptions options,
                                 DetachedWork detached)
    : clock_{clock},
      events_{events},
      options_{std::move(options)},
      launcher_{std::move(launcher)},
      files_{std::move(detached.files)} {
  for (DetachedEnd& end : detached.ends) ends_.emplace(end.kept.key, std::move(end));
  for (EarlierLauncher& earlier : detached.launchers) {
    auto& link = *links_.emplace_back(std::make_unique<Link>(std::move(earlier)));
    for (const RunningDetachedLaunch& launch : link.launcher.launches) link.keys.insert(launch.kept.key);
    link.thread = watched_thread(options_.loops, "commands", [this, &link](const auto& stop, const auto& pulse) {
      AttemptLoop{clock_, events_, link.launcher, link.inbox, link.is_healthy}.run(stop, pulse);
    });
  }
  thread_ = watched_thread(options_.loops, "commands", [this](const auto& stop, const auto& pulse) {
    AttemptLoop{clock_, events_, launcher_.sockets(), inbox_, is_healthy_, options_.on_launcher_lost}.run(stop, pulse);
  });
}

ProcessExecutor::~ProcessExecutor() {
  thread_.request_stop();
  inbox_.wake();
  for (const auto& link : links_) {
    link->thread.request_stop();
    link->inbox.wake();
  }
  thread_.join();
  for (const auto& link : links_) link->thread.join();
}

void ProcessExecutor::launch(Assignment assignment) {
  auto* command = std::get_if<CommandAction>(&assignment.action);
  CARILLON_ASSERT(command != nullptr);
  events_.hide_in(assignment);
  std::optional<DetachTerms> keeping;
  if (command->on_owner_loss == OnOwnerLoss::adopt && options_.may_outlive_server)
    keeping = DetachTerms{.key = assignment.key, .timeout_at = assignment.timeout_at, .grace = assignment.grace};
  inbox_.put(LaunchCommand{.key = assignment.key,
                           .launch_before = assignment.launch_before,
                           .ordered_at = boot_now(),
                           .input = std::move(command->standard_input),
                           .program = make_program(*command, assignment.envelope, assignment.secrets, options_),
                           .keeping = keeping});
}

void ProcessExecutor::put(const AttemptKey& key, ExecutorCommand command) {
  for (const auto& link : links_) {
    if (link->keys.contains(key)) return link->inbox.put(std::move(command));
  }
  inbox_.put(std::move(command));
}

void ProcessExecutor::stop(const AttemptKey& key, Stop how) {
  if (how != Stop::none) put(key, StopCommand{.key = key, .how = how});
}

void ProcessExecutor::extend_until(Duration since_boot) { inbox_.put_lease(since_boot); }

void ProcessExecutor::resume(Assignment assignment) {
  const AttemptKey key = assignment.key;
  events_.hide_in(assignment);
  const std::lock_guard lock{mutex_};
  const auto kept = ends_.find(key);
  if (kept == ends_.end()) return put(key, ResumeCommand{key});
  if (kept->second) inbox_.put(ReportEndCommand{*std::exchange(kept->second, std::nullopt)});
}

void ProcessExecutor::recorded(const AttemptKey& key) {
  const std::lock_guard lock{mutex_};
  if (ends_.erase(key) == 0) return put(key, RecordedCommand{key});
  files_->remove(DetachedFiles::end_name(key));
}

void ProcessExecutor::let_go(const AttemptKey& key) {
  const std::lock_guard lock{mutex_};
  if (ends_.erase(key) == 0) return put(key, ReleaseCommand{key});
  files_->remove(DetachedFiles::end_name(key));
}

}  // namespace carillon
