#pragma once

#include "calendar/lint/lint.hpp"
#include "definitions/schedule_document.hpp"
#include "service/parts.hpp"

#include <vector>

namespace carillon {

/// What is legal in a schedule and probably not meant, pointers from the root of its document.
[[nodiscard]] std::vector<Finding> document_warnings(const ScheduleDocument& document, const ServiceParts& parts,
                                                     Instant now);

/// The same of a spec alone.
[[nodiscard]] std::vector<Finding> spec_warnings(const Spec& spec, const ServiceParts& parts, Instant now);

}  // namespace carillon
