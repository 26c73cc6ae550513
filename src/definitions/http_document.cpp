#include "base/quoted.hpp"
#include "definitions/action_document.hpp"
#include "definitions/members.hpp"
#include "definitions/url.hpp"

#include <boost/json/array.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace carillon {
namespace {

namespace json = boost::json;

constexpr std::int64_t status_min = 100;
constexpr std::int64_t status_max = 599;

std::string upper_case(std::string_view text) {
  std::string upper{text};
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

void read_url(ObjectReader& reader, HttpAction& http) {
  const auto url =
      text_within(reader, "url", {.length_min = 1, .length_max = url_length_max, .with_control_characters = true});
  if (!url) return;
  if (const auto error = check_url(*url)) reader.problem("url", *error);
  http.url = *url;
}

void read_method(ObjectReader& reader, HttpAction& http) {
  const auto text = reader.text("method");
  if (!text) return;
  http.method = upper_case(*text);
  if (std::ranges::find(http_methods, http.method) == http_methods.end())
    reader.problem("method", "invalid-word", fmt::format("unknown method {}", quoted(*text)),
                   fmt::format("use one of: {}", fmt::join(http_methods, ", ")));
}

bool is_token_character(char c) {
  const bool is_alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return is_alphanumeric || std::string_view{"!#$%&'*+-.^_`|~"}.contains(c);
}

/// These say where a request ends, which is for the sender to say.
bool is_framing_header(std::string_view name) {
  const std::string upper = upper_case(name);
  return upper == "CONTENT-LENGTH" || upper == "TRANSFER-ENCODING" || upper == "CONNECTION";
}

std::optional<Error> check_header(std::string_view name, std::string_view value) {
  if (name.empty() || name.size() > header_length_max || !std::ranges::all_of(name, is_token_character))
    return fault("invalid-header", fmt::format("{} is not a valid header name", quoted(name)),
                 "use letters, digits and '-'");
  if (is_framing_header(name))
    return fault("invalid-header", fmt::format("the header {} is set by carillon", name), "leave it out");
  const auto is_forbidden = [](char c) { return c != '\t' && is_control_character(c); };
  if (value.size() > header_length_max || std::ranges::any_of(value, is_forbidden))
    return fault("invalid-header", fmt::format("the value of the header {} is too long or has a line break", name),
                 fmt::format("write one line of at most {} bytes", header_length_max));
  return std::nullopt;
}

void check_header_names(ObjectReader& reader, const TextMap& headers) {
  std::set<std::string> seen;
  for (const auto& [name, value] : headers) {
    if (seen.insert(upper_case(name)).second) continue;
    reader.problem("headers", "duplicate-key",
                   fmt::format("the header {} is given twice, with different capitals", name),
                   "write it once, with comma-separated values");
  }
}

std::optional<std::int64_t> status_in(std::string_view text) {
  std::int64_t status = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), status);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return status;
}

std::optional<StatusRange> status_range_in(const json::value& value) {
  if (value.is_int64()) return StatusRange{value.get_int64(), value.get_int64()};
  const json::string* text = value.if_string();
  if (text == nullptr) return std::nullopt;
  const std::string_view whole = *text;
  const std::size_t dash = whole.find('-');
  const auto first = status_in(whole.substr(0, dash));
  const auto last = dash == whole.npos ? first : status_in(whole.substr(dash + 1));
  if (!first || !last) return std::nullopt;
  return StatusRange{*first, *last};
}

bool is_sound(const StatusRange& range) {
  return range.first >= status_min && range.last <= status_max && range.first <= range.last;
}

void read_success_codes(ObjectReader& reader, HttpAction& http, Problems& problems) {
  const json::array* codes = list_within(reader, "successCodes", success_code_count_max);
  if (codes == nullptr) return;
  http.success_codes.clear();
  if (codes->empty())
    reader.problem("successCodes", "too-short", "successCodes is empty", "write [200-299], or leave it out");
  for (std::size_t i = 0; i < codes->size(); ++i) {
    const auto range = status_range_in((*codes)[i]);
    if (range && is_sound(*range)) {
      http.success_codes.push_back(*range);
      continue;
    }
    const Error error = fault("invalid-status", "a success code must be a status or a range of statuses",
                              fmt::format("write 204 or \"200-299\", from {} to {}", status_min, status_max));
    problems.push_back(to_problem(element_pointer(reader.pointer("successCodes"), i), error));
  }
}

/// `${env:NAME}`, `${file:path}` or `${secret:name}`.
bool is_reference(std::string_view text) {
  if (!text.starts_with("${") || !text.ends_with('}')) return false;
  const std::string_view inner = text.substr(2, text.size() - 3);
  const std::string_view kind = inner.substr(0, inner.find(':'));
  const bool is_known = kind == "env" || kind == "file" || kind == "secret";
  return is_known && inner.size() > kind.size() + 1 && !inner.contains('}');
}

void read_signing_secret(ObjectReader& reader, HttpAction& http) {
  http.signing_secret = text_within(reader, "signingSecret", {.length_min = 1, .length_max = path_length_max});
  if (!http.signing_secret || is_reference(*http.signing_secret)) return;
  // Without the text: it may well be the secret.
  reader.problem("signingSecret", "plain-secret", "signingSecret is not a reference to a secret",
                 "write ${env:NAME}, ${file:path} or ${secret:name}; the secret itself is never stored");
}

json::value write_status_range(const StatusRange& range) {
  if (range.first == range.last) return range.first;
  return json::value(fmt::format("{}-{}", range.first, range.last));
}

}  // namespace

HttpAction read_http(const json::value& document, std::string pointer, Problems& problems) {
  HttpAction http;
  ObjectReader reader{document, std::move(pointer), problems};
  read_url(reader, http);
  require(reader, document, "url", "a request needs url", "write url: https://example.com/hook");
  read_method(reader, http);
  http.headers = text_map_within(reader, "headers", header_count_max, problems, check_header);
  check_header_names(reader, http.headers);
  http.body = json_within(reader, "body").value_or(nullptr);
  read_success_codes(reader, http, problems);
  read_signing_secret(reader, http);
  reader.finish();
  return http;
}

json::object write(const HttpAction& action) {
  json::array codes;
  for (const StatusRange& range : action.success_codes) codes.push_back(write_status_range(range));
  return {
      {"url", action.url},   {"method", action.method},          {"headers", write_text_map(action.headers)},
      {"body", action.body}, {"successCodes", std::move(codes)}, {"signingSecret", write_text(action.signing_secret)}};
}

}  // namespace carillon
