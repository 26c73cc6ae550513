#pragma once

#include "base/error.hpp"
#include "cli/command_line/arguments.hpp"
#include "cli/terminal/console.hpp"

#include <optional>
#include <string>

namespace carillon::cli {

/// `--providers`, of verbs that ask the providers of pipelines.
[[nodiscard]] FlagSpecs providers_flag();

/// The file that says who answers the questions of pipelines: `--providers`, else CARILLON_PROVIDERS, else
/// `providers.yaml` in the folder of your settings, else `/etc/carillon/providers.yaml`; none if no such file is there.
/// Never one beside the pipelines: whoever clones a repository does not thereby run its programs.
[[nodiscard]] std::optional<std::string> providers_file(const Arguments& arguments, const Console& console);

}  // namespace carillon::cli
