#pragma once

#include "base/error.hpp"
#include "executors/pipeline/journal_line.hpp"
#include "executors/pipeline/package_files.hpp"
#include "pipeline/pipeline_document.hpp"
#include "pipeline/run_plan.hpp"

#include <cstddef>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::pipeline {

/// A package with all its files read, before anything is asked.
struct PreparedRun {
  Pipeline pipeline;
  RunTexts texts;
  OpenInput open_input;                                     // of a CSV file
  std::optional<std::size_t> total;                         // rows of the input, limit considered
  std::map<std::string, std::string, std::less<>> digests;  // of all files
  std::filesystem::path package;
};

/// Why a package cannot be run.
struct PreparationFailure {
  std::string pipeline{};  // its name, if it could be read
  std::optional<Phase> phase{};
  std::string error{};
  std::vector<FileFault> faults{};
};

/// Reads the document, its prompts and skills, and goes through its CSV file. Messages are those by which users of the
/// original executor know them: "Failed to resolve map prompt: Prompt file not found: sub/none.md".
/// With a snapshot, its files are those that the first attempt of the run found.
[[nodiscard]] std::expected<PreparedRun, PreparationFailure> prepare_run(
    const PackagePlace& place, std::string_view default_timezone, const Overrides& overrides = {},
    const std::optional<SnapshotPlace>& snapshot = {});

}  // namespace carillon::pipeline
