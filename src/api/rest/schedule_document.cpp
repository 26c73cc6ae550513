#include "api/rest/documents.hpp"
#include "base/duration_text.hpp"
#include "document/document.hpp"
#include "document/member_texts.hpp"
#include "document/object_text.hpp"
#include "service/managed_definition.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <functional>
#include <ranges>
#include <string_view>
#include <utility>

namespace carillon::rest {
namespace {

namespace json = boost::json;

bool has_failed(const RunAnswer& run) {
  const RunState state = run.record.run.state;
  return run.has_run() && (state == RunState::failed || state == RunState::timed_out || state == RunState::lost);
}

std::string text_if(const std::optional<Instant>& instant) { return instant ? to_text(*instant) : std::string{}; }

void append_pause(ObjectText& members, const ScheduleRecord& record) {
  const ScheduleState& state = record.view.state;
  if (!state.paused_at) {
    members.null("pause");
    return;
  }
  const bool is_known = record.pause.has_value();
  ObjectText{members.value_of("pause")}
      .text_or_null("reason", is_known ? record.pause->reason : std::string_view{})
      .text_or_null("until", text_if(state.paused_until))
      .text_or_null("by", is_known ? record.pause->by : std::string_view{})
      .text("at", to_text(*state.paused_at))
      .end();
}

void append_skipped(ObjectText& members, const Counts& counts) {
  ObjectText skipped{members.value_of("skipped")};
  for (std::size_t i = 0; i < counts.skipped.size(); ++i)
    if (counts.skipped[i] != 0) skipped.number(to_text(static_cast<SkipReason>(i)), counts.skipped[i]);
  skipped.end();
}

/// Of the recent runs that have ended.
std::optional<std::int64_t> average_duration(const std::vector<RunAnswer>& recent) {
  Duration sum{};
  std::int64_t count = 0;
  for (const RunAnswer& run : recent) {
    if (!run.duration) continue;
    sum += *run.duration;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return std::chrono::floor<std::chrono::milliseconds>(sum).count() / count;
}

std::string end_of(const std::vector<RunAnswer>& recent, bool (*is_wanted)(const RunAnswer&)) {
  const auto found = std::ranges::find_if(recent, is_wanted);
  return found == recent.end() ? std::string{} : text_if(found->record.run.ended_at);
}

bool has_succeeded(const RunAnswer& run) { return run.has_run() && run.record.run.state == RunState::succeeded; }

std::string last_run_at(const std::vector<RunAnswer>& recent) {
  const auto found =
      std::ranges::find_if(recent, [](const RunAnswer& run) { return run.has_run() && run.record.run.started_at; });
  return found == recent.end() ? std::string{} : text_if(found->record.run.started_at);
}

std::string_view last_error(const ScheduleAnswer& answer) {
  if (!answer.problem.empty()) return answer.problem;
  const auto failed = std::ranges::find_if(answer.recent, has_failed);
  return failed == answer.recent.end() ? std::string_view{} : failed->error;
}

void append_stats(ObjectText& members, const ScheduleAnswer& answer) {
  ObjectText{members.value_of("stats")}
      .number("totalRuns", answer.counts.runs)
      .number("successfulRuns", answer.counts.successes)
      .number("failedRuns", answer.counts.errors)
      .text_or_null("lastFailure", end_of(answer.recent, has_failed))
      .number_or_null("averageDurationMs", average_duration(answer.recent))
      .end();
}

/// Behind the definition: what users cannot write.
void append_read_only(ObjectText& members, const ScheduleAnswer& answer) {
  const ScheduleRecord& record = answer.record;
  const ScheduleState& state = record.view.state;
  const Counts& counts = answer.counts;
  members.text("status", to_text(state.status)).text("activity", to_text(answer.activity));
  append_pause(members, record);
  members.text_or_null("nextRunAt", answer.next ? to_text(answer.next->nominal) : std::string{})
      .text_or_null("nextDueAt", answer.next ? to_text(answer.next->due) : std::string{})
      .text_or_null("lastRunAt", last_run_at(answer.recent))
      .text_or_null("lastSuccessAt", end_of(answer.recent, has_succeeded))
      .text_or_null("lastError", last_error(answer))
      .number("running", answer.running)
      .number("waiting", answer.waiting)
      .number("runCount", counts.runs)
      .number("successCount", counts.successes)
      .number("errorCount", counts.errors)
      .number("currentRepeat", counts.repeats)
      .number("currentRetry", answer.current_retry);
  if (answer.remaining_starts) members.number("remainingStarts", *answer.remaining_starts);
  append_skipped(members, counts);
  append_stats(members, answer);
  members.text_or_null("managedBy", managed_by(record.document))
      .text_or_null("owner", record.owner)
      .number("revision", state.revision)
      .text("createdAt", to_text(record.created_at))
      .text("updatedAt", to_text(record.updated_at));
  append_warnings(members.value_of("warnings"), answer.reading->findings, answer.source_findings);
}

void append_upcoming(ObjectText& members, const std::vector<PlannedStart>& starts) {
  std::string& out = members.value_of("upcoming");
  out += '[';
  for (const PlannedStart& start : starts) {
    if (&start != &starts.front()) out += ',';
    ObjectText{out}
        .text("nominal", to_text(start.nominal))
        .text("due", to_text(start.due))
        .text("local", start.local)
        .end();
  }
  out += ']';
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

/// The stored members as they were written, but for `enabled` and `notes`, which say what the schedule is now.
void append_members(std::string& out, const ScheduleRecord& record, std::string_view enabled) {
  const auto members = member_texts(record.document);
  // One that cannot be read still has a name.
  if (!members || members->empty())
    out += fmt::format(R"("id":"{}","namespace":"{}")", record.key.id.text(), record.key.name_space.text());
  if (!members) return;
  bool is_first = true;
  for (const MemberText& member : *members) {
    const bool is_note = member.key == "notes" && record.note;
    if (is_note) continue;
    if (!is_first) out += ',';
    is_first = false;
    const bool is_status = member.key == "enabled";
    out.append("\"").append(member.key).append("\":");
    out.append(is_status ? enabled : member.value);
  }
  if (record.note) ObjectText{out, !is_first}.text("notes", *record.note);
}

void append_definition(std::string& out, const ScheduleAnswer& answer) {
  const ScheduleRecord& record = answer.record;
  const std::string_view text = record.document;
  const std::string_view enabled = record.view.state.status == ScheduleStatus::disabled ? "false" : "true";
  // A text that could be compiled is whole: what stands before and behind `enabled` is handed on without a look.
  const bool is_as_written = answer.definition && !record.note;
  const auto word = is_as_written ? find_member(text, "enabled") : std::nullopt;
  if (!word || !text.starts_with('{') || !text.ends_with('}')) return append_members(out, record, enabled);
  const auto place = static_cast<std::size_t>(word->data() - text.data());
  out.append(text.substr(1, place - 1)).append(enabled);
  const std::size_t behind = place + word->size();
  out.append(text.substr(behind, text.size() - 1 - behind));
}

json::array recent_documents(const std::vector<RunAnswer>& runs, std::size_t count) {
  json::array recent;
  for (const RunAnswer& run : runs | std::views::take(count)) recent.push_back(short_run_document(run));
  return recent;
}

void append_flat(ObjectText& members, const std::string& document) {
  for (const auto& [key, value] : flat_members(document)) members.json(key, json::serialize(value));
}

}  // namespace

void append_warnings(std::string& out, std::span<const Finding> findings, std::span<const Finding> more) {
  out += '[';
  auto append = [&out, is_first = true](const Finding& finding) mutable {
    if (!std::exchange(is_first, false)) out += ',';
    ObjectText{out}
        .text("code", finding.code)
        .text("severity", finding.severity == Severity::error ? "error" : "warning")
        .text("message", finding.message)
        .text_or_null("fix", finding.fix)
        .text_or_null("at", text_if(finding.at))
        .text("pointer", finding.pointer)
        .end();
  };
  std::ranges::for_each(findings, std::ref(append));
  std::ranges::for_each(more, std::ref(append));
  out += ']';
}

void append_schedule(std::string& out, const ScheduleAnswer& answer, const ScheduleForm& form) {
  out += '{';
  append_definition(out, answer);
  ObjectText members{out, true};
  append_read_only(members, answer);
  if (form.is_flat) append_flat(members, answer.record.document);
  if (form.has_sentence) members.text("sentence", answer.reading->sentence);
  if (form.recent_count > 0)
    members.json("recent", json::serialize(recent_documents(answer.recent, form.recent_count)));
  if (form.is_whole) {
    json::array recent;
    for (const RunAnswer& run : answer.recent) recent.push_back(run_document(run));
    members.json("recentRuns", json::serialize(recent));
    append_upcoming(members, answer.upcoming);
  }
  members.end();
}

std::string schedule_text(const ScheduleAnswer& answer, const ScheduleForm& form) {
  constexpr std::size_t usual_rest_size = 2'048;
  std::string text;
  text.reserve(answer.record.document.size() + usual_rest_size);
  append_schedule(text, answer, form);
  return text;
}

}  // namespace carillon::rest
