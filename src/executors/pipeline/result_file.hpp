#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "pipeline/reduction.hpp"

#include <filesystem>
#include <functional>
#include <string>

namespace carillon::pipeline {

/// Writes `.results/<start of the run>.json` in a package, `-2` and so on behind the name if there is one of that
/// second. Under its name there is always a whole file; if anything goes wrong there is none. `write` gives the bytes.
/// Returns the path of the file. Results of the package that are older than 30 days and not among its newest 50 are
/// removed.
[[nodiscard]] Result<std::filesystem::path> write_result_file(const std::filesystem::path& package, Instant started,
                                                              const std::function<Result<>(const Sink&)>& write);

/// Passes a text on as the inside of a JSON string.
void write_escaped(std::string_view text, const Sink& sink);

}  // namespace carillon::pipeline
