#pragma once

#include <string>
#include <string_view>

namespace carillon::pipeline {

/// A text with the small faults of JSON that models write mended: single quotes, keys without quotes, a comma before a
/// closing bracket, a missing comma between texts on two lines. Texts with apostrophes in them are not understood; what
/// comes out then is no JSON.
[[nodiscard]] std::string repaired_json(std::string_view text);

}  // namespace carillon::pipeline
