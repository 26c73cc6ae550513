#include "definitions/action.hpp"

#include <array>

namespace carillon {

std::string_view kind_of(const Action& action) {
  constexpr std::array<std::string_view, std::variant_size_v<Action>> kinds{"command", "http", "job", "pipeline"};
  return kinds[action.index()];
}

bool retries_when_lost(const Policies& policies, const Action& action) {
  const bool is_repeatable = std::holds_alternative<HttpAction>(action) || std::holds_alternative<JobAction>(action);
  return policies.retry.on_lost.value_or(is_repeatable);
}

std::optional<Duration> start_deadline_of(const Policies& policies, const Action& action) {
  if (policies.start_deadline || !std::holds_alternative<JobAction>(action)) return policies.start_deadline;
  return std::chrono::days{1};
}

}  // namespace carillon
