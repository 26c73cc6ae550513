#include "main/provider_access.hpp"

#include "definitions/secret_references.hpp"
#include "executors/pipeline/launched_programs.hpp"
#include "executors/process/launcher.hpp"
#include "executors/process/process_executor.hpp"
#include "executors/secrets/secret_source.hpp"
#include "runtime/system_clock.hpp"

#include <signal.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace carillon {
namespace {

/// Every variable of this process is its user's own. Those of a server are not, so that it has a list of them.
Result<std::string> read_own_secret(const SecretSource& source, std::string_view reference) {
  const auto parsed = parse_reference(reference);
  if (!parsed || parsed->kind != SecretReference::Kind::environment) return source.read(reference);
  const char* value = std::getenv(parsed->name.c_str());
  if (value != nullptr && *value != '\0') return std::string{value};
  Error error = fail(ErrorCode::not_found, "the environment variable {} is not set", parsed->name).error();
  error.hint = "export it before you run the pipeline";
  return std::unexpected(std::move(error));
}

/// While it exists, threads are made that no signal is delivered to: Ctrl-C is for the first one.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

class OwnProviderAccess final : public cli::ProviderAccess {
 public:
  OwnProviderAccess(SecretSource secrets, std::optional<Launcher> launcher)
      : secrets_{std::make_shared<const SecretSource>(std::move(secrets))} {
    if (!launcher) return;
    const SignalsBlocked blocked;
    programs_ = std::make_shared<pipeline::LaunchedPrograms>(clock_);
    commands_ = std::make_unique<ProcessExecutor>(clock_, *programs_, *std::move(launcher));
    programs_->use(*commands_);
  }

  Clock& clock() override { return clock_; }
  pipeline::ProviderSurroundings surroundings() override {
    return {.secrets = [source = secrets_](std::string_view reference) { return read_own_secret(*source, reference); },
            .programs = programs_};
  }

 private:
  SystemClock clock_;
  std::shared_ptr<const SecretSource> secrets_;
  std::shared_ptr<pipeline::LaunchedPrograms> programs_;
  std::unique_ptr<ProcessExecutor> commands_;
};

}  // namespace

Result<std::unique_ptr<cli::ProviderAccess>> open_own_provider_access(const cli::ProviderAccessRequest& request) {
  SecretSource secrets = TRY(SecretSource::open({.directory = request.secret_directory}, {}));
  std::optional<Launcher> launcher;
  if (request.starts_programs) launcher.emplace(TRY(start_launcher()));
  return std::make_unique<OwnProviderAccess>(std::move(secrets), std::move(launcher));
}

}  // namespace carillon
