#pragma once

#include "base/error.hpp"
#include "cli/command_line/arguments.hpp"
#include "pipeline/overrides.hpp"

namespace carillon::cli {

/// `--param` and `--limit`: what a command line changes in a pipeline for one run. Values are texts.
[[nodiscard]] Result<pipeline::Overrides> pipeline_overrides(const Arguments& arguments);

}  // namespace carillon::cli
