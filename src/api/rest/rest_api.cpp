#include "api/rest/rest_api.hpp"

#include "api/rest/documents.hpp"
#include "api/rest/problem.hpp"
#include "base/duration_text.hpp"
#include "base/quoted.hpp"
#include "document/document.hpp"
#include "service/digest.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

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

/// Whether a page of this origin may call us: our own pages, and those that were allowed.
bool is_allowed(std::string_view origin, const http::Request& request, const std::vector<std::string>& others) {
  if (std::ranges::find(others, origin) != others.end()) return true;
  const auto host = request.headers.find("Host");
  if (!host) return false;
  return http::equal_ignoring_case(origin, fmt::format("{}://{}", request.is_tls ? "https" : "http", *host));
}

/// The revision of `"12"`, or of a weak `W/"12"`; `*` asks for nothing but that it exists.
Served<std::optional<std::int64_t>> revision_of(std::string_view tag) {
  if (tag == "*") return std::nullopt;
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  std::int64_t revision = 0;
  if (tag.size() > 2 && tag.front() == '"' && tag.back() == '"') {
    tag = tag.substr(1, tag.size() - 2);
    const auto [stop, error] = std::from_chars(tag.data(), tag.data() + tag.size(), revision);
    if (error == std::errc{} && stop == tag.data() + tag.size()) return revision;
  }
  return refuse(Refusal::Kind::malformed, "bad_etag", "If-Match is not an ETag of this server");
}

http::Response response_of(Reply reply) {
  http::Response response{.status = reply.status, .headers = std::move(reply.headers), .body = std::move(reply.body)};
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(response.headers,
                               [&](const auto& header) { return http::equal_ignoring_case(header.first, name); });
  };
  if (!response.body.empty() && !has("Content-Type")) response.headers.emplace_back("Content-Type", "application/json");
  if (!has("Cache-Control")) response.headers.emplace_back("Cache-Control", "no-store");
  if (!has("X-Content-Type-Options")) response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  return response;
}

std::string kept_answer(const http::Response& response) {
  json::array headers;
  for (const auto& [name, value] : response.headers) headers.push_back(json::array{name, value});
  return json::serialize(
      json::object{{"status", response.status}, {"headers", std::move(headers)}, {"body", response.body}});
}

std::optional<http::Response> response_from(const std::string& kept) {
  const auto parsed = parse_json(kept);
  if (!parsed || !parsed->is_object()) return std::nullopt;
  const json::object& members = parsed->get_object();
  http::Response response{.status = static_cast<int>(members.at("status").as_int64()),
                          .headers = {},
                          .body = std::string{members.at("body").as_string()}};
  for (const json::value& header : members.at("headers").as_array())
    response.headers.emplace_back(header.as_array().at(0).as_string(), header.as_array().at(1).as_string());
  return response;
}

bool gives_a_secret(std::string_view operation) { return operation == "createToken" || operation == "openWorker"; }

constexpr std::string_view no_jobs = R"({"jobs":[]})";

bool is_empty_claim(const http::Response& response) { return response.status == 200 && response.body == no_jobs; }

bool starts_something(std::string_view operation) { return operation == "triggerSchedule" || operation == "retryRun"; }

}  // namespace

Served<json::value> Call::body() const {
  if (request.body.empty()) return json::value(json::object{});
  auto parsed = parse_json(request.body);
  if (!parsed)
    return refuse(Refusal::Kind::malformed, "malformed_json", "the body is not JSON: {}", parsed.error().message);
  return *std::move(parsed);
}

struct RestApi::Journey {
  http::Request request;
  http::Target target;
  const Route* route;
  std::vector<std::string> ids;
  http::Responder responder;
  Caller caller{};
  WriteTerms terms{};

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
    : services_{parts, std::move(probes)},
      options_{options},
      log_{log},
      failures_{failures_per_second, failures_at_once},
      triggers_{options.triggers_per_second, 2 * options.triggers_per_second},
      events_{services_, log, options.beat_interval},
      followers_{services_},
      readers_{options.reader_count},
      writers_{options.writer_count} {}

RestApi::~RestApi() { stop(); }

void RestApi::stop() {
  waiters_.stop();
  readers_.stop();
  writers_.stop();
  events_.stop();
  followers_.stop();
}

void RestApi::wake() {
  services_.answers.forget_all();
  events_.wake();
  waiters_.wake();
}

Served<Caller> RestApi::caller_of(const http::Request& request, const Route& route) {
  if (route.scope == Scope::open) return Caller{.actor = "anonymous", .address = request.peer_address};
  constexpr std::string_view scheme = "Bearer ";
  const std::string_view header = request.headers.find("Authorization").value_or("");
  const bool is_bearer =
      header.size() > scheme.size() && http::equal_ignoring_case(header.substr(0, scheme.size()), scheme);
  auto caller = services_.access.authenticate(is_bearer ? header.substr(scheme.size()) : "", request.peer_address);
  if (caller) {
    if (allows(caller->role, route.scope)) return caller;
    note_refusal(request, *caller, route);
    return refuse(Refusal::Kind::forbidden, "forbidden", "this token may not do that: {} needs another role",
                  route.operation);
  }
  if (caller.error().kind != Refusal::Kind::unauthenticated) return caller;
  // Only those who guess are counted, so that nobody locks others out.
  if (is_bearer && !failures_.take(request.peer_address, services_.parts.clock.since_boot()))
    return refuse(Refusal::Kind::too_many, "too_many", "too many wrong tokens from this address");
  if (is_bearer) note_refusal(request, Caller{.actor = "anonymous", .address = request.peer_address}, route);
  return caller;
}

void RestApi::note_refusal(const http::Request& request, const Caller& caller, const Route& route) {
  const AuditEntry entry{.actor = caller.actor,
                         .address = request.peer_address,
                         .operation = std::string{route.operation},
                         .name_space = caller.name_space ? caller.name_space->text() : "",
                         .target = {},
                         .outcome = caller.actor == "anonymous" ? "unauthenticated" : "forbidden",
                         .before = {},
                         .after = {}};
  writers_.post([this, entry] {
    if (const auto kept = services_.parts.audit.append(entry); !kept)
      log_.warn("audit entry cannot be written", {{"error", kept.error().message}});
  });
}

Served<> RestApi::check_manners(const http::Request& request, const Route& route) {
  if (const auto origin = request.headers.find("Origin");
      origin && !is_allowed(*origin, request, options_.allowed_origins))
    return refuse(Refusal::Kind::forbidden, "foreign_origin", "pages of another origin may not call this server");
  const bool takes_anything = route.operation == "appendJobLog";
  if (!request.body.empty() && !takes_anything && !is_json(request.headers.find("Content-Type").value_or("")))
    return std::unexpected(Refusal{Refusal::Kind::wrong_media, "unsupported_media_type",
                                   "the body must be JSON, and say so", "send Content-Type: application/json"});
  return {};
}

void RestApi::handle(http::Request request, http::Responder responder) {
  auto target = http::parse_target(request.target);
  if (!target) return responder.send(problem_response(400, "the address cannot be read"));
  auto found = match(request.method, target->segments);
  if (!found) return responder.send(problem_response(404, "nothing has this address"));
  if (found->route == nullptr) {
    http::Response response = problem_response(405, "this address has other methods");
    response.headers.emplace_back("Allow", allowed_methods(target->segments));
    return responder.send(std::move(response));
  }
  auto journey = std::make_shared<Journey>(Journey{.request = std::move(request),
                                                   .target = *std::move(target),
                                                   .route = found->route,
                                                   .ids = std::move(found->ids),
                                                   .responder = std::move(responder)});
  if (const auto polite = check_manners(journey->request, *journey->route); !polite)
    return journey->responder.send(problem_response(polite.error()));
  auto caller = caller_of(journey->request, *journey->route);
  if (!caller) return journey->responder.send(problem_response(caller.error()));
  journey->caller = *std::move(caller);
  travel(journey);
}

void RestApi::travel(const std::shared_ptr<Journey>& journey) {
  TaskThreads& threads = is_write(journey->request.method) ? writers_ : readers_;
  switch (journey->route->manner) {
    case Manner::quick: return journey->responder.send(answer(*journey));
    case Manner::slow: return threads.post([this, journey] { journey->responder.send(answer(*journey)); });
    case Manner::events: return start_events(*journey);
    case Manner::follow:
      if (journey->target.parameter("follow").value_or("false") == "false")
        return threads.post([this, journey] { journey->responder.send(answer(*journey)); });
      return threads.post([this, journey] { start_following(*journey); });
    case Manner::claim: return threads.post([this, journey] { start_waiting(journey); });
  }
}

http::Response RestApi::answer(Journey& journey) {
  if (!is_write(journey.request.method)) return perform(journey);
  if (starts_something(journey.route->operation) &&
      !triggers_.take(journey.caller.actor, services_.parts.clock.since_boot()))
    return problem_response(
        Refusal{Refusal::Kind::too_many, "too_many", "too many starts by this token; try again in a moment"});
  if (const auto tag = journey.request.headers.find("If-Match")) {
    const auto revision = revision_of(*tag);
    if (!revision) return problem_response(revision.error());
    journey.terms.if_revision = *revision;
  }
  // An answer that has a secret in it is not kept.
  const bool may_be_kept = !gives_a_secret(journey.route->operation);
  if (const auto key = journey.request.headers.find("Idempotency-Key"); key && may_be_kept)
    return answer_once(journey, *key);
  return perform(journey);
}

http::Response RestApi::answer_once(Journey& journey, std::string_view key) {
  if (key.empty() || key.size() > key_length_max)
    return problem_response(
        Refusal{Refusal::Kind::malformed, "bad_idempotency_key", "an Idempotency-Key has 1 to 255 characters"});
  const http::Request& request = journey.request;
  const IdempotencyKey named{
      .key = sha256_hex(fmt::format("{}\n{}", journey.caller.actor, key)),
      .fingerprint = sha256_hex(fmt::format("{}\n{}\n{}", word_of(request.method), request.target, request.body))};
  {
    const std::scoped_lock lock{mutex_};
    if (!in_progress_.insert(named.key).second)
      return problem_response(Refusal{Refusal::Kind::in_progress, "idempotency_in_progress",
                                      "a request with this Idempotency-Key is being carried out"});
  }
  http::Response response;
  const auto known = services_.parts.requests.find_request(named.key);
  if (!known) {
    response = problem_response(Refusal{known.error()});
  } else if (*known && (*known)->fingerprint != named.fingerprint) {
    response = problem_response(Refusal{Refusal::Kind::key_reused, "idempotency_key_reused",
                                        "this Idempotency-Key was used for another request"});
  } else if (*known) {
    response = repeat(journey, **known);
  } else {
    journey.terms.key = named;
    response = perform(journey);
    // What was refused changed nothing and may be corrected and tried again.
    if (response.status < 300 && !journey.terms.is_dry_run)
      if (const auto kept = services_.parts.requests.keep_answer(named, kept_answer(response)); !kept)
        log_.warn("answer cannot be kept", {{"error", kept.error().message}});
  }
  const std::scoped_lock lock{mutex_};
  in_progress_.erase(named.key);
  return response;
}

// The same answer again; if the server died before it had one, what can be said of what was done.
http::Response RestApi::repeat(Journey& journey, const IdempotencyRecord& record) {
  auto response = record.answer ? response_from(*record.answer) : std::nullopt;
  if (!response && !record.decisions.empty()) {
    auto run = services_.runs.read(journey.caller, record.decisions.back());
    if (!run) return problem_response(run.error());
    response = response_of({.status = 200, .body = trigger_text({.run = *std::move(run)})});
  }
  if (!response) {
    const auto schedule = services_.schedules.get(journey.caller, record.uid);
    if (!schedule) return problem_response(schedule.error());
    response = response_of({.status = 200, .body = schedule_text(*schedule, {})});
  }
  response->headers.emplace_back("Idempotency-Replayed", "true");
  return *std::move(response);
}

http::Response RestApi::perform(Journey& journey) {
  Call call = journey.call(services_);
  // Where it has no meaning it is a parameter that nobody knows, rather than one that is passed over.
  if (has_dry_run(*journey.route)) call.terms.is_dry_run = call.parameters.flag("dryRun");
  journey.terms.is_dry_run = call.terms.is_dry_run;
  auto reply = journey.route->handle(call);
  // Who is told that a change was made must not be shown what was before it.
  if (is_write(journey.request.method)) services_.answers.forget_all();
  if (reply) return response_of(*std::move(reply));
  if (reply.error().kind == Refusal::Kind::internal || reply.error().kind == Refusal::Kind::unavailable)
    log_.warn("request cannot be answered",
              {{"operation", journey.route->operation}, {"error", reply.error().message}});
  return problem_response(reply.error());
}

void RestApi::start_events(Journey& journey) {
  Call call = journey.call(services_);
  EventWish wish{.caller = journey.caller};
  const auto name_space = journey.caller.namespace_to_list(call.parameters.text("namespace"));
  wish.schedule = call.parameters.text("schedule");
  wish.topics = call.parameters.texts("topics");
  static constexpr std::array<std::string_view, 5> topics{"run", "occurrence", "schedule", "backfill", "server"};
  for (const std::string& topic : wish.topics)
    if (std::ranges::find(topics, topic) == topics.end())
      call.parameters.fault("topics", fmt::format("there is no topic {}", quoted(topic)),
                            "any of run, occurrence, schedule, backfill, server");
  wish.after = call.parameters.integer("lastEventId", 0, std::numeric_limits<std::int64_t>::max());
  if (const auto seen = journey.request.headers.find("Last-Event-ID")) {
    std::int64_t position = 0;
    const auto [stop, error] = std::from_chars(seen->data(), seen->data() + seen->size(), position);
    // One that is none of ours is as old as can be: what is missing is told by a resync.
    wish.after = error == std::errc{} && stop == seen->data() + seen->size() ? position : 0;
  }
  if (const auto sound = call.parameters.finish(); !sound)
    return journey.responder.send(problem_response(sound.error()));
  if (!name_space) return journey.responder.send(problem_response(name_space.error()));
  wish.name_space = *name_space;
  events_.add(journey.responder.start_stream(200, {{"Content-Type", "text/event-stream"},
                                                   {"X-Content-Type-Options", "nosniff"},
                                                   {"Cache-Control", "no-store"}}),
              std::move(wish));
}

void RestApi::start_following(Journey& journey) {
  Call call = journey.call(services_);
  const auto name_space = call.parameters.text("namespace");
  const LogWish wish = log_wish_in(call);
  if (const auto sound = call.parameters.finish(); !sound)
    return journey.responder.send(problem_response(sound.error()));
  const auto run = services_.runs.get(journey.caller, journey.ids.front(), name_space);
  if (!run) return journey.responder.send(problem_response(run.error()));
  followers_.add({.stream = journey.responder.start_stream(200, {{"Content-Type", "text/plain; charset=utf-8"},
                                                                 {"X-Content-Type-Options", "nosniff"},
                                                                 {"Cache-Control", "no-store"}}),
                  .caller = journey.caller,
                  .run = journey.ids.front(),
                  .name_space = name_space,
                  .wish = wish});
}

// A worker that finds nothing may leave its request lying until there is something.
void RestApi::start_waiting(const std::shared_ptr<Journey>& journey) {
  Call call = journey->call(services_);
  Duration wait{};
  if (const auto body = call.body(); body && body->is_object())
    if (const json::value* text = body->get_object().if_contains("wait"); text != nullptr && text->is_string())
      if (const auto length = parse_duration(text->get_string())) wait = std::min(*length, wait_max);
  // What is given to one who has gone is nobody's until the lease ends.
  const auto try_to_claim = [this, journey] {
    return journey->responder.is_open() ? perform(*journey) : response_of({.body = std::string{no_jobs}});
  };
  auto response = try_to_claim();
  if (wait == Duration{} || !is_empty_claim(response)) return journey->responder.send(std::move(response));
  waiters_.add(
      [this, journey, try_to_claim](bool is_last) {
        if (!services_.access.is_still_valid(journey->caller)) {
          journey->responder.send(
              problem_response(Refusal{Refusal::Kind::unauthenticated, "unauthenticated", "a valid token is needed"}));
          return true;
        }
        auto again = try_to_claim();
        if (!is_last && is_empty_claim(again) && journey->responder.is_open()) return false;
        journey->responder.send(std::move(again));
        return true;
      },
      std::chrono::steady_clock::now() + wait);
}

}  // namespace carillon::rest
