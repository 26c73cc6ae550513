#pragma once

#include <string_view>

namespace carillon {

/// Where a server hears from Temporal clusters that a workflow has ended.
inline constexpr std::string_view workflow_callback_path = "/temporal/workflow-ended";
/// Headers that a cluster gives back in such a call: which attempt has ended, and what proves that we asked to be told.
inline constexpr std::string_view workflow_callback_attempt_header = "carillon-attempt";
inline constexpr std::string_view workflow_callback_key_header = "carillon-key";

}  // namespace carillon
