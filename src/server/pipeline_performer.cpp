#include "server/pipeline_performer.hpp"

#include "executors/http/connection_rule.hpp"
#include "executors/pipeline/provider_document.hpp"

namespace carillon {
namespace {

Result<pipeline::Providers> providers_of(const PipelineSettings& settings, std::shared_ptr<const SecretSource> secrets,
                                         std::shared_ptr<pipeline::LaunchedPrograms> programs,
                                         std::shared_ptr<const std::vector<std::uint16_t>> own_ports, Clock& clock) {
  if (settings.providers_file.empty()) return pipeline::Providers{clock};
  return pipeline::load_providers(
      settings.providers_file,
      {.secrets = [secrets = std::move(secrets)](std::string_view reference) { return secrets->read(reference); },
       .address_refusal = [allowed = settings.allowed_egress, own = std::move(own_ports)](
                              const sockaddr& address) { return connection_refusal(address, allowed, *own); },
       .programs = std::move(programs)},
      clock);
}

}  // namespace

Result<PipelineProviders> load_pipeline_providers(const PipelineSettings& settings,
                                                  std::shared_ptr<const SecretSource> secrets,
                                                  std::shared_ptr<pipeline::LaunchedPrograms> programs, Clock& clock) {
  auto own_ports = std::make_shared<std::vector<std::uint16_t>>();
  auto providers = TRY(providers_of(settings, std::move(secrets), std::move(programs), own_ports, clock));
  return PipelineProviders{.own_ports = std::move(own_ports), .providers = std::move(providers)};
}

PipelinePerformer::PipelinePerformer(const PipelineSettings& settings, PipelineProviders providers, Clock& clock,
                                     AttemptEvents& events, LoopMonitor* loops)
    : own_ports_{std::move(providers.own_ports)},
      providers_{std::move(providers.providers)},
      runner_{clock, providers_, {.default_timezone = settings.default_timezone}},
      executor_{
          clock,
          events,
          runner_,
          {.folder = settings.folder, .workspace = settings.workspace, .journals = settings.journals, .loops = loops}} {
}

}  // namespace carillon
