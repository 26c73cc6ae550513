#pragma once

#include "base/instant.hpp"
#include "definitions/action.hpp"
#include "definitions/secret_references.hpp"
#include "executors/pipeline/provider.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace carillon::pipeline {

struct CommandProviderOptions {
  std::vector<std::string> argv;  // the first is a path, or a name to be found in PATH
  TextMap environment{};          // may hold references to secrets
  SecretResolver secrets{};       // for those; from any thread
  std::string folder{"/"};
  Duration grace = std::chrono::seconds{2};  // between being asked to end and being ended by force
  std::size_t answer_size_max = 4 * 1024 * 1024;
};

/// Asks a program: one process for each question. The prompt is its standard input, and what it writes to standard
/// output is the answer, unchanged. The model is in `CARILLON_MODEL`.
///
/// The program gets a few variables of this process and its own, files 0 to 2, default signals, and a session of its
/// own, which is ended as a whole: after its answer, at the time-out, and when a stop is requested. An exit code other
/// than zero fails the question; 75 (EX_TEMPFAIL) and an end by a signal are transient. A program that cannot be
/// started is hopeless. The end of standard error goes into the message.
class CommandProvider final : public Provider {
 public:
  explicit CommandProvider(CommandProviderOptions options) : options_{std::move(options)} {}

  [[nodiscard]] ProviderResult ask(const Question& question, Duration timeout, const std::stop_token& stop) override;

 private:
  const CommandProviderOptions options_;
};

}  // namespace carillon::pipeline
