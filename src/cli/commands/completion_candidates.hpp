#pragma once

#include "cli/connection/session.hpp"

#include <span>
#include <string>
#include <vector>

namespace carillon::cli {

/// What may stand in place of the last word, with its beginning. `has_files`: names of files, which the shell knows
/// better.
struct Candidates {
  std::vector<std::string> words{};
  bool has_files = false;
};

/// The words are those behind `carillon`, the last one is being written. Names of schedules, runs and queues come from
/// the server within 200 ms; there are none if it does not answer. Never an error: nobody could read it.
[[nodiscard]] Candidates completion_candidates(std::span<const std::string> words, Session& session);

}  // namespace carillon::cli
