#include "worker/job_calls.hpp"

#include "base/duration_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>
#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace carillon {
namespace {

namespace json = boost::json;

std::string worker_path(const std::string& session, std::string_view verb) {
  return fmt::format("/workers/{}{}", path_part(session), verb);
}

json::array list_of(const std::vector<std::string>& names) {
  json::array list;
  for (const std::string& name : names) list.emplace_back(name);
  return list;
}

json::object named(const RemoteAttempt& attempt) { return {{"runId", attempt.run_id}, {"attempt", attempt.attempt}}; }

json::array named_all(const std::vector<RemoteAttempt>& attempts) {
  json::array list;
  for (const RemoteAttempt& attempt : attempts) list.push_back(named(attempt));
  return list;
}

std::unexpected<Error> unexpected_answer(std::string_view what) {
  return carillon::fail(ErrorCode::unavailable, "the server's answer has no {}: is it a carillon of this version?",
                        what);
}

const json::value* member_of(const json::value& document, std::string_view key) {
  return document.is_object() ? document.get_object().if_contains(key) : nullptr;
}

std::string text_of(const json::value& document, std::string_view key) {
  const json::value* member = member_of(document, key);
  return member != nullptr && member->is_string() ? std::string{member->get_string()} : std::string{};
}

std::optional<std::int64_t> number_of(const json::value& document, std::string_view key) {
  const json::value* member = member_of(document, key);
  if (member == nullptr || !member->is_number()) return std::nullopt;
  boost::system::error_code error;
  const auto number = member->to_number<std::int64_t>(error);
  return error ? std::nullopt : std::optional{number};
}

Result<RemoteAttempt> attempt_of(const json::value& document) {
  RemoteAttempt attempt{.run_id = text_of(document, "runId"), .attempt = number_of(document, "attempt").value_or(0)};
  if (attempt.run_id.empty() || attempt.attempt < 1) return unexpected_answer("runId and attempt");
  return attempt;
}

Result<RemoteJob> job_of(const json::value& document) {
  const json::value* envelope = member_of(document, "envelope");
  if (envelope == nullptr) return unexpected_answer("envelope");
  RemoteJob job{.key = TRY(attempt_of(document)),
                .type = text_of(document, "type"),
                .queue = text_of(document, "queue"),
                .envelope = json::serialize(*envelope)};
  if (const auto timeout = number_of(document, "timeoutMs")) job.timeout = std::chrono::milliseconds{*timeout};
  job.grace = std::chrono::milliseconds{number_of(document, "graceMs").value_or(0)};
  return job;
}

}  // namespace

JobCalls::JobCalls(Transport& transport, Endpoint endpoint)
    : transport_{transport}, client_{transport, std::move(endpoint)} {}

Result<std::string> JobCalls::open(const WorkerIntroduction& introduction) {
  json::object body{
      {"name", introduction.name}, {"queues", list_of(introduction.queues)}, {"lease", to_text(introduction.lease)}};
  if (!introduction.types.empty()) body["types"] = list_of(introduction.types);
  if (!introduction.tags.empty()) body["tags"] = list_of(introduction.tags);
  const ApiAnswer answer = TRY(client_.post("/workers", body));
  std::string session = text_of(answer.body, "worker");
  if (session.empty()) return unexpected_answer("worker");
  return session;
}

Result<std::vector<RemoteJob>> JobCalls::claim(const std::string& session, std::size_t count, Duration wait,
                                               const std::vector<RemoteAttempt>& holds) {
  const ApiAnswer answer =
      TRY(client_.post(worker_path(session, "/claim"),
                       json::object{{"count", count}, {"wait", to_text(wait)}, {"holds", named_all(holds)}}));
  const json::value* list = member_of(answer.body, "jobs");
  if (list == nullptr || !list->is_array()) return unexpected_answer("jobs");
  std::vector<RemoteJob> jobs;
  for (const json::value& item : list->get_array()) jobs.push_back(TRY(job_of(item)));
  return jobs;
}

Result<std::vector<RemoteStop>> JobCalls::heartbeat(const std::string& session,
                                                    const std::vector<RemoteAttempt>& holds) {
  const ApiAnswer answer =
      TRY(client_.post(worker_path(session, "/heartbeat"), json::object{{"holds", named_all(holds)}}));
  std::vector<RemoteStop> stops;
  const json::value* list = member_of(answer.body, "stop");
  if (list == nullptr || !list->is_array()) return unexpected_answer("stop");
  for (const json::value& item : list->get_array())
    stops.push_back({.key = TRY(attempt_of(item)), .is_by_force = text_of(item, "how") == "terminate"});
  return stops;
}

Result<> JobCalls::complete(const std::string& session, const RemoteAttempt& attempt) {
  TRY(client_.post(worker_path(session, "/complete"), named(attempt)));
  return {};
}

Result<> JobCalls::fail(const std::string& session, const RemoteAttempt& attempt, const RemoteFailure& failure) {
  json::object body = named(attempt);
  body["error"] = failure.error;
  if (failure.is_timed_out) body["timedOut"] = true;
  if (failure.is_cancelled) body["cancelled"] = true;
  TRY(client_.post(worker_path(session, "/fail"), body));
  return {};
}

Result<> JobCalls::append_log(const std::string& session, const RemoteAttempt& attempt, std::string_view bytes) {
  const Endpoint& endpoint = client_.endpoint();
  ServerRequest request{
      .method = "POST",
      .url = fmt::format("{}/api/v1{}?runId={}&attempt={}", endpoint.url, worker_path(session, "/logs"),
                         path_part(attempt.run_id), attempt.attempt),
      .headers = {{"Authorization", "Bearer " + endpoint.token}, {"Content-Type", "application/octet-stream"}},
      .body = std::string{bytes},
      .authority_file = endpoint.authority_file};
  const ServerAnswer answer = TRY(transport_.perform(request));
  if (!answer.is_success()) return std::unexpected(error_of(answer));
  return {};
}

Result<> JobCalls::close(const std::string& session) {
  TRY(client_.remove(worker_path(session, "")));
  return {};
}

}  // namespace carillon
