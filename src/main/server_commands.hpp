#pragma once

#include "cli/connection/local_server.hpp"
#include "ports/zone_source.hpp"

#include <memory>

namespace carillon {

/// `carillon serve` and `carillon ledger export` on the embedded store or a shared one.
class ServerCommands final : public cli::LocalServer {
 public:
  explicit ServerCommands(ZoneSource& zones) : zones_{zones} {}

  Result<cli::ExitCode> serve(const cli::ServeRequest& request, cli::Console& console) override;
  Result<cli::ExitCode> work(const cli::WorkRequest& request, cli::Console& console) override;
  Result<cli::ExitCode> migrate_store(const std::string& url, cli::Console& console) override;
  Result<cli::ExitCode> copy_store(const std::string& from, const std::string& to, cli::Console& console) override;
  Result<cli::ExitCode> export_ledger(const std::string& data, cli::Console& console) override;
  Result<cli::StoreFacts> inspect_store(const std::string& data, cli::StoreCheck check) override;
  Result<std::unique_ptr<cli::ProviderAccess>> open_provider_access(const cli::ProviderAccessRequest& request) override;

 private:
  ZoneSource& zones_;
};

}  // namespace carillon
