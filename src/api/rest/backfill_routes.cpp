#include "api/rest/documents.hpp"
#include "api/rest/page_token.hpp"
#include "api/rest/routes.hpp"

#include <boost/json/serialize.hpp>

namespace carillon::rest {
namespace {

namespace json = boost::json;

Served<BackfillRequest> backfill_request_in(const json::value& body) {
  Problems problems;
  BackfillRequest request = read_backfill_options(body, "", problems);
  if (!problems.empty()) return std::unexpected(Refusal{std::move(problems)});
  return request;
}

Served<Reply> change(Call& call, BackfillChanged::Kind kind) {
  const ScheduleName name = call.schedule();
  TRY(call.parameters.finish());
  const auto answer = TRY(call.application.backfills().change(call.caller, name, call.ids.at(1), kind, call.terms));
  return Reply{.body = json::serialize(backfill_document(answer))};
}

}  // namespace

Served<Reply> preview_backfill(Call& call) {
  const ScheduleName name = call.schedule();
  TRY(call.parameters.finish());
  const BackfillRequest request = TRY(backfill_request_in(TRY(call.body())));
  return Reply{
      .body = json::serialize(preview_document(TRY(call.application.backfills().preview(call.caller, name, request))))};
}

Served<Reply> create_backfill(Call& call) {
  const ScheduleName name = call.schedule();
  TRY(call.parameters.finish());
  const BackfillRequest request = TRY(backfill_request_in(TRY(call.body())));
  if (call.terms.is_dry_run)
    return Reply{.body = json::serialize(
                     preview_document(TRY(call.application.backfills().preview(call.caller, name, request))))};
  const auto answer = TRY(call.application.backfills().create(call.caller, name, request, call.terms));
  return Reply{.status = 201,
               .body = json::serialize(backfill_document(answer)),
               .headers = {{"Location", location_of(answer.key, "/backfills/" + answer.record.id)}}};
}

Served<Reply> list_all_backfills(Call& call) {
  BackfillQuery query;
  query.name_space = call.parameters.text("namespace");
  query.is_open_only = call.parameters.flag("open");
  query.count_max = static_cast<std::size_t>(call.parameters.integer("limit", 1, 500).value_or(50));
  query.before = place_of_page(call.parameters, seq_after);
  TRY(call.parameters.finish());
  const BackfillPage page = TRY(call.application.backfills().list_all(call.caller, query));
  json::array items;
  for (const BackfillAnswer& answer : page.items) items.push_back(backfill_document(answer));
  return Reply{.body = page_text(std::move(items), token_of(page.next))};
}

Served<Reply> list_backfills(Call& call) {
  const ScheduleName name = call.schedule();
  TRY(call.parameters.finish());
  json::array items;
  for (const BackfillAnswer& answer : TRY(call.application.backfills().list(call.caller, name)))
    items.push_back(backfill_document(answer));
  return Reply{.body = json::serialize(json::object{{"items", std::move(items)}})};
}

Served<Reply> get_backfill(Call& call) {
  const ScheduleName name = call.schedule();
  TRY(call.parameters.finish());
  const auto answer = TRY(call.application.backfills().get(call.caller, name, call.ids.at(1)));
  return Reply{.body = json::serialize(backfill_document(answer))};
}

Served<Reply> pause_backfill(Call& call) { return change(call, BackfillChanged::Kind::pause); }
Served<Reply> resume_backfill(Call& call) { return change(call, BackfillChanged::Kind::resume); }
Served<Reply> cancel_backfill(Call& call) { return change(call, BackfillChanged::Kind::cancel); }

}  // namespace carillon::rest
