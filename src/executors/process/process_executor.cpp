#include "executors/process/process_executor.hpp"

#include "base/assertion.hpp"
#include "executors/process/attempt_loop.hpp"
#include "executors/process/make_program.hpp"

#include <utility>
#include <variant>

namespace carillon {

ProcessExecutor::ProcessExecutor(Clock& clock, AttemptEvents& events, Launcher launcher, ProcessOptions options)
    : clock_{clock}, events_{events}, options_{std::move(options)}, launcher_{std::move(launcher)} {
  thread_ = std::jthread{[this](const std::stop_token& stop) {
    AttemptLoop{clock_, events_, launcher_.sockets(), inbox_, is_healthy_, options_.on_launcher_lost}.run(stop);
  }};
}

ProcessExecutor::~ProcessExecutor() {
  thread_.request_stop();
  inbox_.wake();
  thread_.join();
}

void ProcessExecutor::launch(Assignment assignment) {
  auto* command = std::get_if<CommandAction>(&assignment.action);
  CARILLON_ASSERT(command != nullptr);
  inbox_.put(LaunchWish{.key = assignment.key,
                        .launch_before = assignment.launch_before,
                        .input = std::move(command->standard_input),
                        .program = make_program(*command, assignment.envelope, options_)});
}

void ProcessExecutor::stop(const AttemptKey& key, Stop how) {
  if (how != Stop::none) inbox_.put(StopWish{.key = key, .how = how});
}

void ProcessExecutor::extend_until(Duration since_boot) { inbox_.put_lease(since_boot); }

}  // namespace carillon
