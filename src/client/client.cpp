#include "client/client.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace carillon {
namespace {

constexpr std::string_view base_path = "/api/v1";
constexpr std::size_t page_size_max = 500;

std::string query_text(const Query& query) {
  std::string text;
  for (const auto& [name, value] : query) {
    if (value.empty()) continue;
    text += fmt::format("{}{}={}", text.empty() ? '?' : '&', name, path_part(value));
  }
  return text;
}

/// The text of a member, or nothing.
std::string text_in(const boost::json::object& object, std::string_view key) {
  const auto* member = object.if_contains(key);
  return member != nullptr && member->is_string() ? std::string{member->get_string()} : std::string{};
}

ErrorCode code_for(int status) {
  switch (status) {
    case 404:
    case 410: return ErrorCode::not_found;
    case 409:
    case 412:
    case 428: return ErrorCode::conflict;
    default: return status >= 500 || status == 429 ? ErrorCode::unavailable : ErrorCode::invalid_argument;
  }
}

/// A rule lives as long as the program, as those of our own do: only codes that are known get that far.
std::string_view rule_for(int status, std::string_view code) {
  switch (status) {
    case 401: return "unauthorized";
    case 403: return "forbidden";
    case 404: return "not_found";
    case 412:
    case 428: return "stale";
    case 429: return "too_many_requests";
    default: break;
  }
  constexpr std::array<std::string_view, 15> known{"answers_expired",
                                                   "conflict",
                                                   "ended",
                                                   "idempotency_in_progress",
                                                   "idempotency_key_reused",
                                                   "internal",
                                                   "invalid",
                                                   "items_expired",
                                                   "log_expired",
                                                   "not_yours",
                                                   "session_over",
                                                   "stopping",
                                                   "too_large",
                                                   "unavailable",
                                                   "wrong_status"};
  const auto found = std::ranges::find(known, code);
  return found == known.end() ? std::string_view{} : *found;
}

std::vector<std::string> faults_in(const boost::json::object& problem) {
  std::vector<std::string> faults;
  const auto* errors = problem.if_contains("errors");
  if (errors == nullptr || !errors->is_array()) return faults;
  for (const auto& error : errors->get_array()) {
    if (!error.is_object()) continue;
    const std::string pointer = text_in(error.get_object(), "pointer");
    const std::string hint = text_in(error.get_object(), "hint");
    faults.push_back(fmt::format("{}{}{}{}{}", pointer, pointer.empty() ? "" : ": ",
                                 text_in(error.get_object(), "message"), hint.empty() ? "" : " — ", hint));
  }
  return faults;
}

/// Errors begin small and end without a stop, since both are added where they are shown.
std::string as_message(std::string text) {
  while (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

std::string path_part(std::string_view text) {
  std::string encoded;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    const bool is_plain = (std::isalnum(byte) != 0 && byte < 128) || std::string_view{"-._~"}.contains(character);
    encoded += is_plain ? std::string(1, character) : fmt::format("%{:02X}", byte);
  }
  return encoded;
}

Error error_of(const ServerAnswer& answer) {
  Error error{.code = code_for(answer.status),
              .message = fmt::format("the server answered {}", answer.status),
              .hint = {},
              .rule = rule_for(answer.status, {}),
              .position = {},
              .context = {}};
  boost::system::error_code unreadable;
  const auto body = boost::json::parse(answer.body, unreadable);
  if (unreadable || !body.is_object()) return error;
  const auto& problem = body.get_object();
  const std::string detail = text_in(problem, "detail");
  const std::string title = text_in(problem, "title");
  if (!detail.empty() || !title.empty()) error.message = as_message(detail.empty() ? title : detail);
  error.rule = rule_for(answer.status, text_in(problem, "code"));
  error.context = faults_in(problem);
  error.hint = as_message(text_in(problem, "hint"));
  // One fault is the detail itself.
  if (error.context.size() == 1) {
    error.context.clear();
    const auto& fault = problem.at("errors").get_array().front();
    if (error.hint.empty() && fault.is_object()) error.hint = as_message(text_in(fault.get_object(), "hint"));
  }
  // What is wrong inside stands in the server's log, with the same id.
  if (const std::string_view request = answer.header("x-request-id"); answer.status >= 500 && !request.empty())
    error.context.push_back(fmt::format("request {}", request));
  return error;
}

ServerRequest Client::request(std::string method, std::string_view path, const Query& query) const {
  Query whole = query;
  const auto has_namespace = std::ranges::any_of(query, [](const auto& entry) { return entry.first == "namespace"; });
  if (!endpoint_.name_space.empty() && !has_namespace) whole.emplace_back("namespace", endpoint_.name_space);
  ServerRequest request{.method = std::move(method),
                        .url = fmt::format("{}{}{}{}", endpoint_.url, base_path, path, query_text(whole)),
                        .authority_file = endpoint_.authority_file};
  if (!endpoint_.token.empty()) request.headers.emplace_back("Authorization", "Bearer " + endpoint_.token);
  request.headers.emplace_back("User-Agent", "carillon");
  return request;
}

Result<ServerAnswer> Client::succeeded(const ServerRequest& request, Result<ServerAnswer> answer) const {
  if (observer_) observer_(request, answer);
  if (answer && !answer->is_success()) return std::unexpected(error_of(*answer));
  return answer;
}

Result<ApiAnswer> Client::exchange(const ServerRequest& request) { return read(request, transport_.perform(request)); }

Result<ApiAnswer> Client::read(const ServerRequest& request, Result<ServerAnswer> received) const {
  const ServerAnswer answer = TRY(succeeded(request, std::move(received)));
  ApiAnswer result{.status = answer.status, .etag = std::string{answer.header("etag")}};
  if (answer.body.empty()) return result;
  boost::system::error_code unreadable;
  result.body = boost::json::parse(answer.body, unreadable);
  if (unreadable) return fail(ErrorCode::corrupt, "{} does not answer as a carillon server does", endpoint_.url);
  return result;
}

Result<ApiAnswer> Client::get(std::string_view path, const Query& query) {
  return exchange(request("GET", path, query));
}

ServerRequest Client::write_request(std::string method, std::string_view path, const boost::json::value* body,
                                    const Query& query, const WriteOptions& options) const {
  ServerRequest sent = request(std::move(method), path, query);
  if (body != nullptr) {
    sent.body = boost::json::serialize(*body);
    sent.headers.emplace_back("Content-Type", "application/json");
  }
  if (!options.if_match.empty()) sent.headers.emplace_back("If-Match", options.if_match);
  if (!options.idempotency_key.empty()) sent.headers.emplace_back("Idempotency-Key", options.idempotency_key);
  return sent;
}

Result<ApiAnswer> Client::write(std::string method, std::string_view path, const boost::json::value* body,
                                const Query& query, const WriteOptions& options) {
  return exchange(write_request(std::move(method), path, body, query, options));
}

Result<ApiAnswer> Client::post(std::string_view path, const boost::json::value& body, const Query& query,
                               const WriteOptions& options) {
  return write("POST", path, &body, query, options);
}

Result<ApiAnswer> Client::put(std::string_view path, const boost::json::value& body, const Query& query,
                              const WriteOptions& options) {
  return write("PUT", path, &body, query, options);
}

Result<ApiAnswer> Client::patch(std::string_view path, const boost::json::value& body, const Query& query,
                                const WriteOptions& options) {
  return write("PATCH", path, &body, query, options);
}

Result<ApiAnswer> Client::remove(std::string_view path, const Query& query, const WriteOptions& options) {
  return write("DELETE", path, nullptr, query, options);
}

Result<Client::Items> Client::list(std::string_view path, Query query, std::size_t count_max) {
  Items all;
  std::string page_token;
  do {
    Query page = query;
    page.emplace_back("limit", fmt::format("{}", std::min(page_size_max, count_max - all.items.size())));
    page.emplace_back("pageToken", page_token);
    ApiAnswer answer = TRY(get(path, page));
    auto* object = answer.body.if_object();
    auto* items = object != nullptr ? object->if_contains("items") : nullptr;
    if (items == nullptr || !items->is_array())
      return fail(ErrorCode::corrupt, "{} does not answer as a carillon server does", endpoint_.url);
    for (auto& item : items->get_array()) all.items.push_back(std::move(item));
    if (const auto* total = object->if_contains("total"); total != nullptr && total->is_number())
      all.total = total->to_number<std::size_t>();
    if (const auto* files = object->if_contains("brokenFiles"); files != nullptr && files->is_array())
      for (const auto& file : files->get_array())
        if (file.is_string()) all.broken_files.emplace_back(file.get_string());
    page_token = text_in(*object, "nextPageToken");
  } while (!page_token.empty() && all.items.size() < count_max);
  all.has_more = !page_token.empty();
  return all;
}

Result<ServerAnswer> Client::stream(std::string_view path, const Query& query, const Transport::Sink& sink,
                                    const HeaderFields& headers, Duration timeout) {
  ServerRequest sent = request("GET", path, query);
  sent.stream_timeout = timeout;
  sent.headers.insert(sent.headers.end(), headers.begin(), headers.end());
  return succeeded(sent, transport_.stream(sent, sink));
}

Result<ServerAnswer> Client::bytes(std::string_view path, const Query& query) {
  const ServerRequest sent = request("GET", path, query);
  return succeeded(sent, transport_.perform(sent));
}

}  // namespace carillon
