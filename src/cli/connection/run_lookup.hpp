#pragma once

#include "cli/connection/json_view.hpp"
#include "client/client.hpp"

#include <string>
#include <string_view>

namespace carillon::cli {

/// The document of the run that a word means: its id, its name (`nightly@2026-11-20T03:00:00Z`), or the beginning of
/// exactly one of either among the newest. An error that lists the candidates.
[[nodiscard]] Result<ApiAnswer> get_run(Client& client, std::string_view word);

/// The newest run of a schedule; null when it has none yet. `schedule` is the document of the schedule.
[[nodiscard]] Result<boost::json::value> newest_run(Client& client, const JsonView& schedule);

/// `/runs/r-…`, and below it `/cancel`.
[[nodiscard]] std::string run_path(const JsonView& run, std::string_view below = {});

/// Whether nothing more will happen to it.
[[nodiscard]] bool has_ended(const JsonView& run);

}  // namespace carillon::cli
