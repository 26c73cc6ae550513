#include "executors/pipeline/command_provider.hpp"

#include "base/duration_text.hpp"
#include "base/secret_mask.hpp"
#include "executors/pipeline/broken_pipe.hpp"
#include "executors/pipeline/child_process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

namespace carillon::pipeline {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::size_t error_text_size_max = 1'000;
/// What a program may see of this process's own environment.
constexpr std::array<const char*, 10> provider_variables{"PATH", "HOME",   "USER", "LOGNAME",  "SHELL",
                                                         "LANG", "LC_ALL", "TZ",   "LC_CTYPE", "TMPDIR"};

struct ProgramSetup {
  ChildProcess::Program program;
  std::vector<std::string> secrets;
};

Result<ProgramSetup> setup_of(const CommandProviderOptions& options, const Question& question) {
  TextMap variables;
  for (const char* name : provider_variables) {
    if (const char* value = std::getenv(name)) variables.emplace(name, value);
  }
  ProgramSetup setup{.program = {.argv = options.argv, .environment = {}, .folder = options.folder}, .secrets = {}};
  for (const auto& [name, value] : options.environment) {
    ResolvedText resolved = TRY(resolve_references(value, options.secrets));
    variables.insert_or_assign(name, std::move(resolved.text));
    std::ranges::move(resolved.secrets, std::back_inserter(setup.secrets));
  }
  variables.insert_or_assign("CARILLON_MODEL", question.model);
  for (const auto& [name, value] : variables) setup.program.environment.push_back(name + "=" + value);
  return setup;
}

/// A conversation with one program: prompt in, answer out, until it ends or has to.
class Dialogue {
 public:
  Dialogue(ChildProcess& child, std::string_view prompt, const CommandProviderOptions& options, Duration timeout)
      : child_{child}, unsent_{prompt}, options_{options}, deadline_{Steady::now() + timeout} {}

  void run(const std::stop_token& stop) {
    const FileDescriptor wake{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    const std::stop_callback callback{stop, [&] { (void)!::eventfd_write(wake.get(), 1); }};
    bool has_ended = false;
    while (!has_ended || child_.output.is_open()) {
      if (!is_ending_ && stop.stop_requested()) end(is_cancelled);
      if (!is_ending_ && Steady::now() >= deadline_) end(is_late);
      if (is_ending_ && Steady::now() >= deadline_) return;
      has_ended = step(wake.get(), has_ended);
      // What it left behind may hold its output open.
      if (has_ended && is_ending_) return;
    }
  }

  bool is_cancelled = false;
  bool is_late = false;
  bool is_too_large = false;
  std::string answer;
  std::string error;  // the end of it

 private:
  /// Asks the program to end and gives it a little time.
  void end(bool& why) {
    why = is_ending_ = true;
    deadline_ = Steady::now() + options_.grace;
    child_.signal(SIGTERM);
  }

  [[nodiscard]] bool step(int wake, bool has_ended) {
    // A negative number is skipped.
    std::array<pollfd, 5> files{pollfd{child_.output.get(), POLLIN, 0}, pollfd{child_.error.get(), POLLIN, 0},
                                pollfd{child_.input.get(), POLLOUT, 0},
                                pollfd{has_ended ? -1 : child_.process.get(), POLLIN, 0},
                                pollfd{is_ending_ ? -1 : wake, POLLIN, 0}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Steady::now()).count();
    ::poll(files.data(), files.size(), static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000)));
    if (files[2].revents != 0) send();
    if (files[0].revents != 0) receive_answer();
    if (files[1].revents != 0) receive_error();
    return has_ended || files[3].revents != 0;
  }

  void send() {
    const ssize_t count = ::write(child_.input.get(), unsent_.data(), unsent_.size());
    if (count > 0) unsent_.remove_prefix(static_cast<std::size_t>(count));
    // A program that does not read all of it has its reasons.
    if (unsent_.empty() || (count < 0 && errno != EAGAIN && errno != EINTR)) child_.input.reset();
  }

  void receive_answer() {
    if (!receive(child_.output, answer) || answer.size() <= options_.answer_size_max || is_ending_) return;
    end(is_too_large);
    child_.output.reset();
  }

  void receive_error() {
    receive(child_.error, error);
    if (error.size() > 2 * error_text_size_max) error.erase(0, error.size() - error_text_size_max);
  }

  /// False if there is nothing to come.
  bool receive(FileDescriptor& file, std::string& bytes) {
    std::array<char, 16 * 1024> buffer;
    const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
    if (count > 0) bytes.append(buffer.data(), static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) file.reset();
    return file.is_open();
  }

  ChildProcess& child_;
  std::string_view unsent_;
  const CommandProviderOptions& options_;
  Steady::time_point deadline_;
  bool is_ending_ = false;
};

std::string with_error_text(std::string message, std::string_view error) {
  while (!error.empty() && (error.back() == '\n' || error.back() == '\r')) error.remove_suffix(1);
  if (!error.empty())
    message += fmt::format(": {}", error.substr(error.size() - std::min(error.size(), error_text_size_max)));
  return message;
}

ProviderResult outcome_of(Dialogue& dialogue, int status, Duration timeout, const CommandProviderOptions& options) {
  const auto failed = [](FailureClass kind, std::string message) -> ProviderResult {
    return std::unexpected(ProviderFailure{.kind = kind, .message = std::move(message)});
  };
  if (dialogue.is_cancelled) return std::unexpected(ProviderFailure{.message = "cancelled", .is_cancelled = true});
  if (dialogue.is_late)
    return std::unexpected(
        ProviderFailure{.message = fmt::format("no answer within {}", carillon::to_text(timeout)), .is_timeout = true});
  if (dialogue.is_too_large)
    return failed(FailureClass::answer, fmt::format("the answer has more than {} bytes", options.answer_size_max));
  if (WIFSIGNALED(status))
    return failed(FailureClass::transient,
                  with_error_text(fmt::format("the program was ended by signal {}", WTERMSIG(status)), dialogue.error));
  if (const int code = WEXITSTATUS(status); code != 0)
    return failed(code == EX_TEMPFAIL ? FailureClass::transient : FailureClass::permanent,
                  with_error_text(fmt::format("the program ended with exit code {}", code), dialogue.error));
  return ProviderAnswer{.text = std::move(dialogue.answer)};
}

}  // namespace

ProviderResult CommandProvider::ask(const Question& question, Duration timeout, const std::stop_token& stop) {
  const auto hopeless = [](std::string message) -> ProviderResult {
    return std::unexpected(ProviderFailure{.kind = FailureClass::hopeless, .message = std::move(message)});
  };
  const auto setup = setup_of(options_, question);
  if (!setup) return hopeless(setup.error().message);
  const BrokenPipeBlocked blocked;
  auto child = ChildProcess::start(setup->program);
  if (!child) return hopeless(child.error().message);
  Dialogue dialogue{*child, question.prompt, options_, timeout};
  dialogue.run(stop);
  ProviderResult result = outcome_of(dialogue, child->wait(), timeout, options_);
  const SecretMask mask{setup->secrets};
  std::string& text = result ? result->text : result.error().message;
  text = mask.whole(text);
  return result;
}

}  // namespace carillon::pipeline
