#include "api/rest/problem.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <utility>

namespace carillon::rest {
namespace {

namespace json = boost::json;

constexpr std::string_view media_type = "application/problem+json";

http::Response response_of(int status, json::object problem) {
  return {.status = status,
          .headers = {{"Content-Type", std::string{media_type}},
                      {"Cache-Control", "no-store"},
                      {"X-Content-Type-Options", "nosniff"}},
          .body = json::serialize(problem)};
}

/// What every problem of a kind is called; a wrong status is called by what was tried.
std::string title_of(const Refusal& refusal) {
  switch (refusal.kind) {
    case Refusal::Kind::malformed: return "The request cannot be read";
    case Refusal::Kind::invalid: return "The request is not valid";
    case Refusal::Kind::wrong_status: return refusal.message;
    case Refusal::Kind::unauthenticated: return "A valid token is needed";
    case Refusal::Kind::forbidden: return "Not allowed";
    case Refusal::Kind::not_found: return "Not found";
    case Refusal::Kind::gone: return "Gone";
    case Refusal::Kind::exists: return "Conflict";
    case Refusal::Kind::stale: return "It was changed by another request";
    case Refusal::Kind::in_progress: return "The same request is still in progress";
    case Refusal::Kind::key_reused: return "The Idempotency-Key belongs to another request";
    case Refusal::Kind::ended: return "It has ended, or belongs to another worker";
    case Refusal::Kind::too_many: return "Too many requests";
    case Refusal::Kind::too_large: return "Too large";
    case Refusal::Kind::wrong_media: return "The body has an unsupported format";
    case Refusal::Kind::unavailable: return "Temporarily unavailable";
    case Refusal::Kind::full: return "The store is full";
    case Refusal::Kind::internal: return "Internal server error";
  }
  std::unreachable();
}

json::array errors_of(const Problems& problems) {
  json::array errors;
  for (const Problem& problem : problems)
    errors.push_back(json::object{
        {"pointer", problem.pointer}, {"code", problem.code}, {"message", problem.message}, {"hint", problem.hint}});
  return errors;
}

}  // namespace

int status_of(Refusal::Kind kind) {
  switch (kind) {
    case Refusal::Kind::malformed:
    case Refusal::Kind::wrong_status: return 400;
    case Refusal::Kind::unauthenticated: return 401;
    case Refusal::Kind::forbidden: return 403;
    case Refusal::Kind::not_found: return 404;
    case Refusal::Kind::gone: return 410;
    case Refusal::Kind::exists:
    case Refusal::Kind::in_progress:
    case Refusal::Kind::ended: return 409;
    case Refusal::Kind::stale: return 412;
    case Refusal::Kind::too_large: return 413;
    case Refusal::Kind::wrong_media: return 415;
    case Refusal::Kind::invalid:
    case Refusal::Kind::key_reused: return 422;
    case Refusal::Kind::too_many: return 429;
    case Refusal::Kind::unavailable: return 503;
    case Refusal::Kind::full: return 507;
    case Refusal::Kind::internal: return 500;
  }
  std::unreachable();
}

http::Response problem_response(const Refusal& refusal) {
  const int status = status_of(refusal.kind);
  // What went wrong inside may name files; it is for the log.
  const bool is_ours = refusal.kind == Refusal::Kind::internal;
  json::object problem{{"type", fmt::format("urn:carillon:problem:{}", refusal.code)},
                       {"title", title_of(refusal)},
                       {"status", status},
                       {"detail", is_ours ? "see the server's log" : refusal.message},
                       {"code", refusal.code}};
  if (!refusal.hint.empty()) problem["hint"] = refusal.hint;
  if (!refusal.errors.empty()) problem["errors"] = errors_of(refusal.errors);
  http::Response response = response_of(status, std::move(problem));
  if (refusal.kind == Refusal::Kind::unauthenticated) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (refusal.kind == Refusal::Kind::too_many || refusal.kind == Refusal::Kind::unavailable)
    response.headers.emplace_back("Retry-After", "1");
  return response;
}

http::Response problem_response(int status, std::string_view detail) {
  return response_of(status, {{"type", "about:blank"},
                              {"title", http::reason_of(status)},
                              {"status", status},
                              {"detail", detail},
                              {"code", fmt::format("http_{}", status)}});
}

}  // namespace carillon::rest
