#pragma once

#include <string>
#include <string_view>

namespace carillon::cli {

/// Why an occurrence was skipped, in a few words: `overlap: a run was still active`. A reason we do not know is itself.
[[nodiscard]] std::string skip_words(std::string_view reason);

/// What makes up for it or keeps it from happening again; empty where nothing does.
struct SkipRemedy {
  std::string label;    // `Lose none again`
  std::string command;  // `carillon edit nightly --overlap buffer_one`
};
[[nodiscard]] SkipRemedy skip_remedy(std::string_view reason, std::string_view schedule);

/// Why nobody decided for a while: `no server was running`.
[[nodiscard]] std::string_view outage_words(std::string_view cause);

}  // namespace carillon::cli
