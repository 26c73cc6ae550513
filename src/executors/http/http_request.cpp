#include "executors/http/http_request.hpp"

#include "base/quoted.hpp"
#include "definitions/action_document.hpp"
#include "definitions/members.hpp"
#include "definitions/url.hpp"
#include "executors/http/templates.hpp"
#include "executors/http/webhook_signature.hpp"
#include "scheduling/envelope.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>

namespace carillon {
namespace {

namespace json = boost::json;

constexpr std::size_t url_size_max = 4 * url_length_max;  // that is counted in characters

/// In lower case: where a request goes and where it ends is not for an action to say.
constexpr std::array<std::string_view, 5> refused_headers{"connection", "content-length", "expect", "host",
                                                          "transfer-encoding"};
constexpr std::array<std::string_view, 4> own_headers{"idempotency-key", "webhook-id", "webhook-signature",
                                                      "webhook-timestamp"};

std::string lower_case(std::string_view text) {
  std::string lower{text};
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

template <std::size_t count>
bool is_among(const std::array<std::string_view, count>& names, std::string_view name) {
  return std::ranges::find(names, lower_case(name)) != names.end();
}

bool has_header(const HttpRequest& request, std::string_view lower_case_name) {
  return std::ranges::any_of(request.headers,
                             [&](const auto& header) { return lower_case(header.first) == lower_case_name; });
}

/// Documents are checked when they are saved. Here only what would change the meaning of the request.
Result<> check_target(const HttpAction& action) {
  if (std::ranges::find(http_methods, action.method) == http_methods.end())
    return fail(ErrorCode::invalid_argument, "unknown method {}", quoted(action.method));
  if (action.url.size() > url_size_max)
    return fail(ErrorCode::invalid_argument, "the URL is longer than {} bytes", url_size_max);
  if (auto error = check_url(action.url)) return std::unexpected(*std::move(error));
  return {};
}

Result<> check_header(std::string_view name, std::string_view value) {
  if (name.empty() || has_control_character(name) || name.find_first_of(": ;") != name.npos)
    return fail(ErrorCode::invalid_argument, "{} is not a valid header name", quoted(name));
  if (is_among(refused_headers, name))
    return fail(ErrorCode::invalid_argument, "the header {} is set by carillon", name);
  const auto is_forbidden = [](char c) { return c != '\t' && is_control_character(c); };
  if (value.size() > header_length_max || std::ranges::any_of(value, is_forbidden))
    return fail(ErrorCode::invalid_argument, "the value of the header {} is too long or has a line break", name);
  return {};
}

Result<> add_action_headers(HttpRequest& request, const HttpAction& action, const SecretResolver& resolve) {
  for (const auto& [name, value] : action.headers) {
    ResolvedText resolved = TRY(while_doing(resolve_references(value, resolve), "filling in the header {}", name));
    TRY(check_header(name, resolved.text));
    std::ranges::move(resolved.secrets, std::back_inserter(request.secrets));
    if (!is_among(own_headers, name)) request.headers.emplace_back(name, std::move(resolved.text));
  }
  return {};
}

Result<std::optional<std::string>> body_of(const HttpAction& action, const Envelope& envelope) {
  if (action.body.is_null()) {
    if (action.method == "GET" || action.method == "HEAD") return std::nullopt;
    return TRY(to_json(envelope));
  }
  if (action.method == "HEAD") return fail(ErrorCode::invalid_argument, "a HEAD request cannot have a body");
  const TextMap values = template_values(envelope);
  if (const json::string* text = action.body.if_string()) return TRY(expand(*text, values, request_body_size_max));
  return json::serialize(TRY(expand_tree(action.body, values, request_body_size_max)));
}

Result<> sign(HttpRequest& request, std::string_view reference, const Envelope& envelope, const SecretResolver& resolve,
              Instant now) {
  ResolvedText secret = TRY(while_doing(resolve_references(reference, resolve), "reading the signing secret"));
  const auto keys = TRY(while_doing(parse_signing_keys(secret.text), "reading the signing secret {}", reference));
  request.headers.emplace_back("webhook-timestamp", webhook_timestamp(now));
  request.headers.emplace_back("webhook-signature",
                               webhook_signature(keys, envelope.run_id, now, request.body.value_or("")));
  for (const SigningKey& key : keys) request.secrets.push_back(key.text);
  return {};
}

}  // namespace

Result<HttpRequest> prepare_request(const HttpAction& action, const Envelope& envelope, const SecretResolver& resolve,
                                    std::string_view user_agent, Instant now) {
  TRY(check_target(action));
  auto body = TRY(body_of(action, envelope));
  HttpRequest request{.method = action.method,
                      .url = action.url,
                      .headers = {},
                      .body = std::move(body),
                      .success_codes = action.success_codes,
                      .secrets = {}};
  if (request.body && request.body->size() > request_body_size_max)
    return fail(ErrorCode::invalid_argument, "the body is larger than {} bytes", request_body_size_max);
  TRY(add_action_headers(request, action, resolve));
  request.headers.emplace_back("Idempotency-Key", envelope.run_name);
  request.headers.emplace_back("webhook-id", envelope.run_id);
  if (!has_header(request, "user-agent")) request.headers.emplace_back("User-Agent", user_agent);
  if (request.body && !has_header(request, "content-type"))
    request.headers.emplace_back("Content-Type", "application/json");
  if (action.signing_secret) TRY(sign(request, *action.signing_secret, envelope, resolve, now));
  return request;
}

}  // namespace carillon
