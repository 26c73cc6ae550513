#include "api/rest/rest_api.hpp"

#include "api/rest/basic_password.hpp"
#include "api/rest/cors.hpp"
#include "api/rest/problem.hpp"
#include "api/rest/request_id.hpp"
#include "api/rest/session_cookie.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>
#include <utility>

namespace carillon::rest {
namespace {

bool is_json(std::string_view type) {
  const std::string_view essence = type.substr(0, type.find(';'));
  const auto trimmed = essence.substr(0, essence.find_last_not_of(" \t") + 1);
  return http::equal_ignoring_case(trimmed, "application/json") ||
         http::equal_ignoring_case(trimmed, "application/merge-patch+json");
}

bool has_scheme(std::string_view header, std::string_view scheme) {
  return header.size() > scheme.size() && http::equal_ignoring_case(header.substr(0, scheme.size()), scheme);
}

std::string_view bearer_of(const http::Request& request) {
  constexpr std::string_view scheme = "Bearer ";
  const std::string_view header = request.headers.find("Authorization").value_or("");
  return has_scheme(header, scheme) ? header.substr(scheme.size()) : std::string_view{};
}

/// `password` outlives the credentials.
Credentials credentials_in(const http::Request& request, std::string_view session_cookie_name,
                           std::string_view password = {}) {
  Credentials credentials{.token = password.empty() ? bearer_of(request) : password, .address = request.peer_address};
  // Who sends the header means it, whatever a browser adds. A password that a server before this one asks for is sent
  // by browsers along with everything, and says nothing to us.
  const auto header = request.headers.find("Authorization");
  if (header && (!password.empty() || !has_scheme(*header, "Basic "))) return credentials;
  credentials.session = {.text = cookie_in(request, session_cookie_name),
                         .key = request.headers.find(session_key_header).value_or("")};
  return credentials;
}

Served<> check_origin_and_media(const http::Request& request, const Route& route,
                                const std::vector<std::string>& allowed_origins) {
  if (const auto origin = request.headers.find("Origin");
      origin && !is_allowed_origin(*origin, request, allowed_origins))
    return refuse(Refusal::Kind::forbidden, "foreign_origin", "web pages of this origin may not call the server");
  if (!request.body.empty() && route.body != BodyKind::bytes &&
      !is_json(request.headers.find("Content-Type").value_or("")))
    return std::unexpected(Refusal{Refusal::Kind::wrong_media, "unsupported_media_type",
                                   "the body must be JSON with the right Content-Type",
                                   "send Content-Type: application/json"});
  return {};
}

/// A request answers what it can itself; what its task throws beside that is a fault of ours.
TaskThreads::OnFailure failure_log(Log& log) {
  return [&log](std::string_view what) { log.error("request failed", {{"error", what}}); };
}

http::Response overloaded() {
  return problem_response(Refusal{Refusal::Kind::unavailable, "overloaded",
                                  "too many requests of this kind are waiting", "wait a moment, and try again"});
}

}  // namespace

RestApi::RestApi(Application& application, Probes probes, const RestOptions& options, Log& log)
    : application_{application},
      probes_{std::move(probes)},
      options_{options},
      log_{log},
      gate_{1, options.waiting_max, failure_log(log), options.loops, "api-gate"},
      readers_{options.reader_count, options.waiting_max, failure_log(log), options.loops, "api-readers"},
      writers_{options.writer_count, options.waiting_max, failure_log(log), options.loops, "api-writers"},
      questions_{options.question_count, options.questions_waiting_max, failure_log(log), options.loops,
                 "api-questions"},
      changes_{application.notifier().subscribe([this](const StoreChange& change) {
        if (change.has_events) answers_.forget_all();
      })} {}

RestApi::~RestApi() { stop(); }

void RestApi::stop() {
  gate_.stop();
  questions_.stop();
  application_.stop();
  readers_.stop();
  writers_.stop();
}

void RestApi::handle(http::Request request, http::Responder responder) {
  auto pending = std::make_shared<PendingRequest>(
      PendingRequest{.request = std::move(request), .responder = std::move(responder)});
  pending->id = request_id_of(pending->request);
  auto target = http::parse_target(pending->request.target);
  if (!target) return send(*pending, problem_response(400, "the address is malformed"));
  auto found = match(pending->request.method, target->segments);
  if (!found) return send(*pending, problem_response(404, "there is nothing at this address"));
  if (is_preflight(pending->request) &&
      is_listed_origin(*pending->request.headers.find("Origin"), options_.allowed_origins))
    return send(*pending, preflight_response(allowed_methods(target->segments)));
  if (found->route == nullptr) {
    http::Response response = problem_response(405, "this address does not support the method");
    response.headers.emplace_back("Allow", allowed_methods(target->segments));
    return send(*pending, std::move(response));
  }
  pending->target = *std::move(target);
  pending->route = found->route;
  pending->ids = std::move(found->ids);
  if (const auto sound = check_origin_and_media(pending->request, *pending->route, options_.allowed_origins); !sound)
    return send(*pending, problem_response(sound.error()));
  start(std::move(pending));
}

void RestApi::start(std::shared_ptr<PendingRequest> pending) {
  const auto go_on = [this, pending](Served<Caller> caller) {
    if (!caller) {
      http::Response response = problem_response(caller.error());
      // A page of ours signs in by itself: it is spared the browser's own question.
      if (pending->operation().id == OperationId::get_calendar && response.status == 401 &&
          !pending->request.headers.contains(session_key_header))
        response.headers.emplace_back("WWW-Authenticate", "Basic realm=\"carillon\", charset=\"UTF-8\"");
      return send(*pending, std::move(response));
    }
    pending->caller = *std::move(caller);
    dispatch_by_mode(pending);
  };
  const std::string& cookie_name = application_.sessions().cookie_name();
  // Programs that show calendars can send nothing else. For changes it would be a way to forge requests.
  if (pending->operation().id == OperationId::get_calendar)
    pending->password = basic_password(pending->request.headers.find("Authorization").value_or(""));
  const auto credentials = [pending, &cookie_name] {
    return credentials_in(pending->request, cookie_name, pending->password);
  };
  if (auto known = application_.admit_known(credentials(), pending->operation())) return go_on(*std::move(known));
  dispatch(gate_, pending,
           [this, pending, go_on, credentials] { go_on(application_.admit(credentials(), pending->operation())); });
}

// What is answered here is not read to its end; so the same refusals as in handle(), and nothing else.
void RestApi::admit(const http::Request& so_far, http::Verdict verdict) {
  const auto refuse_with = [id = request_id_of(so_far), verdict](http::Response response) {
    add_request_id(response, id);
    verdict(std::move(response));
  };
  const auto target = http::parse_target(so_far.target);
  const auto found = target ? match(so_far.method, target->segments) : std::nullopt;
  if (!found || found->route == nullptr) return refuse_with(problem_response(404, "there is nothing at this address"));
  const Operation& operation = operation_of(found->route->operation);
  if (operation.scope == Scope::open) return refuse_with(problem_response(413, "this request takes no body"));
  const auto judge = [verdict, refuse_with](const Served<Caller>& caller) {
    if (!caller) return refuse_with(problem_response(caller.error()));
    verdict(std::nullopt);
  };
  const std::string& cookie_name = application_.sessions().cookie_name();
  if (const auto known = application_.admit_known(credentials_in(so_far, cookie_name), operation)) return judge(*known);
  const bool is_taken = gate_.post([this, so_far, &operation, &cookie_name, judge] {
    judge(application_.admit(credentials_in(so_far, cookie_name), operation));
  });
  if (!is_taken) refuse_with(overloaded());
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
        send(*pending, problem_response(Refusal{Refusal::Kind::internal, "internal", "see the server's log"}));
    }
  });
  if (!is_taken) send(*pending, overloaded());
}

void RestApi::dispatch_by_mode(const std::shared_ptr<PendingRequest>& pending) {
  TaskThreads& threads = pending->operation().is_write ? writers_ : readers_;
  const auto reply = [this, pending] { send(*pending, answer(*pending)); };
  switch (pending->route->mode) {
    case ExecutionMode::quick: return reply();
    case ExecutionMode::cached: {
      Call call = call_of(*pending);
      if (auto known = get_cached_schedule(call))
        return send(*pending, response_of(unless_known(*std::move(known), pending->request)));
      return dispatch(readers_, pending, reply);
    }
    case ExecutionMode::slow: return dispatch(threads, pending, reply);
    case ExecutionMode::question: return dispatch(questions_, pending, reply);
    case ExecutionMode::events: return dispatch(threads, pending, [this, pending] { start_events(*pending); });
    case ExecutionMode::follow:
      if (pending->target.parameter("follow").value_or("false") == "false") return dispatch(threads, pending, reply);
      return dispatch(threads, pending, [this, pending] { start_following(*pending); });
    case ExecutionMode::claim: return dispatch(threads, pending, [this, pending] { start_claim(pending); });
  }
}

Call RestApi::call_of(const PendingRequest& pending) {
  return {.request = pending.request,
          .application = application_,
          .probes = probes_,
          .answers = answers_,
          .caller = pending.caller,
          .ids = pending.ids,
          .parameters = Parameters{pending.target},
          .terms = pending.terms};
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

}  // namespace carillon::rest
