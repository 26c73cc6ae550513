#pragma once

#include "service/backfills.hpp"
#include "service/event_message.hpp"
#include "service/pipelines.hpp"
#include "service/queries.hpp"
#include "service/run_answer.hpp"
#include "service/schedule_answer.hpp"
#include "service/schedules.hpp"
#include "service/system.hpp"
#include "service/workers.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <span>
#include <string>

namespace carillon::rest {

/// A page of a list ends before it has more than this many bytes, unless its first item alone has.
inline constexpr std::size_t page_bytes_max = 4 * 1024 * 1024;

// The documents of answers, as the reference has them.

/// How a schedule is shown.
struct ScheduleForm {
  bool is_flat = false;          // with the members that flat clients read
  bool is_whole = true;          // with recent runs and upcoming starts
  std::size_t recent_count = 0;  // in a list: how many of the newest runs are shown, in short
  bool has_sentence = false;     // with the spec in words
};

/// Appended rather than returned: the stored definition goes into the answer as it is, without being read.
void append_schedule(std::string& out, const ScheduleAnswer& answer, const ScheduleForm& form);
[[nodiscard]] std::string schedule_text(const ScheduleAnswer& answer, const ScheduleForm& form);

[[nodiscard]] boost::json::object run_document(const RunAnswer& run);
/// One item of a run.
[[nodiscard]] std::string item_text(const RunItem& item);
[[nodiscard]] boost::json::object progress_document(const ProgressEvent& event);
[[nodiscard]] boost::json::object pipeline_document(const PipelineEntry& entry);
[[nodiscard]] boost::json::array faults_document(const std::vector<PipelineFault>& faults);
/// What a list of schedules says of a run.
[[nodiscard]] boost::json::object short_run_document(const RunAnswer& run);
/// The run, and the decision about it. Clients of flat schedules read the run's members beside it.
[[nodiscard]] std::string trigger_text(const TriggerAnswer& answer);
/// Of a dry run: the decision alone.
[[nodiscard]] std::string trigger_text(const TriggerDecision& decision);
[[nodiscard]] boost::json::object backfill_document(const BackfillAnswer& backfill);
[[nodiscard]] boost::json::object preview_document(const BackfillPreview& preview);
[[nodiscard]] boost::json::object start_document(const PlannedStart& start);
[[nodiscard]] boost::json::object occurrence_document(const OccurrenceAnswer& occurrence);
[[nodiscard]] boost::json::array changes_document(const std::vector<ChangeLine>& lines);
[[nodiscard]] boost::json::array outages_document(const std::vector<Outage>& outages);
[[nodiscard]] boost::json::object why_document(const WhyAnswer& why);
/// Appended as text: a page of schedules has many. Those of a document, and more behind them.
void append_warnings(std::string& out, std::span<const Finding> findings, std::span<const Finding> more = {});
[[nodiscard]] boost::json::object queue_document(const QueueRecord& queue, Instant now);
[[nodiscard]] boost::json::object token_document(const StoredToken& token, const std::vector<std::string_view>& scopes);
[[nodiscard]] boost::json::object audit_document(const AuditRecord& record);

/// Where a schedule, or what belongs to it, is found.
[[nodiscard]] std::string location_of(const ScheduleKey& key, std::string_view below);

[[nodiscard]] boost::json::value instant_or_null(const std::optional<Instant>& instant);
[[nodiscard]] boost::json::value text_or_null(const std::string& text);

}  // namespace carillon::rest
