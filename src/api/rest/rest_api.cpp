#include "api/rest/rest_api.hpp"

#include "api/rest/cors.hpp"
#include "api/rest/entity_tag.hpp"
#include "api/rest/problem.hpp"
#include "api/rest/repeated_answers.hpp"
#include "api/rest/request_id.hpp"
#include "base/duration_text.hpp"
#include "base/quoted.hpp"
#include "document/document.hpp"
#include "document/json_pointer.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <iterator>
#include <limits>
#include <span>

namespace carillon::rest {
namespace {

namespace json = boost::json;

/// Wrong tokens from one address, a second and at once; beyond it is told to slow down.
constexpr double failures_per_second = 1;
constexpr double failures_at_once = 20;
constexpr std::size_t key_length_max = 255;
constexpr Duration wait_max = std::chrono::seconds{30};

bool is_write(http::Method method) { return method != http::Method::get && method != http::Method::head; }

bool is_json(std::string_view type) {
  const std::string_view essence = type.substr(0, type.find(';'));
  const auto trimmed = essence.substr(0, essence.find_last_not_of(" \t") + 1);
  return http::equal_ignoring_case(trimmed, "application/json") ||
         http::equal_ignoring_case(trimmed, "application/merge-patch+json");
}

/// A body where none is expected says something that would be passed over.
Served<> check_body(const Call& call, const Route& route) {
  if (route.traits.takes_body || route.traits.takes_bytes || call.request.body.empty()) return {};
  const json::value body = TRY(call.body());
  Problems problems;
  ObjectReader{body, "", problems}.finish();
  if (problems.empty()) return {};
  return std::unexpected(Refusal{std::move(problems)});
}

/// Who has the answer already is told only that.
Reply unless_known(Reply reply, const http::Request& request) {
  if (is_write(request.method) || reply.status != 200) return reply;
  const auto tag = std::ranges::find_if(reply.headers, [](const auto& header) { return header.first == "ETag"; });
  if (tag == reply.headers.end() || !is_known_already(request, tag->second)) return reply;
  return {.status = 304, .headers = {*tag}};
}

http::Response response_of(Reply reply) {
  http::Response response{.status = reply.status,
                          .headers = std::move(reply.headers),
                          .body = std::move(reply.body),
                          .on_sent = std::move(reply.on_sent)};
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(response.headers,
                               [&](const auto& header) { return http::equal_ignoring_case(header.first, name); });
  };
  if (!response.body.empty() && !has("Content-Type")) response.headers.emplace_back("Content-Type", "application/json");
  if (!has("Cache-Control")) response.headers.emplace_back("Cache-Control", "no-store");
  if (!has("X-Content-Type-Options")) response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  return response;
}

Reply no_jobs() { return {.body = R"({"jobs":[]})"}; }

std::string_view bearer_of(const http::Request& request) {
  constexpr std::string_view scheme = "Bearer ";
  const std::string_view header = request.headers.find("Authorization").value_or("");
  const bool is_bearer =
      header.size() > scheme.size() && http::equal_ignoring_case(header.substr(0, scheme.size()), scheme);
  return is_bearer ? header.substr(scheme.size()) : std::string_view{};
}

/// Answers itself what it can; what a task throws beside that is a fault of ours.
TaskThreads::OnFailure failure_log(Log& log) {
  return [&log](std::string_view what) { log.error("request failed", {{"error", what}}); };
}

http::Response overloaded() {
  return problem_response(Refusal{Refusal::Kind::unavailable, "overloaded",
                                  "too many requests of this kind are waiting", "wait a moment, and try again"});
}

}  // namespace

Served<json::value> Call::body() const {
  if (request.body.empty()) return json::value(json::object{});
  auto parsed = parse_json(request.body);
  if (!parsed)
    return refuse(Refusal::Kind::malformed, "malformed_json", "the body is not JSON: {}", parsed.error().message);
  return *std::move(parsed);
}

Served<> Call::count_starts(std::size_t count) const {
  if (services.starts.take(caller.actor, services.parts.clock.since_boot(), static_cast<double>(count))) return {};
  return refuse(Refusal::Kind::too_many, "too_many", "too many starts by this token; try again in a moment");
}

Served<> Call::require(Scope scope) const {
  if (allows(caller.role, scope)) return {};
  return refuse(Refusal::Kind::forbidden, "forbidden", "this token's role does not allow it");
}

void refuse_nulls(const json::value& body, const std::string& pointer, Problems& problems) {
  if (!body.is_object()) return;
  for (const auto& [key, value] : body.get_object()) {
    if (!value.is_null()) continue;
    std::string place = pointer;
    append_key(place, key);
    problems.push_back({.pointer = std::move(place),
                        .code = "wrong-type",
                        .message = "null is no value here",
                        .hint = "leave the member out, or give it a value",
                        .position = {}});
  }
}

struct RestApi::PendingRequest {
  http::Request request;
  std::string id{};
  http::Target target{};
  const Route* route = nullptr;
  std::vector<std::string> ids{};
  http::Responder responder;
  Caller caller{};
  WriteTerms terms{};
  bool is_worth_waiting = false;  // its newest answer has nothing in it yet

  [[nodiscard]] Call call(Services& services) const {
    return {.request = request,
            .services = services,
            .caller = caller,
            .ids = ids,
            .parameters = Parameters{target},
            .terms = terms};
  }
};

RestApi::RestApi(const ServiceParts& parts, Probes probes, const RestOptions& options, Log& log)
    : services_{parts, std::move(probes), options.triggers_per_second},
      options_{options},
      log_{log},
      failures_{failures_per_second, failures_at_once},
      gate_{1, options.waiting_max, failure_log(log), options.loops, "api-gate"},
      readers_{options.reader_count, options.waiting_max, failure_log(log), options.loops, "api-readers"},
      writers_{options.writer_count, options.waiting_max, failure_log(log), options.loops, "api-writers"},
      questions_{options.question_count, options.questions_waiting_max, failure_log(log), options.loops,
                 "api-questions"},
      events_{services_, log, options.beat_interval,
              [this] { record_refusals(refusals_.summaries(services_.parts.clock.since_boot())); }, options.loops},
      followers_{services_, options.loops},
      waiters_{[this](std::span<const std::string> queues) {
                 const auto found = services_.parts.queue.has_claimable(queues);
                 return !found || *found;  // a claim tells what is wrong
               },
               options.loops} {}

RestApi::~RestApi() { stop(); }

void RestApi::stop() {
  gate_.stop();
  questions_.stop();
  waiters_.stop();
  readers_.stop();
  events_.stop();
  for (const AuditEntry& entry : refusals_.summaries(services_.parts.clock.since_boot(), true))
    static_cast<void>(services_.parts.audit.append(entry));
  writers_.stop();
  followers_.stop();
}

void RestApi::wake() {
  services_.answers.forget_all();
  events_.wake();
  waiters_.wake();
}

std::optional<Served<Caller>> RestApi::known_caller(const http::Request& request, const Route& route) {
  if (route.scope == Scope::open) return Caller{.actor = "anonymous", .address = request.peer_address};
  auto known = services_.access.authenticate_known(bearer_of(request), request.peer_address);
  if (!known) return std::nullopt;
  return judged(*std::move(known), request, route);
}

// Waits for the store if the token is not in memory.
Served<Caller> RestApi::caller_of(const http::Request& request, const Route& route) {
  return judged(services_.access.authenticate(bearer_of(request), request.peer_address), request, route);
}

Served<Caller> RestApi::judged(Served<Caller> caller, const http::Request& request, const Route& route) {
  if (caller) {
    if (allows(caller->role, route.scope)) return caller;
    note_refusal(request, *caller, route);
    return refuse(Refusal::Kind::forbidden, "forbidden", "this token may not do that: {} needs another role",
                  route.operation);
  }
  if (caller.error().kind != Refusal::Kind::unauthenticated) return caller;
  // Only those who guess are counted, so that nobody locks others out.
  const bool is_guess = !bearer_of(request).empty();
  if (is_guess && !failures_.take(request.peer_address, services_.parts.clock.since_boot()))
    return refuse(Refusal::Kind::too_many, "too_many", "too many wrong tokens from this address");
  if (is_guess) note_refusal(request, Caller{.actor = "anonymous", .address = request.peer_address}, route);
  return caller;
}

void RestApi::note_refusal(const http::Request& request, const Caller& caller, const Route& route) {
  AuditEntry entry{.actor = caller.actor,
                   .address = request.peer_address,
                   .operation = std::string{route.operation},
                   .name_space = caller.name_space ? caller.name_space->text() : "",
                   .target = {},
                   .outcome = caller.actor == "anonymous" ? "unauthenticated" : "forbidden",
                   .before = {},
                   .after = {}};
  if (refusals_.wants(entry, services_.parts.clock.since_boot())) record_refusals({std::move(entry)});
}

void RestApi::record_refusals(std::vector<AuditEntry> entries) {
  if (entries.empty()) return;
  const bool is_taken = writers_.post([this, entries = std::move(entries)] {
    for (const AuditEntry& entry : entries)
      if (const auto kept = services_.parts.audit.append(entry); !kept)
        log_.warn("audit entry cannot be written", {{"error", kept.error().message}});
  });
  if (!is_taken) log_.warn("refused requests are not in the audit log: too many requests are waiting", {});
}

Served<> RestApi::check_origin_and_media(const http::Request& request, const Route& route) {
  if (const auto origin = request.headers.find("Origin");
      origin && !is_allowed_origin(*origin, request, options_.allowed_origins))
    return refuse(Refusal::Kind::forbidden, "foreign_origin", "pages of another origin may not call this server");
  if (!request.body.empty() && !route.traits.takes_bytes && !is_json(request.headers.find("Content-Type").value_or("")))
    return std::unexpected(Refusal{Refusal::Kind::wrong_media, "unsupported_media_type",
                                   "the body must be JSON, and say so", "send Content-Type: application/json"});
  return {};
}

void RestApi::handle(http::Request request, http::Responder responder) {
  auto pending = std::make_shared<PendingRequest>(
      PendingRequest{.request = std::move(request), .responder = std::move(responder)});
  pending->id = request_id_of(pending->request);
  auto target = http::parse_target(pending->request.target);
  if (!target) return send(*pending, problem_response(400, "the address cannot be read"));
  auto found = match(pending->request.method, target->segments);
  if (!found) return send(*pending, problem_response(404, "nothing has this address"));
  if (is_preflight(pending->request) &&
      is_listed_origin(*pending->request.headers.find("Origin"), options_.allowed_origins))
    return send(*pending, preflight_response(allowed_methods(target->segments)));
  if (found->route == nullptr) {
    http::Response response = problem_response(405, "this address has other methods");
    response.headers.emplace_back("Allow", allowed_methods(target->segments));
    return send(*pending, std::move(response));
  }
  pending->target = *std::move(target);
  pending->route = found->route;
  pending->ids = std::move(found->ids);
  if (const auto polite = check_origin_and_media(pending->request, *pending->route); !polite)
    return send(*pending, problem_response(polite.error()));
  const auto go_on = [this, pending](Served<Caller> caller) {
    if (!caller) return send(*pending, problem_response(caller.error()));
    pending->caller = *std::move(caller);
    dispatch_by_mode(pending);
  };
  if (auto known = known_caller(pending->request, *pending->route)) return go_on(*std::move(known));
  dispatch(gate_, pending, [this, pending, go_on] { go_on(caller_of(pending->request, *pending->route)); });
}

// What is answered here is not read to its end; so the same refusals as in handle(), and nothing else.
void RestApi::admit(const http::Request& so_far, http::Verdict verdict) {
  const auto refuse_with = [id = request_id_of(so_far), verdict](http::Response response) {
    add_request_id(response, id);
    verdict(std::move(response));
  };
  const auto target = http::parse_target(so_far.target);
  const auto found = target ? match(so_far.method, target->segments) : std::nullopt;
  if (!found || found->route == nullptr) return refuse_with(problem_response(404, "nothing has this address"));
  const Route& route = *found->route;
  if (route.scope == Scope::open) return refuse_with(problem_response(413, "this request has no body"));
  const auto judge = [verdict, refuse_with](const Served<Caller>& caller) {
    if (!caller) return refuse_with(problem_response(caller.error()));
    verdict(std::nullopt);
  };
  if (const auto known = known_caller(so_far, route)) return judge(*known);
  if (!gate_.post([this, so_far, &route, judge] { judge(caller_of(so_far, route)); })) refuse_with(overloaded());
}

// A task that throws is answered too; one that finds no room is not begun.
void RestApi::dispatch(TaskThreads& threads, const std::shared_ptr<PendingRequest>& pending,
                       std::function<void()> work) {
  const bool is_taken = threads.post([this, pending, work = std::move(work)] {
    try {
      work();
    } catch (const std::exception& exception) {
      log_.error("request failed", {{"request", pending->id}, {"error", exception.what()}});
      if (pending->responder)
        send(*pending, problem_response(Refusal{Refusal::Kind::internal, "internal", "the log says more"}));
    }
  });
  if (!is_taken) send(*pending, overloaded());
}

void RestApi::send(PendingRequest& pending, http::Response response) {
  add_request_id(response, pending.id);
  if (const auto origin = pending.request.headers.find("Origin");
      origin && is_listed_origin(*origin, options_.allowed_origins))
    std::ranges::copy(cors_headers(*origin), std::back_inserter(response.headers));
  pending.responder.send(std::move(response));
}

http::ResponseStream RestApi::start_stream(PendingRequest& pending, http::HeaderList headers) {
  headers.emplace_back("X-Content-Type-Options", "nosniff");
  headers.emplace_back("Cache-Control", "no-store");
  headers.emplace_back("X-Request-Id", pending.id);
  if (const auto origin = pending.request.headers.find("Origin");
      origin && is_listed_origin(*origin, options_.allowed_origins))
    std::ranges::copy(cors_headers(*origin), std::back_inserter(headers));
  return pending.responder.start_stream(200, std::move(headers));
}

void RestApi::dispatch_by_mode(const std::shared_ptr<PendingRequest>& pending) {
  TaskThreads& threads = is_write(pending->request.method) ? writers_ : readers_;
  const auto reply = [this, pending] { send(*pending, answer(*pending)); };
  switch (pending->route->mode) {
    case ExecutionMode::quick: return reply();
    case ExecutionMode::cached: {
      Call call = pending->call(services_);
      if (auto known = get_cached_schedule(call))
        return send(*pending, response_of(unless_known(*std::move(known), pending->request)));
      return dispatch(readers_, pending, reply);
    }
    case ExecutionMode::slow: return dispatch(threads, pending, reply);
    case ExecutionMode::question: return dispatch(questions_, pending, reply);
    case ExecutionMode::events: return start_events(*pending);
    case ExecutionMode::follow:
      if (pending->target.parameter("follow").value_or("false") == "false") return dispatch(threads, pending, reply);
      return dispatch(threads, pending, [this, pending] { start_following(*pending); });
    case ExecutionMode::claim: return dispatch(threads, pending, [this, pending] { start_waiting(pending); });
  }
}

http::Response RestApi::answer(PendingRequest& pending) {
  if (!is_write(pending.request.method)) return perform(pending);
  if (pending.route->traits.starts_run)
    if (const auto counted = pending.call(services_).count_starts(1); !counted)
      return problem_response(counted.error());
  auto when = preconditions_in(pending.request);
  if (!when) return problem_response(when.error());
  // What has no ETag cannot have the one that is asked for.
  if ((when->must_exist || when->any_of) && !pending.route->pattern.starts_with("/api/v1/schedules/{id}"))
    return problem_response(
        Refusal{Refusal::Kind::stale, "no_etag", "nothing at this address has an ETag", "leave out If-Match"});
  pending.terms.when = *std::move(when);
  const auto key = pending.request.headers.find("Idempotency-Key");
  if (!key) return perform(pending);
  if (key->empty() || key->size() > key_length_max)
    return problem_response(
        Refusal{Refusal::Kind::malformed, "bad_idempotency_key", "an Idempotency-Key has 1 to 255 characters"});
  pending.terms.key = idempotency_key_of(pending.request, word_of(pending.request.method), pending.caller.actor, *key);
  // An answer that has a secret in it is not kept.
  return pending.route->traits.has_secret ? perform(pending) : answer_once(pending, *pending.terms.key);
}

http::Response RestApi::answer_once(PendingRequest& pending, const IdempotencyKey& named) {
  {
    const std::scoped_lock lock{mutex_};
    if (!in_progress_.insert(named.key).second)
      return problem_response(Refusal{Refusal::Kind::in_progress, "idempotency_in_progress",
                                      "a request with this Idempotency-Key is being carried out"});
  }
  // Whatever becomes of the request, also if it throws.
  const auto forget = [&](const std::string* key) {
    const std::scoped_lock lock{mutex_};
    in_progress_.erase(*key);
  };
  const std::unique_ptr<const std::string, decltype(forget)> in_progress{&named.key, forget};
  const auto known = services_.parts.requests.find_request(named.key);
  if (!known) return problem_response(Refusal{known.error()});
  if (*known && (*known)->fingerprint != named.fingerprint)
    return problem_response(Refusal{Refusal::Kind::key_reused, "idempotency_key_reused",
                                    "this Idempotency-Key was used for another request"});
  if (*known) return repeat(pending, **known);
  http::Response response = perform(pending);
  // What was refused changed nothing and may be corrected and tried again.
  if (response.status < 300 && !pending.terms.is_dry_run)
    if (const auto kept = services_.parts.requests.keep_answer(named, kept_answer(response)); !kept)
      log_.warn("answer cannot be kept", {{"request", pending.id}, {"error", kept.error().message}});
  return response;
}

// The same answer again; if it could not be kept, one of the same kind, from what was written.
http::Response RestApi::repeat(PendingRequest& pending, const IdempotencyRecord& record) {
  auto response = record.answer ? response_from(*record.answer) : std::nullopt;
  if (!response) {
    Call call = pending.call(services_);
    auto reply = repeated_reply(call, pending.route->operation, record);
    if (!reply) return problem_response(reply.error());
    response = response_of(*std::move(reply));
  }
  response->headers.emplace_back("Idempotency-Replayed", "true");
  return *std::move(response);
}

http::Response RestApi::perform(PendingRequest& pending) {
  Call call = pending.call(services_);
  // Where it has no meaning it is a parameter that nobody knows, rather than one that is passed over.
  if (pending.route->traits.has_dry_run) call.terms.is_dry_run = call.parameters.flag("dryRun");
  pending.terms.is_dry_run = call.terms.is_dry_run;
  if (const auto sound = check_body(call, *pending.route); is_write(pending.request.method) && !sound)
    return problem_response(sound.error());
  auto reply = pending.route->handle(call);
  // Who is told that a change was made must not be shown what was before it.
  if (is_write(pending.request.method)) services_.answers.forget_all();
  pending.is_worth_waiting = reply && reply->is_worth_waiting;
  if (reply) return response_of(unless_known(*std::move(reply), pending.request));
  if (reply.error().kind == Refusal::Kind::forbidden && is_write(pending.request.method))
    note_refusal(pending.request, pending.caller, *pending.route);
  // A store that fails is logged when it begins and ends to, not for every request meanwhile.
  const bool is_told_elsewhere = failure_kind_of(reply.error().code).has_value();
  if (!is_told_elsewhere &&
      (reply.error().kind == Refusal::Kind::internal || reply.error().kind == Refusal::Kind::unavailable))
    log_.warn("request cannot be answered",
              {{"request", pending.id}, {"operation", pending.route->operation}, {"error", reply.error().message}});
  return problem_response(reply.error());
}

void RestApi::start_events(PendingRequest& pending) {
  Call call = pending.call(services_);
  EventFilter filter{.caller = pending.caller};
  const auto name_space = pending.caller.namespace_to_list(call.parameters.text("namespace"));
  filter.schedule = call.parameters.text("schedule");
  filter.topics = call.parameters.texts("topics");
  static constexpr std::array<std::string_view, 5> topics{"run", "occurrence", "schedule", "backfill", "server"};
  for (const std::string& topic : filter.topics)
    if (std::ranges::find(topics, topic) == topics.end())
      call.parameters.fault("topics", fmt::format("there is no topic {}", quoted(topic)),
                            "any of run, occurrence, schedule, backfill, server");
  filter.after = call.parameters.integer("lastEventId", 0, std::numeric_limits<std::int64_t>::max());
  if (const auto seen = pending.request.headers.find("Last-Event-ID")) {
    std::int64_t position = 0;
    const auto [stop, error] = std::from_chars(seen->data(), seen->data() + seen->size(), position);
    // One that is none of ours is as old as can be: what is missing is told by a resync.
    filter.after = error == std::errc{} && stop == seen->data() + seen->size() ? position : 0;
  }
  if (const auto sound = call.parameters.finish(); !sound) return send(pending, problem_response(sound.error()));
  if (!name_space) return send(pending, problem_response(name_space.error()));
  filter.name_space = *name_space;
  events_.add(start_stream(pending, {{"Content-Type", "text/event-stream"}}), std::move(filter));
}

void RestApi::start_following(PendingRequest& pending) {
  Call call = pending.call(services_);
  const auto name_space = call.parameters.text("namespace");
  const LogQuery query = log_query_in(call);
  if (const auto sound = call.parameters.finish(); !sound) return send(pending, problem_response(sound.error()));
  const auto run = services_.runs.get(pending.caller, pending.ids.front(), name_space);
  if (!run) return send(pending, problem_response(run.error()));
  followers_.add({.stream = start_stream(pending, {{"Content-Type", "text/plain; charset=utf-8"}}),
                  .caller = pending.caller,
                  .run = pending.ids.front(),
                  .name_space = name_space,
                  .query = query});
}

// What was claimed for one who has gone meanwhile is given back before anything is sent; what becomes of the answer of
// the others is noted by a thread that may wait for the store.
void RestApi::answer_claim(PendingRequest& pending, http::Response response) {
  if (!response.on_sent) return send(pending, std::move(response));
  if (!pending.responder.is_open()) {
    response.on_sent(false);
    return send(pending, response_of(no_jobs()));
  }
  response.on_sent = [this, note = std::move(response.on_sent)](bool is_sent) {
    const auto task = [note, is_sent] { note(is_sent); };
    if (!writers_.post(task) && !readers_.post(task))
      log_.warn("what became of the answer to a claim cannot be noted", {{"sent", is_sent}});
  };
  send(pending, std::move(response));
}

// A worker that finds nothing may leave its request lying until there is something.
void RestApi::start_waiting(const std::shared_ptr<PendingRequest>& pending) {
  Call call = pending->call(services_);
  Duration wait{};
  if (const auto body = call.body(); body && body->is_object())
    if (const json::value* text = body->get_object().if_contains("wait"); text != nullptr && text->is_string())
      if (const auto length = parse_duration(text->get_string())) wait = std::min(*length, wait_max);
  // One who has gone gets nothing.
  const auto try_to_claim = [this, pending] {
    pending->is_worth_waiting = true;
    return pending->responder.is_open() ? perform(*pending) : response_of(no_jobs());
  };
  auto response = try_to_claim();
  if (wait == Duration{} || !pending->is_worth_waiting) return answer_claim(*pending, std::move(response));
  const std::string& session = pending->ids.front();
  auto queues = services_.workers.queues_of(pending->caller, session);
  if (!queues) return send(*pending, problem_response(queues.error()));
  waiters_.add({.queues = *std::move(queues),
                .deadline = std::chrono::steady_clock::now() + wait,
                .is_over =
                    [this, pending] {
                      if (!pending->responder.is_open()) return true;
                      if (services_.access.is_still_valid(pending->caller)) return false;
                      send(*pending, problem_response(Refusal{Refusal::Kind::unauthenticated, "unauthenticated",
                                                              "a valid token is needed"}));
                      return true;
                    },
                .claim =
                    [this, pending, try_to_claim] {
                      auto again = try_to_claim();
                      if (pending->is_worth_waiting) return false;
                      answer_claim(*pending, std::move(again));
                      return true;
                    },
                .end = [this, pending] { send(*pending, response_of(no_jobs())); },
                .renew = [this, pending]() -> std::optional<std::chrono::steady_clock::duration> {
                  const auto left = services_.workers.renew(pending->caller, pending->ids.front());
                  if (left) return std::chrono::duration_cast<std::chrono::steady_clock::duration>(*left / 2);
                  // What could not be asked is asked again soon.
                  if (left.error().kind != Refusal::Kind::not_found) return std::chrono::seconds{1};
                  send(*pending, problem_response(left.error()));
                  return std::nullopt;
                }});
}

}  // namespace carillon::rest
