#pragma once

#include "base/error.hpp"
#include "ports/run_queue.hpp"
#include "scheduling/definition_cache.hpp"

namespace carillon {

/// What a job without a schedule does: the document it was queued with, compiled. An error corrupt if that cannot be
/// read.
[[nodiscard]] Result<DefinitionPtr> adhoc_definition(const QueuedRun& row, DefinitionCache& definitions);

}  // namespace carillon
