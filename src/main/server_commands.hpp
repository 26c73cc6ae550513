#pragma once

#include "cli/connection/server_side.hpp"
#include "ports/zone_source.hpp"

namespace carillon {

/// `carillon serve` and `carillon ledger export` on the embedded store.
class ServerCommands final : public ServerSide {
 public:
  explicit ServerCommands(ZoneSource& zones) : zones_{zones} {}

  Result<ExitCode> serve(const ServeRequest& request, Console& console) override;
  Result<ExitCode> export_ledger(const std::string& data, Console& console) override;
  Result<StoreFacts> inspect_store(const std::string& data, StoreLook look) override;

 private:
  ZoneSource& zones_;
};

}  // namespace carillon
