#include "api/rest/documents.hpp"
#include "api/rest/page_token.hpp"
#include "api/rest/routes.hpp"

#include <boost/json/serialize.hpp>

namespace carillon::rest {

namespace json = boost::json;

Served<Reply> list_dead_letters(Call& call) {
  DeadLetterQuery query;
  query.name_space = call.parameters.text("namespace");
  query.queue = call.parameters.text("queue").value_or("");
  query.count_max = static_cast<std::size_t>(call.parameters.integer("limit", 1, 500).value_or(50));
  query.before = place_of_page(call.parameters, seq_after);
  TRY(call.parameters.finish());
  const RunPage page = TRY(call.application.runs().list_dead_letters(call.caller, query));
  json::array items;
  for (const RunAnswer& run : page.items) items.push_back(run_document(run));
  return Reply{.body = page_text(std::move(items), token_of(page.next))};
}

Served<Reply> retry_dead_letter(Call& call) {
  const auto name_space = call.parameters.text("namespace");
  TRY(call.parameters.finish());
  const RunAnswer run =
      TRY(call.application.runs().retry_dead_letter(call.caller, call.ids.front(), name_space, call.terms));
  return Reply{.status = 202, .body = json::serialize(run_document(run))};
}

Served<Reply> discard_dead_letter(Call& call) {
  const auto name_space = call.parameters.text("namespace");
  TRY(call.parameters.finish());
  TRY(call.application.runs().discard_dead_letter(call.caller, call.ids.front(), name_space, call.terms));
  return Reply{.status = 204};
}

Served<Reply> patch_queue(Call& call) {
  const auto name_space = call.parameters.text("namespace");
  TRY(call.parameters.finish());
  const auto body = TRY(call.body());
  Problems problems;
  ObjectReader reader{body, "", problems};
  QueueChange change;
  // Null takes a limit away; left out, it stays as it is.
  if (body.is_object() && body.get_object().contains("limit")) change.limit = reader.integer("limit");
  change.keeps_failed = reader.boolean("keepFailed");
  reader.finish();
  if (!problems.empty()) return std::unexpected(Refusal{std::move(problems)});
  const QueueRecord queue =
      TRY(call.application.system().change_queue(call.caller, name_space, call.ids.front(), change));
  return Reply{.body = json::serialize(queue_document(queue, call.application.clock().now()))};
}

}  // namespace carillon::rest
