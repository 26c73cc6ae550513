#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"

#include <string>
#include <string_view>

namespace carillon {

/// Reads `90s`, `15m`, `1h30m`, `2d`, `1w`, `250ms`, `100us`, or ISO 8601 `PT15M`, `P1DT12H`; never negative, at most
/// 100 years. Units stand from large to small, each once. A bare number is refused, because its unit would be a guess.
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);

/// The shortest text in the first form that reads back as the same duration: `1h30m`, `2d`, `0s`.
[[nodiscard]] std::string to_text(Duration duration);

}  // namespace carillon
