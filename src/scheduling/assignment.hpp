#pragma once

#include "ports/executor.hpp"
#include "ports/run_queue.hpp"
#include "scheduling/definition_cache.hpp"

#include <string>

namespace carillon {

/// What an attempt of a claimed run is told about itself.
[[nodiscard]] Envelope envelope_of(const ClaimedRun& claimed, const Definition& definition, std::string run_id);

}  // namespace carillon
