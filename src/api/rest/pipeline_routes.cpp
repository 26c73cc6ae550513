#include "api/rest/documents.hpp"
#include "api/rest/page_token.hpp"
#include "api/rest/routes.hpp"
#include "base/quoted.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace carillon::rest {
namespace {

namespace json = boost::json;

constexpr std::int64_t item_page_size_default = 50;
constexpr std::int64_t item_page_size_max = 500;

constexpr std::array<std::pair<std::string_view, ItemChoice>, 2> item_states{
    {{"succeeded", ItemChoice::succeeded}, {"failed", ItemChoice::failed}}};

ItemQuery item_query_in(Parameters& parameters) {
  ItemQuery query{.count_max = static_cast<std::size_t>(
                      parameters.integer("limit", 1, item_page_size_max).value_or(item_page_size_default)),
                  .size_max = page_bytes_max};
  if (const auto state = parameters.text("state")) {
    const auto* found = std::ranges::find(item_states, *state, &std::pair<std::string_view, ItemChoice>::first);
    if (found == item_states.end())
      parameters.fault("state", fmt::format("unknown state {}", quoted(*state)), "one of succeeded, failed");
    else
      query.choice = found->second;
  }
  query.from = place_of_page(parameters, item_cursor).value_or(query.from);
  return query;
}

}  // namespace

Served<Reply> list_run_items(Call& call) {
  const auto name_space = call.parameters.text("namespace");
  const ItemQuery query = item_query_in(call.parameters);
  TRY(call.parameters.finish());
  const ItemPage page = TRY(call.application.runs().items(call.caller, call.ids.front(), name_space, query));
  std::string body = R"({"items":[)";
  for (std::size_t i = 0; i < page.items.size(); ++i) {
    if (i > 0) body += ',';
    body += item_text(page.items[i]);
  }
  body += fmt::format(R"(],"nextPageToken":{}}})", page.next ? fmt::format("\"{}\"", page_token(*page.next)) : "null");
  return Reply{.body = std::move(body)};
}

Served<Reply> list_pipelines(Call& call) {
  const auto limit = call.parameters.integer("limit", 1, item_page_size_max).value_or(item_page_size_default);
  const std::int64_t from = place_of_page(call.parameters, number_after).value_or(0);
  TRY(call.parameters.finish());
  const PipelinePage page = TRY(
      call.application.pipelines().list(call.caller, static_cast<std::size_t>(from), static_cast<std::size_t>(limit)));
  json::array items;
  for (const PipelineEntry& entry : page.list.items) items.push_back(pipeline_document(entry));
  json::object document{{"items", std::move(items)},
                        {"total", page.list.total},
                        {"nextPageToken", nullptr},
                        {"faults", faults_document(page.list.faults)}};
  if (page.next) document["nextPageToken"] = page_token(static_cast<std::int64_t>(*page.next));
  return Reply{.body = json::serialize(document)};
}

Served<Reply> validate_pipeline(Call& call) {
  TRY(call.parameters.finish());
  const auto faults = TRY(call.application.pipelines().validate(call.caller, TRY(call.body())));
  return Reply{.body = json::serialize(json::object{{"valid", faults.empty()}, {"faults", faults_document(faults)}})};
}

}  // namespace carillon::rest
