// Runs the pipelines of a folder inside a program whose "AI" is a function. It starts one of them by hand and prints
// the report; with a second argument it goes on until the program is interrupted.
#include <carillon/carillon.hpp>

#include <csignal>
#include <iostream>
#include <string>

namespace {

/// Where a real program would ask its model. Called for several questions at the same time.
carillon::AiAnswer categorize(const carillon::AiQuestion& question) {
  const bool is_crash = question.prompt.find("crash") != std::string::npos;
  return {.response = is_crash ? R"({"severity": "high", "category": "stability"})"
                               : R"({"severity": "low", "category": "text"})"};
}

/// What ends the program, to be kept from all threads and waited for.
sigset_t interrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

}  // namespace

int main(int argc, char** argv) {
  const bool stays = argc > 2;
  const sigset_t signals = interrupts();
  if (stays) sigprocmask(SIG_BLOCK, &signals, nullptr);  // before there are threads

  carillon::PipelineScheduler scheduler{{
      .pipelines_directory = argc > 1 ? argv[1] : ".vscode/pipelines",
      .ai_invoker = categorize,
  }};
  scheduler.listen({
      .execution_start =
          [](const carillon::ExecutionStart& event) { std::cout << event.pipeline_id << " begins" << std::endl; },
      .execution_complete =
          [](const carillon::ExecutionComplete& event) { std::cout << event.pipeline_id << " is done" << std::endl; },
      .execution_error =
          [](const carillon::ExecutionError& event) {
            std::cerr << event.pipeline_id << ": " << event.error << (event.will_retry ? ", will be retried" : "")
                      << std::endl;
          },
  });
  if (const auto started = scheduler.start(); !started) {
    std::cerr << started.error().message << '\n';
    return 1;
  }
  const auto faults = scheduler.faults().value();
  for (const carillon::PipelineFileFault& fault : faults)
    std::cerr << fault.file << ':' << fault.line << ": " << fault.message << '\n';

  const auto pipelines = scheduler.list().value();
  for (const carillon::PipelineScheduleInfo& pipeline : pipelines)
    std::cout << pipeline.pipeline_id << ": " << pipeline.config.cron << " (" << pipeline.config.timezone << ")\n";
  if (pipelines.empty()) return 1;

  const carillon::PipelineExecutionResult result = scheduler.trigger_now(pipelines.front().schedule_id).value();
  std::cout << (result.success ? result.output.value_or("see " + result.result_file) : result.error) << '\n';
  int received = 0;
  if (stays) sigwait(&signals, &received);
  scheduler.stop();
  return result.success ? 0 : 1;
}
