#include "api/rest/batch_request.hpp"
#include "api/rest/routes.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace carillon::rest {
namespace {

namespace json = boost::json;

json::object result_of(const BatchAnswer::Item& item) {
  json::object result{
      {"namespace", item.name.name_space.value_or("")}, {"id", item.name.id}, {"ok", item.done.has_value()}};
  if (!item.done) {
    result["code"] = item.done.error().code;
    result["message"] = item.done.error().message;
  }
  return result;
}

}  // namespace

Served<Reply> batch_delete_schedules(Call& call) {
  const auto name_space = call.parameters.text("namespace");
  TRY(call.parameters.finish());
  const auto ids = TRY(read_ids(TRY(call.body())));
  TRY(call.application.batches().remove(call.caller, ids, name_space, call.terms));
  return Reply{.status = 204};
}

Served<Reply> batch_schedules(Call& call) {
  const auto name_space = call.parameters.text("namespace");
  TRY(call.parameters.finish());
  const ScheduleBatch batch = TRY(read_batch(TRY(call.body()), name_space));
  const BatchAnswer done = TRY(call.application.batches().perform(call.caller, batch, call.terms));
  json::object answer{{"operation", batch_word(batch.operation)}, {"count", done.count}};
  if (batch.is_preview || call.terms.is_dry_run) return Reply{.body = json::serialize(answer)};
  json::array results;
  for (const BatchAnswer::Item& item : done.items) results.push_back(result_of(item));
  answer["results"] = std::move(results);
  return Reply{.body = json::serialize(answer)};
}

}  // namespace carillon::rest
