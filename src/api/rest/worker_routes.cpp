#include "api/rest/documents.hpp"
#include "api/rest/routes.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace carillon::rest {
namespace {

namespace json = boost::json;

std::string text_of(const std::vector<ClaimedJob>& jobs) {
  std::string text = R"({"jobs":[)";
  for (const ClaimedJob& job : jobs) {
    if (text.back() != '[') text += ',';
    json::object head{{"runId", job.run_id},
                      {"attempt", job.attempt},
                      {"type", job.type},
                      {"queue", job.queue},
                      {"leaseUntil", to_text(job.lease_until)},
                      {"timeoutMs", nullptr},
                      {"graceMs", std::chrono::floor<std::chrono::milliseconds>(job.grace).count()}};
    if (job.timeout) head["timeoutMs"] = std::chrono::floor<std::chrono::milliseconds>(*job.timeout).count();
    // The envelope goes out as it is: reading it would round large numbers.
    text += json::serialize(head);
    text.pop_back();
    text.append(R"(,"envelope":)").append(job.envelope).append("}");
  }
  return text + "]}";
}

std::vector<std::string> names_in(ObjectReader& reader, std::string_view key) {
  std::vector<std::string> names;
  const json::value* list = reader.member(key);
  if (list == nullptr) return names;
  const auto is_text = [](const json::value& item) { return item.is_string(); };
  if (!list->is_array() || !std::ranges::all_of(list->get_array(), is_text)) {
    reader.problem(key, "wrong-type", fmt::format("{} must be a list of names", key));
    return names;
  }
  for (const json::value& item : list->get_array()) names.emplace_back(item.get_string());
  return names;
}

/// What both ends of an attempt name.
HeldAttempt attempt_in(ObjectReader& reader) {
  HeldAttempt held;
  if (const auto run = reader.text("runId"))
    held.run_id = *run;
  else if (reader.member("runId") == nullptr)
    reader.problem("runId", "missing", "runId is missing");
  if (const auto attempt = reader.integer("attempt"))
    held.attempt = *attempt;
  else if (reader.member("attempt") == nullptr)
    reader.problem("attempt", "missing", "attempt is missing");
  return held;
}

constexpr std::size_t held_count_max = 10'000;

/// What a worker says it has; none if it does not say.
std::optional<std::vector<HeldAttempt>> held_in(ObjectReader& reader, Problems& problems) {
  const json::value* list = reader.member("holds");
  if (list == nullptr) return std::nullopt;
  std::vector<HeldAttempt> holds;
  if (!list->is_array() || list->get_array().size() > held_count_max) {
    reader.problem("holds", "wrong-type",
                   "holds must be a list of at most 10000 attempts, each with runId and attempt");
    return holds;
  }
  for (const json::value& item : list->get_array()) {
    ObjectReader each{item, fmt::format("{}/{}", reader.pointer("holds"), holds.size()), problems};
    HeldAttempt held = attempt_in(each);
    each.finish();
    holds.push_back(std::move(held));
  }
  return holds;
}

}  // namespace

Served<Reply> list_workers(Call& call) {
  TRY(call.parameters.finish());
  json::array items;
  for (const WorkerRecord& worker : TRY(call.application.system().workers(call.caller)))
    items.push_back(
        json::object{{"name", worker.name}, {"leaseUntil", to_text(worker.lease_until)}, {"running", worker.running}});
  return Reply{.body = json::serialize(json::object{{"items", std::move(items)}})};
}

Served<Reply> open_worker(Call& call) {
  TRY(call.parameters.finish());
  const auto body = TRY(call.body());
  Problems problems;
  refuse_nulls(body, "", problems);
  ObjectReader reader{body, "", problems};
  OpenWorkerRequest request;
  if (const auto name = reader.text("name")) request.name = *name;
  if (const auto lease = reader.duration("lease")) request.lease = *lease;
  request.queues = names_in(reader, "queues");
  request.types = names_in(reader, "types");
  request.tags = names_in(reader, "tags");
  reader.finish();
  if (!problems.empty()) return std::unexpected(Refusal{std::move(problems)});
  const WorkerSession session = TRY(call.application.workers().open(call.caller, request));
  return Reply{
      .status = 201,
      .body = json::serialize(json::object{{"worker", session.id}, {"leaseUntil", to_text(session.lease_until)}})};
}

Served<JobClaim> job_claim_in(Call& call) {
  TRY(call.parameters.finish());
  const auto body = TRY(call.body());
  Problems problems;
  refuse_nulls(body, "", problems);
  ObjectReader reader{body, "", problems};
  const auto count = reader.integer("count").value_or(1);
  const auto wait = reader.duration("wait");
  auto holds = held_in(reader, problems);
  if (count < 1 || count > 1'000)
    reader.problem("count", "out-of-range", "count is out of range", "write a whole number from 1 to 1000");
  reader.finish();
  if (!problems.empty()) return std::unexpected(Refusal{std::move(problems)});
  return JobClaim{.session = call.ids.front(),
                  .count_max = static_cast<std::size_t>(count),
                  .holds = std::move(holds),
                  .wait = wait.value_or(Duration{})};
}

Reply claimed_jobs_reply(const std::vector<ClaimedJob>& jobs) { return {.body = text_of(jobs)}; }

Served<Reply> beat_worker(Call& call) {
  TRY(call.parameters.finish());
  const auto body = TRY(call.body());
  Problems problems;
  ObjectReader reader{body, "", problems};
  const auto holds = held_in(reader, problems);
  reader.finish();
  if (!problems.empty()) return std::unexpected(Refusal{std::move(problems)});
  const WorkerPulse pulse = TRY(call.application.workers().heartbeat(call.caller, call.ids.front(), holds));
  json::array stops;
  for (const WorkerPulse::StopOrder& stop : pulse.stops)
    stops.push_back(json::object{{"runId", stop.run_id},
                                 {"attempt", stop.attempt},
                                 {"how", stop.how == Stop::terminate ? "terminate" : "cancel"}});
  return Reply{
      .body = json::serialize(json::object{{"leaseUntil", to_text(pulse.lease_until)}, {"stop", std::move(stops)}})};
}

Served<Reply> complete_job(Call& call) {
  TRY(call.parameters.finish());
  const auto body = TRY(call.body());
  Problems problems;
  ObjectReader reader{body, "", problems};
  const HeldAttempt attempt = attempt_in(reader);
  AttemptEnd end;
  if (const json::value* result = reader.member("result")) end.result = json::serialize(*result);
  reader.finish();
  if (!problems.empty()) return std::unexpected(Refusal{std::move(problems)});
  TRY(call.application.workers().finish(call.caller, call.ids.front(), attempt, std::move(end)));
  return Reply{.status = 204};
}

Served<Reply> fail_job(Call& call) {
  TRY(call.parameters.finish());
  const auto body = TRY(call.body());
  Problems problems;
  ObjectReader reader{body, "", problems};
  const HeldAttempt attempt = attempt_in(reader);
  AttemptEnd end{.outcome = AttemptOutcome::failed};
  if (const auto error = reader.text("error")) end.error = *error;
  if (reader.boolean("timedOut").value_or(false)) end.outcome = AttemptOutcome::timed_out;
  if (reader.boolean("cancelled").value_or(false)) end.outcome = AttemptOutcome::cancelled;
  end.retry_after = reader.duration("retryAfter");
  reader.finish();
  if (!problems.empty()) return std::unexpected(Refusal{std::move(problems)});
  TRY(call.application.workers().finish(call.caller, call.ids.front(), attempt, std::move(end)));
  return Reply{.status = 204};
}

Served<Reply> append_job_log(Call& call) {
  const auto run = call.parameters.text("runId");
  const auto attempt = call.parameters.integer("attempt", 1, 1'000'000);
  if (!run) call.parameters.fault("runId", "runId is missing");
  if (!attempt) call.parameters.fault("attempt", "attempt is missing");
  TRY(call.parameters.finish());
  TRY(call.application.workers().append_log(call.caller, call.ids.front(), *run, *attempt, call.request.body));
  return Reply{.status = 204};
}

Served<Reply> close_worker(Call& call) {
  TRY(call.parameters.finish());
  TRY(call.application.workers().close(call.caller, call.ids.front()));
  return Reply{.status = 204};
}

}  // namespace carillon::rest
