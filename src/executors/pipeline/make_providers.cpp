#include "document/document.hpp"
#include "executors/pipeline/echo_provider.hpp"
#include "executors/pipeline/mock_provider.hpp"
#include "executors/pipeline/provider_document.hpp"
#include "files/private_file.hpp"

#include <fmt/format.h>

#include <utility>

namespace carillon::pipeline {
namespace {

constexpr std::size_t providers_file_size_max = 1024 * 1024;

Result<Document> read_file(const std::filesystem::path& file) {
  const FileDescriptor opened = TRY(open_regular_file(file));
  return while_doing(parse_document(file.native(), TRY(read_open_file(opened.get(), file, providers_file_size_max))),
                     "reading {}", file.native());
}

/// The first fault with its place, and how many more there are.
std::unexpected<Error> faults_in(const std::filesystem::path& file, const Document& document,
                                 const Problems& problems) {
  const Position position = document.position(problems.front().pointer);
  Error error = to_error(problems);
  error.message = fmt::format("{}:{}:{}: {}", file.native(), position.line, position.column, error.message);
  return std::unexpected(std::move(error));
}

struct ProviderMaker {
  const ProviderSurroundings& around;
  Clock& clock;

  Result<std::unique_ptr<Provider>> operator()(const HttpProviderSettings& http) const {
    return std::make_unique<HttpProvider>(clock, HttpProviderOptions{.url = http.url,
                                                                     .key = http.key,
                                                                     .terms = http.terms,
                                                                     .secrets = around.secrets,
                                                                     .address_refusal = around.address_refusal});
  }
  Result<std::unique_ptr<Provider>> operator()(const CommandProviderSettings& command) const {
    return std::make_unique<CommandProvider>(CommandProviderOptions{.argv = command.argv,
                                                                    .environment = command.environment,
                                                                    .secrets = around.secrets,
                                                                    .programs = around.programs});
  }
  Result<std::unique_ptr<Provider>> operator()(const MockProviderSettings& mock) const {
    if (!mock.answers) return std::make_unique<EchoProvider>();
    return load_mock_provider(around.folder / *mock.answers);
  }
};

}  // namespace

Result<std::unique_ptr<Provider>> load_mock_provider(const std::filesystem::path& file) {
  const Document document = TRY(read_file(file));
  auto answers = MockAnswers::read(document.root);
  if (!answers) return faults_in(file, document, answers.error());
  return std::make_unique<MockProvider>(*std::move(answers));
}

Result<Providers> make_providers(const ProvidersSettings& settings, const ProviderSurroundings& around, Clock& clock) {
  Providers providers{clock};
  for (const auto& [name, provider] : settings.providers) {
    providers.add(name, provider.terms,
                  TRY(while_doing(std::visit(ProviderMaker{around, clock}, provider.how), "making provider {}", name)));
  }
  if (settings.default_provider) providers.set_default(*settings.default_provider);
  return providers;
}

Result<Providers> load_providers(const std::filesystem::path& file, ProviderSurroundings around, Clock& clock) {
  const Document document = TRY(read_file(file));
  const auto settings = read_providers(document.root);
  if (!settings) return faults_in(file, document, settings.error());
  around.folder = file.parent_path();
  return make_providers(*settings, around, clock);
}

}  // namespace carillon::pipeline
