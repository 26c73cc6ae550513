#pragma once

#include "base/error.hpp"
#include "definitions/schedule_document.hpp"

#include <carillon/failure.hpp>
#include <carillon/schedule.hpp>

#include <string_view>

namespace carillon {

/// What the host program is told of an error.
[[nodiscard]] Failure failure_of(const Error& error);

/// A definition of the host program as the document it stands for, checked like any other.
[[nodiscard]] Result<ScheduleDocument> document_of(const ScheduleDefinition& definition);
/// A document as JSON or YAML text.
[[nodiscard]] Result<ScheduleDocument> document_of(std::string_view text);

/// The job of a schedule that an embedded scheduler can perform; an error that says why it cannot.
[[nodiscard]] Result<JobAction> job_of(const ScheduleDocument& document);

}  // namespace carillon
