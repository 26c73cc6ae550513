#pragma once

#include "executors/pipeline/provider_document.hpp"
#include "ports/clock.hpp"

#include <string>

namespace carillon::cli {

struct ProviderAccessRequest {
  std::string secret_directory{};  // for `${secret:name}` and `${file:path}`; empty: none
  bool starts_programs = false;    // providers that are commands can be asked
};

/// What it takes to ask providers from this process: clocks, secrets, programs. Must outlive the providers.
class ProviderAccess {
 public:
  virtual ~ProviderAccess() = default;

  [[nodiscard]] virtual Clock& clock() = 0;
  /// Any address may be called and any variable of the environment may be a key: whoever runs the command has written
  /// the file of providers, or trusts it.
  [[nodiscard]] virtual pipeline::ProviderSurroundings surroundings() = 0;
};

}  // namespace carillon::cli
