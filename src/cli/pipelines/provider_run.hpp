#pragma once

#include "base/error.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/arguments.hpp"
#include "cli/connection/session.hpp"
#include "executors/pipeline/package_files.hpp"
#include "executors/pipeline/providers.hpp"
#include "pipeline/overrides.hpp"

#include <memory>
#include <optional>

namespace carillon::cli {

/// The providers of a command line, and what they need.
struct AskableProviders {
  std::unique_ptr<ProviderAccess> access;
  pipeline::Providers providers;
};

/// The flags that say who is asked, and with which keys.
[[nodiscard]] FlagSpecs provider_flags();

/// None if no file of providers is there. To be called before there are threads.
[[nodiscard]] Result<std::optional<AskableProviders>> find_providers(const Arguments& arguments, Session& session);

/// A package that is run once, here.
struct ProviderRunRequest {
  pipeline::PackagePlace package;
  pipeline::Overrides overrides{};
  bool is_restarted = false;  // answers of an earlier run that did not succeed are forgotten
  Format format = Format::table;
};

/// Runs a pipeline with real providers, shows how far it is and what came out. What was answered is kept until a run of
/// the package succeeds, in a folder of the user's own: after Ctrl-C or a failure the same command goes on with it.
[[nodiscard]] Result<ExitCode> run_with_providers(const ProviderRunRequest& request, AskableProviders& askable,
                                                  Session& session);

}  // namespace carillon::cli
