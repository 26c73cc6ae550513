#pragma once

#include "base/error.hpp"

#include <filesystem>
#include <string_view>

namespace carillon::pipeline {

/// Where the journal of a run lies in a folder of journals. `run` may be any text.
[[nodiscard]] std::filesystem::path journal_in(const std::filesystem::path& folder, std::string_view run);

/// What `{{RESULTS_FILE}}` of a reduction names, for as long as an attempt is under way.
[[nodiscard]] std::filesystem::path results_beside(const std::filesystem::path& journal);

/// Removes a journal and what belongs to it; fine if there is none. `conflict` if a process is using it.
[[nodiscard]] Result<> remove_journal(const std::filesystem::path& journal);

/// Removes what nobody has touched for 30 days: a run that failed keeps its answers for a retry, and nobody retries for
/// ever.
void remove_old_journals(const std::filesystem::path& folder);

}  // namespace carillon::pipeline
