#include "api/rest/documents.hpp"
#include "api/rest/page_token.hpp"
#include "api/rest/routes.hpp"
#include "base/quoted.hpp"
#include "service/schedule_search.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/ranges.h>

#include <charconv>

namespace carillon::rest {
namespace {

namespace json = boost::json;

constexpr std::int64_t page_size_default = 50;
constexpr std::int64_t page_size_max = 500;
constexpr std::int64_t log_page_max = 1024 * 1024;

/// A list of runs as it is asked for; `schedule` is the one that its search names.
struct RunListing {
  RunListRequest request{};
  std::optional<std::string> schedule{};
};

RunListRequest request_in(Parameters& parameters) {
  RunListRequest request{.filter = {}, .before = {}};
  request.filter.states = parameters.words<RunState>("state");
  request.filter.sources = parameters.words<Source>("source");
  request.filter.since = parameters.instant("since");
  request.filter.until = parameters.instant("until");
  request.filter.queue = parameters.text("queue").value_or("");
  request.filter.with_decisions = parameters.flag("decisions");
  request.count_max =
      static_cast<std::size_t>(parameters.integer("limit", 1, page_size_max).value_or(page_size_default));
  request.before = place_of_page(parameters, seq_after);
  return request;
}

/// What parameters and search say together.
Served<RunListing> listing_in(Call& call) {
  RunListing listing{.request = request_in(call.parameters)};
  const auto text = call.parameters.text("filter");
  if (!text) return listing;
  RunSearch search{.filter = listing.request.filter};
  TRY(add_search(*text, call.application.clock().now(), search));
  listing.request.filter = std::move(search.filter);
  listing.schedule = std::move(search.schedule);
  return listing;
}

Reply reply_of(const RunPage& page) {
  std::string body = R"({"items":[)";
  std::optional<Seq> next = page.next;
  for (std::size_t i = 0; i < page.items.size(); ++i) {
    const std::string item = json::serialize(run_document(page.items[i]));
    if (i > 0 && body.size() + item.size() > page_bytes_max) {
      next = page.items[i - 1].record.seq;
      break;
    }
    if (i > 0) body += ',';
    body += item;
  }
  body += fmt::format(R"(],"nextPageToken":{}}})",
                      next ? fmt::format("\"{}\"", page_token(static_cast<std::int64_t>(*next))) : "null");
  return {.body = std::move(body)};
}

Reply reply_of(int status, const RunAnswer& run) {
  return {.status = status, .body = json::serialize(run_document(run))};
}

/// `bytes=100-` or `bytes=-100`; others mean the whole. Whether it was one that is read.
bool read_range(std::string_view header, LogQuery& query) {
  constexpr std::string_view unit = "bytes=";
  if (!header.starts_with(unit)) return false;
  header.remove_prefix(unit.size());
  const std::size_t dash = header.find('-');
  if (dash == std::string_view::npos) return false;
  const auto number = [](std::string_view text) -> std::optional<std::int64_t> {
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || stop != text.data() + text.size() || value < 0) return std::nullopt;
    return value;
  };
  const auto first = number(header.substr(0, dash));
  const auto last = number(header.substr(dash + 1));
  if (first && last && *last < *first) return false;
  if (first) {
    query.offset = *first;
    if (last) query.count_max = std::min(query.count_max, static_cast<std::size_t>(*last - *first) + 1);
    return true;
  }
  if (last && dash == 0) query.tail = last;
  return last && dash == 0;
}

/// Whether a header names a range at all.
bool is_range(std::string_view header, LogQuery query) { return read_range(header, query); }

}  // namespace

LogQuery log_query_in(Call& call) {
  Parameters& parameters = call.parameters;
  LogQuery query{.count_max = static_cast<std::size_t>(log_page_max)};
  query.attempt = parameters.integer("attempt", 1, 1'000'000);
  query.offset = parameters.integer("offset", 0, std::numeric_limits<std::int64_t>::max()).value_or(0);
  query.tail = parameters.integer("tail", 0, std::numeric_limits<std::int64_t>::max());
  query.count_max = static_cast<std::size_t>(parameters.integer("limit", 1, log_page_max).value_or(log_page_max));
  static_cast<void>(parameters.flag("follow"));
  if (const auto range = call.request.headers.find("Range")) static_cast<void>(read_range(*range, query));
  return query;
}

Served<Reply> list_schedule_runs(Call& call) {
  const ScheduleName name = call.schedule();
  RunListRequest request = request_in(call.parameters);
  TRY(call.parameters.finish());
  return reply_of(TRY(call.application.runs().list_of(call.caller, name, std::move(request))));
}

Served<Reply> list_runs(Call& call) {
  RunListing listing = TRY(listing_in(call));
  RunListRequest& request = listing.request;
  request.filter.name_space = call.parameters.text("namespace");
  auto schedule = call.parameters.text("schedule");
  if (!schedule) schedule = std::move(listing.schedule);
  TRY(call.parameters.finish());
  if (schedule)
    return reply_of(TRY(call.application.runs().list_of(
        call.caller, {.id = *schedule, .name_space = request.filter.name_space}, std::move(request))));
  return reply_of(TRY(call.application.runs().list(call.caller, std::move(request))));
}

Served<Reply> get_run(Call& call) {
  const auto name_space = call.parameters.text("namespace");
  TRY(call.parameters.finish());
  return reply_of(200, TRY(call.application.runs().get(call.caller, call.ids.front(), name_space)));
}

Served<Reply> cancel_run(Call& call) {
  const auto name_space = call.parameters.text("namespace");
  TRY(call.parameters.finish());
  return reply_of(202, TRY(call.application.runs().cancel(call.caller, call.ids.front(), name_space, call.terms)));
}

Served<Reply> retry_run(Call& call) {
  const auto name_space = call.parameters.text("namespace");
  const Retry how = call.parameters.flag("failedItems") ? Retry::failed_items : Retry::whole;
  TRY(call.parameters.finish());
  const TriggerAnswer answer =
      TRY(call.application.runs().retry(call.caller, call.ids.front(), name_space, call.terms, how));
  return Reply{.status = 202, .body = trigger_text(answer)};
}

Served<Reply> get_run_log(Call& call) {
  const auto name_space = call.parameters.text("namespace");
  const LogQuery query = log_query_in(call);
  TRY(call.parameters.finish());
  LogAnswer log = TRY(call.application.runs().log(call.caller, call.ids.front(), name_space, query));
  const auto length = static_cast<std::int64_t>(log.page.bytes.size());
  // Where a part in the middle was left out, offsets are not those of the bytes that are answered.
  const bool is_part = is_range(call.request.headers.find("Range").value_or(""), query) && length > 0 &&
                       log.page.next_offset == log.offset + length;
  Reply reply{.status = is_part ? 206 : 200,
              .body = std::move(log.page.bytes),
              .headers = {{"Content-Type", "text/plain; charset=utf-8"},
                          {"X-Content-Type-Options", "nosniff"},
                          {"Carillon-Log-Attempt", std::to_string(log.attempt)},
                          {"Carillon-Log-Offset", std::to_string(log.offset)},
                          {"Carillon-Log-Next-Offset", std::to_string(log.page.next_offset)},
                          {"Carillon-Log-End", log.page.is_at_end ? "true" : "false"},
                          {"Carillon-Log-Truncated", log.page.is_truncated ? "true" : "false"}}};
  if (is_part)
    reply.headers.emplace_back("Content-Range", fmt::format("bytes {}-{}/{}", log.offset, log.offset + length - 1,
                                                            std::max(log.page.size, log.offset + length)));
  return reply;
}

Served<Reply> create_job(Call& call) {
  const auto name_space = call.parameters.text("namespace");
  TRY(call.parameters.finish());
  const RunAnswer run = TRY(call.application.runs().enqueue(call.caller, TRY(call.body()), call.terms, name_space));
  Reply reply = reply_of(201, run);
  reply.headers.emplace_back("Location", "/api/v1/jobs/" + run.id);
  return reply;
}

Served<Reply> get_job(Call& call) { return get_run(call); }

}  // namespace carillon::rest
