#pragma once

#include "api/rest/call.hpp"
#include "definitions/schedule_filter.hpp"

namespace carillon::rest {

/// Which schedules a list is about: `namespace`, `status`, `label`, `action`, `q`, `nextBefore`, `workflowId`, and the
/// search `filter`. Refused at once if the search cannot be read; other faults are told by `parameters.finish()`.
[[nodiscard]] Served<ScheduleFilter> filter_in(Call& call);

}  // namespace carillon::rest
