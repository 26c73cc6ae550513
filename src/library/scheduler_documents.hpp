#pragma once

#include "base/error.hpp"
#include "definitions/schedule_document.hpp"

#include <carillon/schedule.hpp>

#include <string_view>

namespace carillon {

/// The schedule document that a definition of the host program stands for, checked like any other document.
[[nodiscard]] Result<ScheduleDocument> document_of(const ScheduleDefinition& definition);
/// A schedule document from JSON or YAML text.
[[nodiscard]] Result<ScheduleDocument> document_of(std::string_view text);

/// The job of a schedule that an embedded scheduler can perform. An error `invalid_argument` says why it cannot:
/// another kind of action, another namespace or another queue needs a server.
[[nodiscard]] Result<JobAction> job_of(const ScheduleDocument& document);

}  // namespace carillon
