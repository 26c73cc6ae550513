#include "definitions/action.hpp"

#include <cstddef>
#include <utility>

namespace carillon {

ActionKind action_kind_of(const Action& action) {
  static_assert(std::variant_size_v<Action> == static_cast<std::size_t>(ActionKind::workflow) + 1);
  return static_cast<ActionKind>(action.index());
}

std::string_view to_text(ActionKind kind) {
  switch (kind) {
    case ActionKind::command: return "command";
    case ActionKind::http: return "http";
    case ActionKind::job: return "job";
    case ActionKind::pipeline: return "pipeline";
    case ActionKind::workflow: return "workflow";
  }
  std::unreachable();
}

std::string_view kind_of(const Action& action) { return to_text(action_kind_of(action)); }

bool retries_when_lost(const Policies& policies, const Action& action) {
  const bool is_repeatable = std::holds_alternative<HttpAction>(action) || std::holds_alternative<JobAction>(action);
  return policies.retry.on_lost.value_or(is_repeatable);
}

std::optional<Duration> start_deadline_of(const Policies& policies, const Action& action) {
  if (policies.start_deadline || !std::holds_alternative<JobAction>(action)) return policies.start_deadline;
  return std::chrono::days{1};
}

}  // namespace carillon
