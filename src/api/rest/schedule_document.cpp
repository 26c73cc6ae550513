#include "api/rest/documents.hpp"
#include "base/duration_text.hpp"
#include "document/document.hpp"
#include "document/member_texts.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <ranges>
#include <string_view>

namespace carillon::rest {
namespace {

namespace json = boost::json;

bool has_failed(const RunAnswer& run) {
  const RunState state = run.record.run.state;
  return run.has_run() && (state == RunState::failed || state == RunState::timed_out || state == RunState::lost);
}

json::value pause_value(const ScheduleRecord& record) {
  const ScheduleState& state = record.view.state;
  if (!state.paused_at) return {};
  const bool is_known = record.pause.has_value();
  return json::object{{"reason", is_known ? text_or_null(record.pause->reason) : json::value{}},
                      {"until", instant_or_null(state.paused_until)},
                      {"by", is_known ? text_or_null(record.pause->by) : json::value{}},
                      {"at", to_text(*state.paused_at)}};
}

json::object skipped_value(const Counts& counts) {
  json::object skipped;
  for (std::size_t i = 0; i < counts.skipped.size(); ++i)
    if (counts.skipped[i] != 0) skipped[to_text(static_cast<SkipReason>(i))] = counts.skipped[i];
  return skipped;
}

/// Of the recent runs that have ended.
json::value average_duration(const std::vector<RunAnswer>& recent) {
  Duration sum{};
  std::int64_t count = 0;
  for (const RunAnswer& run : recent) {
    if (!run.duration) continue;
    sum += *run.duration;
    ++count;
  }
  if (count == 0) return {};
  return json::value(std::chrono::floor<std::chrono::milliseconds>(sum).count() / count);
}

json::value end_of(const std::vector<RunAnswer>& recent, bool (*is_wanted)(const RunAnswer&)) {
  const auto found = std::ranges::find_if(recent, is_wanted);
  return found == recent.end() ? json::value{} : instant_or_null(found->record.run.ended_at);
}

bool has_succeeded(const RunAnswer& run) { return run.has_run() && run.record.run.state == RunState::succeeded; }

json::value last_run_at(const std::vector<RunAnswer>& recent) {
  const auto found =
      std::ranges::find_if(recent, [](const RunAnswer& run) { return run.has_run() && run.record.run.started_at; });
  return found == recent.end() ? json::value{} : instant_or_null(found->record.run.started_at);
}

json::value last_error(const ScheduleAnswer& answer) {
  if (!answer.problem.empty()) return json::value(answer.problem);
  const auto failed = std::ranges::find_if(answer.recent, has_failed);
  return failed == answer.recent.end() ? json::value{} : text_or_null(failed->error);
}

json::object read_only_members(const ScheduleAnswer& answer) {
  const ScheduleRecord& record = answer.record;
  const ScheduleState& state = record.view.state;
  const Counts& counts = answer.counts;
  return {{"status", to_text(state.status)},
          {"activity", to_text(answer.activity)},
          {"pause", pause_value(record)},
          {"nextRunAt", answer.next ? json::value(to_text(answer.next->nominal)) : json::value{}},
          {"nextDueAt", answer.next ? json::value(to_text(answer.next->due)) : json::value{}},
          {"lastRunAt", last_run_at(answer.recent)},
          {"lastSuccessAt", end_of(answer.recent, has_succeeded)},
          {"lastError", last_error(answer)},
          {"running", answer.running},
          {"waiting", answer.waiting},
          {"runCount", counts.runs},
          {"successCount", counts.successes},
          {"errorCount", counts.errors},
          {"currentRepeat", counts.repeats},
          {"currentRetry", answer.current_retry},
          {"skipped", skipped_value(counts)},
          {"stats", json::object{{"totalRuns", counts.runs},
                                 {"successfulRuns", counts.successes},
                                 {"failedRuns", counts.errors},
                                 {"lastFailure", end_of(answer.recent, has_failed)},
                                 {"averageDurationMs", average_duration(answer.recent)}}},
          {"managedBy", nullptr},
          {"owner", text_or_null(record.owner)},
          {"revision", state.revision},
          {"createdAt", to_text(record.created_at)},
          {"updatedAt", to_text(record.updated_at)},
          {"warnings", warnings_document(answer.warnings)}};
}

/// Seconds of a duration text; null if there is none.
json::value seconds_of(const json::value* text) {
  if (text == nullptr || !text->is_string()) return {};
  const auto duration = parse_duration(text->get_string());
  return duration ? json::value(std::chrono::floor<std::chrono::seconds>(*duration).count()) : json::value{};
}

const json::value* at(const json::value& root, std::string_view pointer) {
  boost::system::error_code missing;
  return root.find_pointer(pointer, missing);
}

json::value copy_of(const json::value* value) { return value == nullptr ? json::value{} : *value; }

/// The members that clients of flat schedules know.
json::object flat_members(const std::string& document) {
  const auto parsed = parse_json(document);
  if (!parsed) return {};
  const json::value& root = *parsed;
  const json::value* crons = at(root, "/spec/cron");
  const bool has_cron = crons != nullptr && crons->is_array() && !crons->get_array().empty();
  const json::value* attempts = at(root, "/policies/retry/maxAttempts");
  return {{"cronExpr", has_cron ? crons->get_array().front() : json::value{}},
          {"intervalSeconds", seconds_of(at(root, "/spec/intervals/0/every"))},
          {"jobType", copy_of(at(root, "/action/job/type"))},
          {"jobPayload", copy_of(at(root, "/action/job/payload"))},
          {"jobPriority", copy_of(at(root, "/action/job/priority"))},
          {"timezone", copy_of(at(root, "/spec/timezone"))},
          {"workflowId", copy_of(at(root, "/action/job/payload/workflowId"))},
          {"triggerNodeId", copy_of(at(root, "/action/job/payload/triggerNodeId"))},
          {"totalRepeats", copy_of(at(root, "/policies/totalRepeats"))},
          {"maxRetries",
           attempts != nullptr && attempts->is_int64() ? json::value(attempts->get_int64() - 1) : json::value{}},
          {"timeoutSeconds", seconds_of(at(root, "/policies/timeout"))},
          {"triggerPayload", copy_of(at(root, "/action/job/payload/payload"))}};
}

/// The stored members as they were written, but for `enabled`, which says what the schedule is now.
void append_definition(std::string& out, const ScheduleRecord& record) {
  const bool is_enabled = record.view.state.status != ScheduleStatus::disabled;
  const auto members = member_texts(record.document);
  // One that cannot be read still has a name.
  if (!members || members->empty())
    out += fmt::format(R"("id":"{}","namespace":"{}")", record.key.id.text(), record.key.name_space.text());
  if (!members) return;
  bool is_first = true;
  for (const MemberText& member : *members) {
    if (!is_first) out += ',';
    is_first = false;
    const bool is_status = member.key == "enabled";
    out.append("\"").append(member.key).append("\":");
    out.append(is_status ? std::string_view{is_enabled ? "true" : "false"} : member.value);
  }
}

json::array recent_documents(const std::vector<RunAnswer>& runs, std::size_t count) {
  json::array recent;
  for (const RunAnswer& run : runs | std::views::take(count)) recent.push_back(short_run_document(run));
  return recent;
}

void append_members(std::string& out, const json::object& members) {
  const std::string text = json::serialize(members);
  if (members.empty()) return;
  out += ',';
  out.append(text, 1, text.size() - 2);
}

}  // namespace

void append_schedule(std::string& out, const ScheduleAnswer& answer, const ScheduleForm& form) {
  const std::string& document = answer.record.document;
  out += '{';
  append_definition(out, answer.record);
  append_members(out, read_only_members(answer));
  if (form.is_flat) append_members(out, flat_members(document));
  if (form.recent_count > 0) append_members(out, {{"recent", recent_documents(answer.recent, form.recent_count)}});
  if (form.is_whole) {
    json::array recent;
    for (const RunAnswer& run : answer.recent) recent.push_back(run_document(run));
    json::array upcoming;
    for (const PlannedStart& start : answer.upcoming) upcoming.push_back(start_document(start));
    append_members(out, {{"recentRuns", std::move(recent)}, {"upcoming", std::move(upcoming)}});
  }
  out += '}';
}

std::string schedule_text(const ScheduleAnswer& answer, const ScheduleForm& form) {
  std::string text;
  append_schedule(text, answer, form);
  return text;
}

}  // namespace carillon::rest
