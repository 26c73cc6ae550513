#pragma once

#include "document/reader.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace carillon {

/// The keys of the short form, beside which the canonical ones may stand.
inline constexpr std::array<std::string_view, 18> short_keys{
    "cron",       "cronExpr",      "every",          "intervalSeconds", "timezone",    "command",
    "url",        "jobType",       "jobPayload",     "payload",         "jobPriority", "queue",
    "workflowId", "triggerNodeId", "triggerPayload", "totalRepeats",    "maxRetries",  "timeoutSeconds"};

/// Whether an object is a schedule, in canonical or short form, rather than a spec alone: it has a key that no spec
/// has.
[[nodiscard]] bool is_schedule(const boost::json::object& document);

/// A document with its short members moved to where the canonical form has them.
struct LongForm {
  boost::json::object document;
  /// Where a canonical member was written: its pointer → the short key as written. Both are relative to the document.
  std::map<std::string, std::string, std::less<>> origins;
  /// What `intervalSeconds` said, if it was there: its defaults differ.
  std::optional<Duration> interval;

  /// The pointer of a value as the user wrote it.
  [[nodiscard]] std::string as_written(std::string_view pointer) const;
};

/// Rewrites the flat members of one-line requests to the canonical form:
///
///     cron | cronExpr → spec.cron                      jobType → action.job.type
///     every | intervalSeconds → spec.intervals         jobPayload | payload → action.job.payload
///     timezone → spec.timezone                         jobPriority → action.job.priority
///     totalRepeats → policies.totalRepeats             queue → action.job.queue
///     maxRetries n → policies.retry.maxAttempts n+1    command → action.command, a text with a shell
///     timeoutSeconds → policies.timeout                url → action.http.url
///     workflowId, triggerNodeId, triggerPayload → action.job {type: workflow, payload: {workflowId, …, payload}}
///
/// Keys may be written in snake_case; null counts as left out. What is said twice, by two spellings or beside the
/// canonical member, is noted as `conflict` at the short key. Other members stay untouched. Only what is given is
/// written, so that it serves for patches too.
[[nodiscard]] LongForm to_long_form(const boost::json::object& document, std::string_view pointer, Problems& problems);

/// Fills in what a new schedule in short form has where it says nothing: a workflow's payload is complete, and with
/// `intervalSeconds` a run has 600 s, retries back off from the interval on, and one failed run makes the schedule
/// dead.
void fill_short_form_defaults(LongForm& form);

}  // namespace carillon
