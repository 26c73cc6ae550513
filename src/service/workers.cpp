#include "service/workers.hpp"

#include "base/assertion.hpp"
#include "base/crypto.hpp"
#include "base/quoted.hpp"
#include "definitions/action_document.hpp"
#include "definitions/policies_document.hpp"
#include "document/document.hpp"
#include "scheduling/assignment.hpp"
#include "scheduling/envelope.hpp"
#include "scheduling/run_finisher.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>
#include <ranges>
#include <span>
#include <utility>

namespace carillon {
namespace {

namespace json = boost::json;

constexpr Duration lease_min = std::chrono::seconds{5};
constexpr Duration lease_max = std::chrono::hours{1};
constexpr std::size_t queue_count_max = 100;
constexpr std::size_t queues_size_max = 4'000;  // of all names: they are a part of the address of a session
constexpr std::size_t claim_count_max = 1'000;

std::unexpected<Refusal> is_over(std::string_view session) {
  return std::unexpected(Refusal{Refusal::Kind::not_found, "session_over",
                                 fmt::format("worker session {} has ended", quoted(session)), "open a new one"});
}

std::unexpected<Refusal> not_yours(std::string_view run_id) {
  return refuse(Refusal::Kind::ended, "not_yours", "this attempt of run {} no longer belongs to this worker",
                quoted(run_id));
}

// An id is `w-` and, in hexadecimal, the number of the session, a seal, and what it takes: the names of its queues, its
// types and its tags.
constexpr std::string_view id_prefix = "w-";
constexpr std::size_t number_length = 16;
constexpr std::size_t seal_size = 16;
constexpr std::size_t seal_length = 2 * seal_size;
constexpr char name_separator = ',';
constexpr char list_separator = '\n';  // in no name

/// From what makes the ids of runs: the numbers that no run has, as nobody else can write them.
std::string seal_key(const RunIds& run_ids) {
  std::string secret{"worker sessions"};
  for (const std::int64_t number : {-1, -2, -3, -4}) secret.append(run_ids.id_of(Seq{number}));
  return sha256(secret);
}

std::optional<SessionId> session_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return SessionId{static_cast<std::int64_t>(number)};
}

/// The names of a list that begins with `what`; a refusal says what is wrong with one of them.
Served<std::string> joined_names(std::string_view what, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    const bool is_name = what == "types"
                             ? !name.empty() && !name.contains(name_separator) && !name.contains(list_separator)
                             : is_id_text(name);
    if (!is_name) return refuse(Refusal::Kind::invalid, "invalid", "{}: {} is not a name", what, quoted(name));
    if (!text.empty()) text += name_separator;
    text += name;
  }
  return text;
}

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  if (text.empty()) return names;
  for (const auto name : std::views::split(text, name_separator)) names.emplace_back(name.begin(), name.end());
  return names;
}

/// What a job without a schedule brings along itself.
struct OwnWork {
  JobAction action;
  Policies policies;
};

Served<OwnWork> work_of(const QueuedRun& row) {
  const auto document = parse_json(row.payload.value_or("null"));
  Problems problems;
  if (!document || !document->is_object()) return refuse(Refusal::Kind::internal, "internal", "cannot read a job");
  const json::object& members = document->get_object();
  OwnWork work;
  if (const json::value* action = members.if_contains("action"))
    if (const auto read = read_action(*action, "", problems))
      if (const auto* job = std::get_if<JobAction>(&*read)) work.action = *job;
  if (const json::value* policies = members.if_contains("policies"))
    work.policies = read_policies(*policies, "", problems);
  if (!problems.empty()) return refuse(Refusal::Kind::internal, "internal", "cannot read a job");
  return work;
}

Envelope envelope_of_job(const ClaimedRun& claimed, const JobAction& action, std::string run_id) {
  const QueuedRun& row = claimed.row;
  return {.name_space = {},
          .schedule_id = {},
          .schedule_name = {},
          .run_id = std::move(run_id),
          .run_name = row.trigger,
          .nominal = row.nominal,
          .due = row.due,
          .attempt = row.run.attempt,
          .source = row.source,
          .fence = claimed.fence,
          .last_result = {},
          .payload = json::serialize(action.payload)};
}

}  // namespace

Workers::Workers(const ServiceParts& parts) : parts_{parts}, key_{seal_key(parts.run_ids)} {}

Served<WorkerSession> Workers::open(const Caller& caller, const OpenWorkerRequest& request) {
  if (request.name.empty() || request.name.size() > 200)
    return refuse(Refusal::Kind::invalid, "invalid", "name must have 1 to 200 bytes");
  if (request.queues.empty() || request.queues.size() > queue_count_max)
    return refuse(Refusal::Kind::invalid, "invalid", "queues must have 1 to {} names", queue_count_max);
  if (request.lease < lease_min || request.lease > lease_max)
    return refuse(Refusal::Kind::invalid, "invalid", "lease must be between 5s and 1h");
  // What the server performs itself is not for others: the names of those queues are no ids.
  std::string queues = TRY(joined_names("queues", request.queues));
  const std::string types = TRY(joined_names("types", request.types));
  const std::string tags = TRY(joined_names("tags", request.tags));
  if (!types.empty() || !tags.empty()) queues += list_separator + types + list_separator + tags;
  if (queues.size() > queues_size_max)
    return refuse(Refusal::Kind::invalid, "invalid", "the names of queues, types and tags have {} bytes, more than {}",
                  queues.size(), queues_size_max);
  TRY(caller.namespace_of(std::nullopt));
  const SessionId id = TRY(parts_.store.runs.open_session(request.name, request.lease));
  const Instant until = TRY(parts_.store.runs.store_now()) + request.lease;
  const std::string sealed = fmt::format("{}{:016x}{}{}", id_prefix, static_cast<std::uint64_t>(id),
                                         to_hex(seal_of(caller, id, queues)), to_hex(queues));
  note_presence(TRY(find(caller, sealed)), request.lease);
  return WorkerSession{.id = sealed, .lease_until = until};
}

/// Of all that an id says and of whose it is.
std::string Workers::seal_of(const Caller& caller, SessionId id, std::string_view queues) const {
  const std::string said = fmt::format("{}\n{}\n{}", static_cast<std::int64_t>(id), queues, caller.actor);
  return hmac_sha256(key_, said).substr(0, seal_size);
}

Served<Workers::Session> Workers::find(const Caller& caller, std::string_view session) const {
  if (session.size() < id_prefix.size() + number_length + seal_length || !session.starts_with(id_prefix))
    return is_over(session);
  const std::string_view digits = session.substr(id_prefix.size());
  const auto id = session_number(digits.substr(0, number_length));
  const auto seal = from_hex(digits.substr(number_length, seal_length));
  const auto queues = from_hex(digits.substr(number_length + seal_length));
  if (!id || !seal || !queues) return is_over(session);
  if (!are_equal_secrets(*seal, seal_of(caller, *id, *queues))) return is_over(session);
  const NamespaceId name_space = TRY(caller.namespace_of(std::nullopt));
  std::vector<std::string> lists;
  for (const auto list : std::views::split(*queues, list_separator)) lists.emplace_back(list.begin(), list.end());
  lists.resize(3);
  Session found{.id = *id, .queues = {}, .skills = {.types = names_in(lists[1]), .tags = names_in(lists[2])}};
  for (const std::string& queue : names_in(lists[0])) found.queues.push_back(queue_name(name_space, queue));
  return found;
}

Served<ClaimedJob> Workers::job_of(const ClaimedRun& claimed) {
  const QueuedRun& row = claimed.row;
  ClaimedJob job{.run_id = parts_.run_ids.id_of(row.seq),
                 .attempt = row.run.attempt,
                 .type = {},
                 .queue = std::string{queue_of_lane(row.queue)},
                 .envelope = {},
                 .lease_until = claimed.lease_until};
  if (row.uid == Uid{}) {
    const OwnWork work = TRY(work_of(row));
    job.type = work.action.type;
    job.timeout = work.policies.timeout;
    job.grace = work.policies.grace;
    job.envelope = TRY(to_json(envelope_of_job(claimed, work.action, job.run_id)));
    return job;
  }
  const DefinitionPtr definition = TRY(parts_.definitions.now()->get({.uid = row.uid, .revision = row.revision}));
  const auto* action = std::get_if<JobAction>(&definition->action);
  if (action == nullptr) return refuse(Refusal::Kind::internal, "internal", "a run in this queue is not a job");
  job.type = action->type;
  job.timeout = definition->policies.timeout;
  job.grace = definition->policies.grace;
  job.envelope = TRY(to_json(envelope_of(claimed, *definition, job.run_id)));
  return job;
}

Served<std::vector<ClaimedJob>> Workers::claim(const Caller& caller, const std::string& session, std::size_t count_max,
                                               const std::optional<std::vector<HeldAttempt>>& holds) {
  const Session own = TRY(find(caller, session));
  // To ask for work is a sign of life. Before the claim: what fails here leaves nothing behind.
  if (const auto alive = beat(own, holds, Missing::left); !alive) {
    if (alive.error().kind == Refusal::Kind::not_found) return is_over(session);
    return std::unexpected(alive.error());
  }
  const auto claimed = parts_.store.runs.claim({.session = own.id,
                                                .queues = own.queues,
                                                .count_max = std::min(count_max, claim_count_max),
                                                .skills = own.skills});
  if (!claimed && claimed.error().code == ErrorCode::not_found) return is_over(session);
  if (!claimed) return std::unexpected(Refusal{claimed.error()});
  std::vector<ClaimedJob> jobs;
  std::vector<Finish> broken;
  for (const ClaimedRun& run : claimed->runs) {
    auto job = job_of(run);
    if (!job) {
      // One that cannot be handed out must not keep its place until the session ends.
      broken.push_back({.run = run.row, .end = {.outcome = AttemptOutcome::failed, .error = job.error().message}});
      continue;
    }
    jobs.push_back(*std::move(job));
    handed_out_.note_claim({run.row.seq, run.row.run.attempt}, claimed->store_now, parts_.clock.since_boot());
  }
  // If it cannot be written now, the worker does not know of it, and it is given up as such.
  if (!broken.empty()) static_cast<void>(RunFinisher{parts_.store.runs, *parts_.definitions.now()}.finish(broken));
  return jobs;
}

Served<WorkerPulse> Workers::heartbeat(const Caller& caller, const std::string& session,
                                       const std::optional<std::vector<HeldAttempt>>& holds) {
  const Session own = TRY(find(caller, session));
  const auto pulse = beat(own, holds, Missing::given_up);
  if (!pulse && pulse.error().kind == Refusal::Kind::not_found) return is_over(session);
  if (!pulse) return std::unexpected(pulse.error());
  WorkerPulse answer{.lease_until = pulse->lease_until, .stops = {}};
  for (const StopRequest& stop : pulse->stops)
    answer.stops.push_back({.run_id = parts_.run_ids.id_of(stop.seq), .attempt = stop.attempt, .how = stop.how});
  return answer;
}

Served<QueuedRun> Workers::held(const Session& session, const std::string& run_id, std::int64_t attempt) {
  const auto seq = parts_.run_ids.run_of(run_id);
  if (!seq) return no_run(run_id);
  auto rows = TRY(parts_.store.runs.read_runs(std::span{&*seq, 1}));
  if (!rows.front()) return no_run(run_id);
  QueuedRun row = *std::move(rows.front());
  const bool is_own = row.session == session.id && row.run.attempt == attempt && row.run.state == RunState::running;
  if (!is_own) return not_yours(run_id);
  return row;
}

Served<> Workers::finish(const Caller& caller, const std::string& session, const HeldAttempt& attempt, AttemptEnd end) {
  const Session own = TRY(find(caller, session));
  if (end.result && end.result->size() > run_result_size_max)
    return refuse(Refusal::Kind::too_large, "too_large", "a result may have at most {} bytes", run_result_size_max);
  QueuedRun row = TRY(held(own, attempt.run_id, attempt.attempt));
  const Uid uid = row.uid;
  const AttemptKey key{.run = row.seq, .attempt = attempt.attempt};
  // That it ended is news of its launch too, if the store has not heard of that.
  if (row.run.attempt_state == AttemptState::claimed)
    end.launched_at = handed_out_.claimed_at(key).value_or(TRY(parts_.store.runs.store_now()));
  // A cancelled one that says it failed has done what it was asked to.
  if (row.run.stop != Stop::none && end.outcome == AttemptOutcome::failed) end.outcome = AttemptOutcome::cancelled;
  const Finish finish{.run = std::move(row), .end = std::move(end)};
  RunFinisher finisher{parts_.store.runs, *parts_.definitions.now()};
  const auto outcomes = TRY(finisher.finish(std::span{&finish, 1}));
  handed_out_.forget(key);
  if (outcomes.front() == RunWritten::refused) return not_yours(attempt.run_id);
  static_cast<void>(parts_.logs.close(uid, key));
  return {};
}

Served<> Workers::append_log(const Caller& caller, const std::string& session, const std::string& run_id,
                             std::int64_t attempt, std::string_view bytes) {
  const Session own = TRY(find(caller, session));
  const QueuedRun row = TRY(held(own, run_id, attempt));
  parts_.logs.append(row.uid, {.run = row.seq, .attempt = attempt}, OutputStream::out, bytes);
  return {};
}

Served<> Workers::close(const Caller& caller, const std::string& session) {
  const Session own = TRY(find(caller, session));
  TRY(parts_.store.runs.close_session(own.id));
  return {};
}

Served<Workers::Wanted> Workers::wanted_by(const Caller& caller, const std::string& session) const {
  Session own = TRY(find(caller, session));
  return Wanted{.queues = std::move(own.queues), .skills = std::move(own.skills)};
}

Served<Duration> Workers::renew(const Caller& caller, const std::string& session) {
  const Session own = TRY(find(caller, session));
  const auto pulse = parts_.store.runs.heartbeat({.session = own.id, .launched = {}});
  if (!pulse && pulse.error().code == ErrorCode::not_found) return is_over(session);
  if (!pulse) return std::unexpected(Refusal{pulse.error()});
  note_presence(own, pulse->lease_until - pulse->store_now);
  return pulse->lease_until - pulse->store_now;
}

}  // namespace carillon
