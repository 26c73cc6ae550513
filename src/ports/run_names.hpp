#pragma once

#include "base/instant.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace carillon {

/// A run's name taken apart: `<schedule id>@<nominal>` and what follows, `+trigger-…` or the like.
struct RunNameParts {
  std::string schedule;
  Instant nominal;
  std::string tail;  // with its plus; empty: made by the schedule itself
};

/// None if it cannot be the name of a schedule's run.
[[nodiscard]] inline std::optional<RunNameParts> parse_run_name(std::string_view name) {
  const std::size_t at = name.find('@');
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = name.substr(at + 1);
  const std::size_t plus = std::min(rest.find('+'), rest.size());
  const auto nominal = parse_instant(rest.substr(0, plus));
  if (!nominal) return std::nullopt;
  return RunNameParts{
      .schedule = std::string{name.substr(0, at)}, .nominal = *nominal, .tail = std::string{rest.substr(plus)}};
}

}  // namespace carillon
