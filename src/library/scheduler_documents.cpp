#include "library/scheduler_documents.hpp"

#include "base/duration_text.hpp"
#include "base/quoted.hpp"
#include "definitions/words.hpp"
#include "document/document.hpp"
#include "library/scheduler_answers.hpp"

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

namespace json = boost::json;

/// Documents have no negative durations to complain about.
Result<> check_duration(std::string_view member, Duration length) {
  if (length >= Duration{0}) return {};
  return fail(ErrorCode::invalid_argument, "{}: {} microseconds is negative", member, length.count());
}

json::object spec_of(const ScheduleDefinition& definition) {
  json::array crons;
  for (const std::string& cron : definition.cron) crons.push_back(json::value(cron));
  json::array intervals;
  if (definition.every) intervals.push_back(json::object{{"every", to_text(*definition.every)}});
  json::array times;
  for (const TimePoint time : definition.at) times.push_back(json::value(to_text(std::chrono::floor<Duration>(time))));
  return {{"cron", std::move(crons)},
          {"intervals", std::move(intervals)},
          {"times", std::move(times)},
          {"timezone", definition.timezone}};
}

json::object policies_of(const ScheduleDefinition& definition) {
  json::object policies{{"overlap", to_text(overlap_policy(definition.overlap))},
                        {"catchup", json::object{{"policy", to_text(catchup_policy(definition.catch_up))}}},
                        {"retry", json::object{{"maxAttempts", definition.attempt_count_max},
                                               {"initial", to_text(definition.retry_delay)}}}};
  if (definition.timeout) policies["timeout"] = to_text(*definition.timeout);
  return policies;
}

Result<ScheduleDocument> read(const json::value& document) {
  auto schedule = read_schedule(document);
  if (!schedule) return std::unexpected(to_error(schedule.error()));
  return *std::move(schedule);
}

}  // namespace

Result<ScheduleDocument> document_of(const ScheduleDefinition& definition) {
  if (definition.every) TRY(check_duration("every", *definition.every));
  if (definition.timeout) TRY(check_duration("timeout", *definition.timeout));
  TRY(check_duration("retry_delay", definition.retry_delay));
  auto payload = parse_json(definition.payload);
  if (!payload) return fail(ErrorCode::invalid_argument, "payload: {}", payload.error().message);
  json::object job{{"type", definition.handler.empty() ? definition.id : definition.handler},
                   {"payload", *std::move(payload)},
                   {"priority", definition.priority}};
  json::object document{{"id", definition.id},
                        {"description", definition.description},
                        {"enabled", definition.enabled},
                        {"spec", spec_of(definition)},
                        {"action", json::object{{"job", std::move(job)}}},
                        {"policies", policies_of(definition)}};
  if (!definition.name.empty()) document["name"] = definition.name;
  return read(document);
}

Result<ScheduleDocument> document_of(std::string_view text) {
  const auto first = std::ranges::find_if(text, [](char c) { return c != ' ' && c != '\n' && c != '\r' && c != '\t'; });
  const bool is_json = first != text.end() && *first == '{';
  const Document document = TRY(parse_document(is_json ? ".json" : ".yaml", text));
  return read(document.root);
}

Result<JobAction> job_of(const ScheduleDocument& document) {
  if (document.name_space.text() != "default")
    return fail(ErrorCode::invalid_argument, "namespace {}: an embedded scheduler has only \"default\"",
                carillon::quoted(document.name_space.text()));
  const auto* job = std::get_if<JobAction>(&document.action);
  if (job == nullptr)
    return fail(ErrorCode::invalid_argument,
                "action {}: an embedded scheduler performs jobs, by handlers; others need a server",
                kind_of(document.action));
  if (job->queue != JobAction{}.queue)
    return fail(ErrorCode::invalid_argument, "queue {}: an embedded scheduler performs jobs of queue {} only",
                carillon::quoted(job->queue), carillon::quoted(JobAction{}.queue));
  return *job;
}

}  // namespace carillon
