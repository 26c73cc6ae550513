#pragma once

#include "base/error.hpp"
#include "definitions/secret_references.hpp"
#include "document/reader.hpp"
#include "executors/pipeline/command_provider.hpp"
#include "executors/pipeline/http_provider.hpp"
#include "executors/pipeline/providers.hpp"
#include "ports/clock.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace carillon::pipeline {

/// A provider that echoes, or answers from a table in a file.
struct MockProviderSettings {
  std::optional<std::string> answers{};  // a file, relative to the configuration; none: it echoes
  friend bool operator==(const MockProviderSettings&, const MockProviderSettings&) = default;
};
struct HttpProviderSettings {
  std::string url;
  std::string key;
  HttpQuestionTerms terms;
};
struct CommandProviderSettings {
  std::vector<std::string> argv;
  TextMap environment;
};

/// One provider as it is configured.
struct ProviderSettings {
  ProviderTerms terms;
  std::variant<HttpProviderSettings, CommandProviderSettings, MockProviderSettings> how;
};

/// The block `providers:` with its default.
struct ProvidersSettings {
  std::optional<std::string> default_provider;
  std::map<std::string, ProviderSettings, std::less<>> providers;
};

/// Reads a document `{default, providers}`. All faults at once; unknown keys are faults. A key must be a reference and
/// never the key itself.
[[nodiscard]] Checked<ProvidersSettings> read_providers(const boost::json::value& document);

/// What providers need beside their settings.
struct ProviderSurroundings {
  SecretResolver secrets{};
  AddressRule address_refusal{};
  std::shared_ptr<LaunchedPrograms> programs{};  // that start commands; null: they cannot be asked
  std::filesystem::path folder{};                // of the configuration
};

/// Makes the providers. An error if a file of mock answers cannot be read.
[[nodiscard]] Result<Providers> make_providers(const ProvidersSettings& settings, const ProviderSurroundings& around,
                                               Clock& clock);

/// Reads a configuration file and makes its providers. The error names file, line and column of the first fault.
[[nodiscard]] Result<Providers> load_providers(const std::filesystem::path& file, ProviderSurroundings around,
                                               Clock& clock);

/// A provider that answers from a table of mock answers in a file; for `--mock FILE`.
[[nodiscard]] Result<std::unique_ptr<Provider>> load_mock_provider(const std::filesystem::path& file);

}  // namespace carillon::pipeline
