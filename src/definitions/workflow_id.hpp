#pragma once

#include "base/instant.hpp"
#include "definitions/words.hpp"
#include "definitions/workflow_action.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace carillon {

/// What `{{name}}` in the id of a workflow may stand for.
inline constexpr std::array<std::string_view, 4> workflow_id_names{"nominalTime", "runId", "scheduleId", "source"};

/// The first `{{name}}` of a text that stands for nothing there.
[[nodiscard]] std::optional<std::string_view> unknown_id_name(std::string_view text);

struct WorkflowIdParts {
  std::string_view schedule_id;
  std::string_view run_id;
  Instant nominal;
  Source source = Source::schedule;
};

/// The id of the workflow that a run starts. An id with `{{names}}` is the whole of it. Any other, and the schedule's
/// where there is none, is followed by the nominal time to the second, as Temporal's own schedules do it; a trigger
/// has the run's id behind it, since two of them may fall into one second.
[[nodiscard]] std::string workflow_id_of(const WorkflowAction& action, const WorkflowIdParts& parts);

}  // namespace carillon
