#pragma once

#include "base/error.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carillon::http {

/// A target, taken apart and decoded.
struct Target {
  std::vector<std::string> segments;                       // of `/v1/a%20b/`: "v1", "a b", ""; of `/`: ""
  std::vector<std::pair<std::string, std::string>> query;  // in order; a name without `=` has an empty value

  /// The value of the first parameter of that name.
  [[nodiscard]] std::optional<std::string_view> parameter(std::string_view name) const;
};

/// Decodes percent-encoding once, and `+` as a blank in the query only. Refuses what a path must not say: a broken
/// escape, NUL and other control characters, bytes that are no UTF-8, an encoded or plain `\`, an encoded `/`, and the
/// segments `.` and `..`, encoded or not.
[[nodiscard]] Result<Target> parse_target(std::string_view target);

}  // namespace carillon::http
