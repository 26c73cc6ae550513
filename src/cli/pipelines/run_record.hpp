#pragma once

#include "base/error.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/connection/session.hpp"
#include "executors/pipeline/pipeline_runner.hpp"
#include "executors/pipeline/prepared_run.hpp"

#include <boost/json/object.hpp>

#include <string_view>

namespace carillon::cli {

/// A run as `-o json` shows it, with the members that a run with mock answers has: `success`, `error`, `formatted`,
/// `summary`, `stats`, `items`, and `usage` and `resultFile` instead of `asked`.
[[nodiscard]] Result<boost::json::object> record_of(const pipeline::RunReport& report);

/// One object in the format asked for, JSON or YAML.
void print_run_record(const boost::json::object& record, Format format, Session& session);

/// The output of a run, as it is; on a terminal without what could change it.
void print_run_output(std::string_view text, Session& session);

/// Why a package cannot be run: every fault of its document, or the file that is missing.
[[nodiscard]] ExitCode show_failure(const pipeline::PreparationFailure& failure, Format format, Session& session);

}  // namespace carillon::cli
