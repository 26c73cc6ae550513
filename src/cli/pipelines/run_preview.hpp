#pragma once

#include "cli/command_line/argument_values.hpp"
#include "cli/connection/session.hpp"
#include "cli/pipelines/trial_run.hpp"
#include "executors/pipeline/providers.hpp"

namespace carillon::cli {

/// Prints what a run would ask, how much that is, and about what it would cost. `providers` is for the price table;
/// null: nothing is known of prices.
[[nodiscard]] ExitCode show_preview(const TrialRun& run, pipeline::Providers* providers, Format format,
                                    Session& session);

}  // namespace carillon::cli
