#include "executors/secrets/secret_source.hpp"

#include "base/quoted.hpp"
#include "definitions/secret_references.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace carillon {
namespace {

Error named(std::string_view reference, Error error) {
  error.message = fmt::format("{} cannot be read: {}", reference, error.message);
  return error;
}

Error refused(std::string_view reference, std::string message, std::string hint) {
  return named(reference, {.code = ErrorCode::invalid_argument,
                           .message = std::move(message),
                           .hint = std::move(hint),
                           .rule = {},
                           .position = {},
                           .context = {}});
}

}  // namespace

Result<SecretSource> SecretSource::open(const SecretOptions& options, const std::filesystem::path& data) {
  for (const std::string& name : options.variables) {
    if (parse_reference("${env:" + name + "}")) continue;
    Error error =
        fail(ErrorCode::invalid_argument, "--secret-env: {} is not a variable name", carillon::quoted(name)).error();
    error.hint = "--secret-env DB_PASSWORD";
    return std::unexpected(std::move(error));
  }
  SecretSource source{options.variables};
  if (!options.directory.empty()) source.directory_.emplace(TRY(SecretDirectory::open(options.directory, data)));
  return source;
}

std::optional<Error> SecretSource::refusal(std::string_view reference) const {
  const auto parsed = parse_reference(reference);
  if (!parsed) return named(reference, parsed.error());
  if (parsed->kind == SecretReference::Kind::environment) {
    if (std::ranges::find(variables_, parsed->name) != variables_.end()) return std::nullopt;
    return refused(reference, "this server does not allow that variable",
                   fmt::format("start it with --secret-env {}", parsed->name));
  }
  if (!directory_) return refused(reference, "this server has no secret directory", "start it with --secret-dir DIR");
  if (const auto below = directory_->relative(parsed->name); !below) return named(reference, below.error());
  return std::nullopt;
}

Result<std::string> SecretSource::read(std::string_view reference) const {
  if (auto error = refusal(reference)) return std::unexpected(*std::move(error));
  const SecretReference parsed = TRY(parse_reference(reference));
  if (parsed.kind != SecretReference::Kind::environment) {
    auto secret = directory_->read(parsed.name);
    if (!secret) return std::unexpected(named(reference, std::move(secret).error()));
    return secret;
  }
  // Nobody changes the environment once there are threads.
  const char* value = std::getenv(parsed.name.c_str());
  if (value == nullptr)
    return std::unexpected(refused(reference, "the server has no such variable", "set it where the server is started"));
  return std::string{value};
}

}  // namespace carillon
