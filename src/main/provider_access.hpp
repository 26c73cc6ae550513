#pragma once

#include "base/error.hpp"
#include "cli/connection/provider_access.hpp"

#include <memory>

namespace carillon {

/// What pipelines need that run in this process, without a server. An error if the directory of secrets cannot be used.
[[nodiscard]] Result<std::unique_ptr<cli::ProviderAccess>> open_own_provider_access(
    const cli::ProviderAccessRequest& request);

}  // namespace carillon
