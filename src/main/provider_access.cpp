#include "main/provider_access.hpp"

#include "definitions/secret_references.hpp"
#include "executors/secrets/secret_source.hpp"
#include "runtime/system_clock.hpp"

#include <cstdlib>
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

class OwnProviderAccess final : public cli::ProviderAccess {
 public:
  explicit OwnProviderAccess(SecretSource secrets)
      : secrets_{std::make_shared<const SecretSource>(std::move(secrets))} {}

  Clock& clock() override { return clock_; }
  pipeline::ProviderSurroundings surroundings() override {
    return {.secrets = [source = secrets_](std::string_view reference) { return read_own_secret(*source, reference); }};
  }

 private:
  SystemClock clock_;
  std::shared_ptr<const SecretSource> secrets_;
};

}  // namespace

Result<std::unique_ptr<cli::ProviderAccess>> open_own_provider_access(const cli::ProviderAccessRequest& request) {
  return std::make_unique<OwnProviderAccess>(TRY(SecretSource::open({.directory = request.secret_directory}, {})));
}

}  // namespace carillon
