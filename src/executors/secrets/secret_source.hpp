#pragma once

#include "base/error.hpp"
#include "executors/secrets/secret_directory.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carillon {

/// What may be read as a secret. Nothing else is.
struct SecretOptions {
  std::filesystem::path directory{};     // for `${secret:name}` and `${file:path}`; empty: none
  std::vector<std::string> variables{};  // for `${env:NAME}`
};

/// Reads the secrets that references stand for. May be used from several threads.
class SecretSource {
 public:
  /// The data folder is never a secret directory.
  [[nodiscard]] static Result<SecretSource> open(const SecretOptions& options, const std::filesystem::path& data);

  /// The secret of a reference, braces included. May block for as long as a file system does. Errors name the reference
  /// and what to do, and never show a secret.
  [[nodiscard]] Result<std::string> read(std::string_view reference) const;

  /// Why this server will never resolve a reference as it was started; none if it may. Does not look at files.
  [[nodiscard]] std::optional<Error> refusal(std::string_view reference) const;

 private:
  explicit SecretSource(std::vector<std::string> variables) : variables_{std::move(variables)} {}

  std::optional<SecretDirectory> directory_;
  std::vector<std::string> variables_;
};

}  // namespace carillon
