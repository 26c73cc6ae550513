#include "api/rest/batch_request.hpp"
#include "api/rest/documents.hpp"
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

std::string_view word_of_effect(BatchSample::Effect effect) {
  switch (effect) {
    case BatchSample::Effect::changed: return "changed";
    case BatchSample::Effect::unchanged: return "unchanged";
    case BatchSample::Effect::refused: return "refused";
  }
  std::unreachable();
}

void add_preview(const BatchPreview& preview, json::object& answer) {
  answer["affected"] = preview.affected;
  answer["unchanged"] = preview.unchanged;
  answer["refused"] = preview.refused;
  json::array samples;
  for (const BatchSample& sample : preview.samples)
    samples.push_back(json::object{{"namespace", sample.name.name_space.value_or("")},
                                   {"id", sample.name.id},
                                   {"name", sample.title},
                                   {"effect", word_of_effect(sample.effect)},
                                   {"message", text_or_null(sample.message)}});
  answer["samples"] = std::move(samples);
  answer["consequence"] = json::object{{"count", preview.consequence_count},
                                       {"sentence", text_or_null(preview.sentence)},
                                       {"partial", preview.is_partial}};
  answer["token"] = preview.token;
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
  const ScheduleBatch batch = TRY(read_batch(TRY(call.body()), name_space, call.application.clock().now()));
  const BatchAnswer done = TRY(call.application.batches().perform(call.caller, batch, call.terms));
  json::object answer{{"operation", batch_word(batch.operation)}, {"count", done.count}};
  if (done.preview) {
    add_preview(*done.preview, answer);
    return Reply{.body = json::serialize(answer)};
  }
  json::array results;
  for (const BatchAnswer::Item& item : done.items) results.push_back(result_of(item));
  answer["results"] = std::move(results);
  return Reply{.body = json::serialize(answer)};
}

}  // namespace carillon::rest
