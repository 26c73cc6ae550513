#include "api/rest/documents.hpp"

#include "document/document.hpp"
#include "service/access.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <utility>

namespace carillon::rest {
namespace {

namespace json = boost::json;

template <typename Number>
json::value number_or_null(const std::optional<Number>& number) {
  return number ? json::value(*number) : json::value{};
}

json::value milliseconds_or_null(const std::optional<Duration>& duration) {
  if (!duration) return {};
  return json::value(std::chrono::floor<std::chrono::milliseconds>(*duration).count());
}

json::value use_document(const std::optional<ResourceUse>& use) {
  if (!use) return {};
  return json::object{{"userMs", milliseconds_or_null(use->user_time)},
                      {"systemMs", milliseconds_or_null(use->system_time)},
                      {"maxRssBytes", use->memory_max}};
}

json::object attempt_document(const AttemptRecord& attempt) {
  json::object document{{"attempt", attempt.attempt},
                        {"worker", text_or_null(attempt.worker)},
                        {"claimedAt", to_text(attempt.claimed_at)},
                        {"launchedAt", instant_or_null(attempt.launched_at)},
                        {"endedAt", instant_or_null(attempt.ended_at)},
                        {"state", to_text(attempt.state)},
                        {"exitCode", number_or_null(attempt.exit_code)},
                        {"signal", number_or_null(attempt.signal)},
                        {"error", text_or_null(attempt.error)},
                        {"rusage", use_document(attempt.use)}};
  if (!attempt.known_as.empty()) document["knownAs"] = attempt.known_as;
  return document;
}

/// What a run has left as its result, as JSON if it is, else as text.
json::value result_value(const std::optional<std::string>& result) {
  if (!result) return {};
  auto parsed = parse_json(*result);
  return parsed ? *std::move(parsed) : json::value(*result);
}

json::value wait_value(const std::optional<WaitReason>& reason) {
  if (!reason) return {};
  return json::object{{"what", to_text(reason->kind)},
                      {"queue", text_or_null(reason->queue)},
                      {"until", instant_or_null(reason->until)},
                      {"pausedBy", text_or_null(reason->paused_by)}};
}

json::value usage_value(const std::optional<RunUsage>& usage, const std::optional<std::int64_t>& paid_twice) {
  if (!usage) return {};
  return json::object{{"calls", usage->calls},
                      {"inputTokens", usage->input_tokens},
                      {"outputTokens", usage->output_tokens},
                      {"cost", number_or_null(usage->cost)},
                      {"possiblyPaidTwice", number_or_null(paid_twice)}};
}

json::value progress_value(const std::optional<RunProgress>& progress) {
  if (!progress) return {};
  return json::object{{"phase", progress->phase}, {"remainingMs", milliseconds_or_null(progress->remaining)}};
}

std::string_view state_text(const RunAnswer& run) {
  if (run.record.outcome == DecisionOutcome::skipped) return "skipped";
  return to_text(run.record.run.state);
}

}  // namespace

std::string location_of(const ScheduleKey& key, std::string_view below) {
  const std::string& name_space = key.name_space.text();
  return fmt::format("/api/v1/schedules/{}{}{}{}", key.id.text(), below,
                     name_space == "default" ? "" : "?namespace=", name_space == "default" ? "" : name_space);
}

json::value instant_or_null(const std::optional<Instant>& instant) {
  return instant ? json::value(to_text(*instant)) : json::value{};
}

json::value text_or_null(const std::string& text) { return text.empty() ? json::value{} : json::value(text); }

json::object run_document(const RunAnswer& answer) {
  const RunRecordRow& record = answer.record;
  const QueuedRun& row = record;
  const bool has_run = answer.has_run();
  json::array attempts;
  for (const AttemptRecord& attempt : record.attempts) attempts.push_back(attempt_document(attempt));
  return {{"id", answer.id},
          {"name", answer.name},
          {"schedule", record.key ? json::value(record.key->id.text()) : json::value{}},
          {"namespace", record.name_space},
          {"nominal", to_text(row.nominal)},
          {"due", to_text(row.due)},
          {"source", to_text(row.source)},
          {"revision", record.key ? json::value(has_run ? row.revision : record.decided_revision) : json::value{}},
          {"state", state_text(answer)},
          {"reason", record.reason ? json::value(to_text(*record.reason)) : json::value{}},
          {"attempt", row.run.attempt},
          {"attempts", std::move(attempts)},
          {"queuedAt", has_run ? json::value(to_text(row.run.queued_at)) : json::value{}},
          {"startedAt", has_run ? instant_or_null(row.run.started_at) : json::value{}},
          {"endedAt", has_run ? instant_or_null(row.run.ended_at) : json::value{}},
          {"lateMs", milliseconds_or_null(answer.late)},
          {"durationMs", milliseconds_or_null(answer.duration)},
          {"result", result_value(record.result)},
          {"error", text_or_null(answer.error)},
          {"itemsProcessed", answer.items ? json::value(answer.items->done) : json::value{}},
          {"itemsFailed", answer.items ? number_or_null(answer.items->failed) : json::value{}},
          {"itemsTotal", answer.items ? number_or_null(answer.items->total) : json::value{}},
          {"resultFile", answer.items ? text_or_null(answer.items->result_file) : json::value{}},
          {"usage", answer.items ? usage_value(answer.items->usage, answer.items->possibly_paid_twice) : json::value{}},
          {"progress", answer.items ? progress_value(answer.items->progress) : json::value{}},
          {"logBytes", answer.log_size ? json::value(*answer.log_size) : json::value{}},
          {"why", answer.why},
          {"waitingFor", wait_value(answer.waits_for)}};
}

std::string item_text(const RunItem& item) {
  const json::value usage = item.input_tokens || item.output_tokens || item.cost
                                ? json::value(json::object{{"inputTokens", number_or_null(item.input_tokens)},
                                                           {"outputTokens", number_or_null(item.output_tokens)},
                                                           {"cost", number_or_null(item.cost)}})
                                : json::value{};
  // Input and output are put in as they are.
  return fmt::format(R"({{"index":{},"state":"{}","input":{},"output":{},"rawText":{},"error":{},"usage":{}}})",
                     item.index, item.is_success ? "succeeded" : "failed", item.input, item.output,
                     item.raw_text ? json::serialize(json::value(*item.raw_text)) : "null",
                     json::serialize(text_or_null(item.error)), json::serialize(usage));
}

json::object progress_document(const ProgressEvent& event) {
  const RunProgress& progress = event.progress;
  return {{"run", event.run},
          {"name", event.name},
          {"schedule", text_or_null(event.schedule)},
          {"namespace", event.name_space},
          {"attempt", event.attempt},
          {"phase", progress.phase},
          {"itemsProcessed", progress.done},
          {"itemsFailed", progress.failed},
          {"itemsTotal", number_or_null(progress.total)},
          {"remainingMs", milliseconds_or_null(progress.remaining)},
          {"usage", usage_value(progress.usage, std::nullopt)}};
}

json::array faults_document(const std::vector<PipelineFault>& faults) {
  json::array documents;
  for (const PipelineFault& fault : faults)
    documents.push_back(json::object{{"file", fault.file},
                                     {"line", fault.line == 0 ? json::value{} : json::value(fault.line)},
                                     {"column", fault.line == 0 ? json::value{} : json::value(fault.column)},
                                     {"code", fault.code},
                                     {"message", fault.message},
                                     {"hint", text_or_null(fault.hint)}});
  return documents;
}

json::object pipeline_document(const PipelineEntry& entry) {
  return {{"path", entry.path},
          {"file", entry.file},
          {"name", text_or_null(entry.name)},
          {"description", text_or_null(entry.description)},
          {"schedule", text_or_null(entry.schedule)},
          {"valid", entry.faults.empty()},
          {"faults", faults_document(entry.faults)}};
}

json::object short_run_document(const RunAnswer& answer) {
  const RunRecordRow& record = answer.record;
  const Run& run = record.run;
  return {{"id", answer.id},
          {"name", answer.name},
          {"state", state_text(answer)},
          {"nominal", to_text(record.nominal)},
          {"queuedAt", to_text(run.queued_at)},
          {"startedAt", instant_or_null(run.started_at)},
          {"endedAt", instant_or_null(run.ended_at)},
          {"durationMs", milliseconds_or_null(answer.duration)},
          {"reason", record.reason ? json::value(to_text(*record.reason)) : json::value{}},
          {"source", to_text(record.source)},
          {"waitingFor", wait_value(answer.waits_for)}};
}

namespace {

json::object decision_document(DecisionOutcome outcome, const std::optional<SkipReason>& reason) {
  return {{"outcome", to_text(outcome)}, {"reason", reason ? json::value(to_text(*reason)) : json::value{}}};
}

}  // namespace

std::string trigger_text(const TriggerDecision& decision) {
  return json::serialize(json::object{{"decision", decision_document(decision.outcome, decision.reason)}});
}

std::string trigger_text(const TriggerAnswer& answer) {
  const RunRecordRow& record = answer.run.record;
  // The members of the run stand in the answer itself, too.
  const std::string run = json::serialize(run_document(answer.run));
  const std::string decision = json::serialize(decision_document(record.outcome, record.reason));
  return fmt::format(R"({{"decision":{},"run":{},{})", decision, run, std::string_view{run}.substr(1));
}

json::object backfill_document(const BackfillAnswer& answer) {
  const Backfill& backfill = answer.record;
  return {{"id", backfill.id},
          {"schedule", answer.key.id.text()},
          {"namespace", answer.key.name_space.text()},
          {"from", to_text(backfill.from)},
          {"to", to_text(backfill.to)},
          {"order", to_text(backfill.order)},
          {"reprocess", to_text(backfill.reprocess)},
          {"concurrency", backfill.concurrency},
          {"exclusive", backfill.is_exclusive},
          {"overlap", backfill.overlap ? json::value(to_text(*backfill.overlap)) : json::value(nullptr)},
          {"state", to_text(backfill.state)},
          {"done", backfill.done},
          {"total", backfill.total},
          {"started", backfill.started}};
}

json::object preview_document(const BackfillPreview& preview) {
  return {{"total", preview.total},
          {"count", preview.to_run},
          {"first", instant_or_null(preview.first)},
          {"last", instant_or_null(preview.last)},
          {"conflicts", preview.conflicts},
          {"failed", preview.failed}};
}

json::object start_document(const PlannedStart& start) {
  return {{"nominal", to_text(start.nominal)}, {"due", to_text(start.due)}, {"local", start.local}};
}

json::object occurrence_document(const OccurrenceAnswer& occurrence) {
  if (const auto* start = std::get_if<PlannedStart>(&occurrence)) {
    json::object document = start_document(*start);
    document["outcome"] = "planned";
    return document;
  }
  if (const auto* span = std::get_if<SkippedSpan>(&occurrence)) {
    const RangeLine& line = span->line;
    return {{"nominal", to_text(line.from)},  {"outcome", "skipped"},
            {"reason", to_text(line.reason)}, {"from", to_text(line.from)},
            {"to", to_text(line.to)},         {"count", line.count},
            {"revision", line.revision},      {"decidedAt", to_text(line.head.at)}};
  }
  const RunAnswer& answer = std::get<RunAnswer>(occurrence);
  const RunRecordRow& record = answer.record;
  return {
      {"nominal", to_text(record.nominal)},
      {"due", to_text(record.due)},
      {"outcome", to_text(record.outcome)},
      {"reason", record.reason ? json::value(to_text(*record.reason)) : json::value{}},
      {"source", to_text(record.source)},
      {"revision", record.decided_revision},
      {"decidedAt", to_text(record.decided_at)},
      {"waitedFrom", instant_or_null(record.waited_from)},
      {"run", record.outcome == DecisionOutcome::skipped ? json::value{} : json::value(answer.id)},
      {"state", record.outcome == DecisionOutcome::skipped ? json::value{} : json::value(to_text(record.run.state))},
      {"why", answer.why}};
}

json::array outages_document(const std::vector<Outage>& outages) {
  json::array items;
  for (const Outage& outage : outages)
    items.push_back(
        json::object{{"from", to_text(outage.from)}, {"to", to_text(outage.to)}, {"cause", to_text(outage.cause)}});
  return items;
}

json::array changes_document(const std::vector<ChangeLine>& lines) {
  json::array changes;
  for (const ChangeLine& change : lines)
    changes.push_back(json::object{{"at", to_text(change.head.at)},
                                   {"kind", to_text(change.kind)},
                                   {"revision", change.revision},
                                   {"by", change.by},
                                   {"reason", text_or_null(change.reason)},
                                   {"until", instant_or_null(change.until)}});
  return changes;
}

json::object why_document(const WhyAnswer& why) {
  return {{"why", why.sentence},
          {"occurrence", why.occurrence ? json::value(occurrence_document(*why.occurrence)) : json::value{}},
          {"isOccurrence", why.is_occurrence},
          {"changes", changes_document(why.changes)},
          {"before", why.before ? json::value(start_document(*why.before)) : json::value{}},
          {"after", why.after ? json::value(start_document(*why.after)) : json::value{}},
          {"outages", outages_document(why.outages)}};
}

json::object queue_document(const QueueRecord& queue, Instant now) {
  return {
      {"name", queue.name},
      {"depth", queue.depth},
      {"oldest", instant_or_null(queue.oldest)},
      {"oldestAgeMs", queue.oldest && *queue.oldest < now ? milliseconds_or_null(now - *queue.oldest) : json::value{}},
      {"running", queue.running},
      {"paused", queue.is_paused},
      {"limit", queue.limit ? json::value(*queue.limit) : json::value(nullptr)},
      {"keepFailed", queue.keeps_failed},
      {"dead", queue.dead}};
}

json::object token_document(const StoredToken& token, const std::vector<std::string_view>& scopes) {
  json::array words;
  for (const std::string_view scope : scopes) words.emplace_back(scope);
  return {{"id", token.id},
          {"name", token.name},
          {"role", to_text(token.role)},
          {"execute", token.may_execute || token.role == Role::admin},
          {"scopes", std::move(words)},
          {"namespace", token.name_space ? json::value(*token.name_space) : json::value{}},
          {"createdAt", to_text(token.created_at)},
          {"expiresAt", instant_or_null(token.expires_at)},
          {"revokedAt", instant_or_null(token.revoked_at)}};
}

json::object audit_document(const AuditRecord& record) {
  const AuditEntry& entry = record.entry;
  return {{"number", record.number},
          {"at", to_text(record.at)},
          {"actor", entry.actor},
          {"address", text_or_null(entry.address)},
          {"operation", entry.operation},
          {"namespace", text_or_null(entry.name_space)},
          {"target", text_or_null(entry.target)},
          {"outcome", entry.outcome},
          {"before", text_or_null(entry.before)},
          {"after", text_or_null(entry.after)},
          {"digest", record.digest}};
}

}  // namespace carillon::rest
