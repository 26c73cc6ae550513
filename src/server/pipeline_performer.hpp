#pragma once

#include "base/error.hpp"
#include "base/loop_monitor.hpp"
#include "executors/http/ip_address.hpp"
#include "executors/pipeline/launched_programs.hpp"
#include "executors/pipeline/pipeline_executor.hpp"
#include "executors/pipeline/pipeline_runner.hpp"
#include "executors/pipeline/providers.hpp"
#include "executors/secrets/secret_source.hpp"
#include "ports/clock.hpp"
#include "ports/executor.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace carillon {

/// What a server needs to perform pipelines.
struct PipelineSettings {
  std::filesystem::path folder{};          // of pipelines
  std::filesystem::path workspace{};       // of skills; empty: what holds the folder
  std::filesystem::path providers_file{};  // empty: there are none, and every pipeline fails and says so
  std::filesystem::path journals{};        // a folder inside the server's data
  std::string default_timezone{"UTC"};
  std::vector<Cidr> allowed_egress{};  // for providers, too
};

/// The providers of one configuration file. Keys are read from the server's secrets, and providers are called by the
/// same egress rules as http actions.
struct PipelineProviders {
  std::shared_ptr<std::vector<std::uint16_t>> own_ports;  // shared with the rule of each provider
  pipeline::Providers providers;
};
/// `programs` starts those that are commands; null: they cannot be asked. An error names the fault of the
/// configuration, with file, line and column.
[[nodiscard]] Result<PipelineProviders> load_pipeline_providers(const PipelineSettings& settings,
                                                                std::shared_ptr<const SecretSource> secrets,
                                                                std::shared_ptr<pipeline::LaunchedPrograms> programs,
                                                                Clock& clock);

/// Performs pipelines.
class PipelinePerformer final : public Executor {
 public:
  PipelinePerformer(const PipelineSettings& settings, PipelineProviders providers, Clock& clock, AttemptEvents& events,
                    LoopMonitor* loops = nullptr);

  /// Where the interfaces of this server listen: closed to providers. Before the first launch.
  void close_ports(std::vector<std::uint16_t> own_ports) { *own_ports_ = std::move(own_ports); }

  void launch(Assignment assignment) override { executor_.launch(std::move(assignment)); }
  void stop(const AttemptKey& key, Stop how) override { executor_.stop(key, how); }
  void extend_until(Duration since_boot) override { executor_.extend_until(since_boot); }
  void recorded(const AttemptKey& key) override { executor_.recorded(key); }

  /// What runs have become of their items.
  [[nodiscard]] ItemStore& items() { return executor_; }

 private:
  std::shared_ptr<std::vector<std::uint16_t>> own_ports_;
  pipeline::Providers providers_;
  pipeline::PipelineRunner runner_;
  PipelineExecutor executor_;
};

}  // namespace carillon
