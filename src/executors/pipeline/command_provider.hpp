#pragma once

#include "base/instant.hpp"
#include "definitions/action.hpp"
#include "definitions/secret_references.hpp"
#include "executors/pipeline/launched_programs.hpp"
#include "executors/pipeline/provider.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace carillon::pipeline {

struct CommandProviderOptions {
  std::vector<std::string> argv;                 // the first is a path, or a name to be found in PATH
  TextMap environment{};                         // may hold references to secrets
  SecretResolver secrets{};                      // for those; from any thread
  std::shared_ptr<LaunchedPrograms> programs{};  // that it is started by; null: no program can be started
  Duration grace = std::chrono::seconds{2};      // between being asked to end and being ended by force
  std::size_t answer_size_max = 4 * 1024 * 1024;
};

/// Asks a program: one process for each question. The prompt is its standard input, and what it writes to standard
/// output is the answer, unchanged but for secrets of its environment. The model is in `CARILLON_MODEL`.
///
/// The program is started and ended as commands of schedules are. An exit code other than zero fails the question; 75
/// (EX_TEMPFAIL) and an end by a signal are transient. A program that cannot be started is hopeless. The end of
/// standard error goes into the message.
class CommandProvider final : public Provider {
 public:
  explicit CommandProvider(CommandProviderOptions options) : options_{std::move(options)} {}

  [[nodiscard]] ProviderResult ask(const Question& question, Duration timeout, const std::stop_token& stop) override;

 private:
  [[nodiscard]] Result<ProgramRequest> request_for(const Question& question, Duration timeout) const;
  [[nodiscard]] ProviderResult result_of(ProgramEnd end, Duration timeout) const;

  const CommandProviderOptions options_;
};

}  // namespace carillon::pipeline
