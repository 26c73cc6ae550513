#include "api/rest/documents.hpp"
#include "api/rest/routes.hpp"

#include <boost/json/serialize.hpp>

namespace carillon::rest {
namespace {

namespace json = boost::json;

Served<BackfillWish> wish_in(const json::value& body) {
  Problems problems;
  ObjectReader reader{body, "", problems};
  BackfillWish wish;
  const auto required = [&](std::string_view key) {
    const auto instant = reader.instant(key);
    if (!instant && reader.member(key) == nullptr)
      reader.problem(key, "missing", fmt::format("{} is missing", key), "2026-10-01T00:00:00Z");
    return instant.value_or(Instant{});
  };
  wish.from = required("from");
  wish.to = required("to");
  if (const auto order = reader.word("order", words_of<BackfillOrder>()))
    wish.order = static_cast<BackfillOrder>(*order);
  if (const auto reprocess = reader.word("reprocess", words_of<Reprocess>()))
    wish.reprocess = static_cast<Reprocess>(*reprocess);
  wish.concurrency = reader.integer("concurrency").value_or(1);
  if (wish.concurrency < 1 || wish.concurrency > backfill_concurrency_max)
    reader.problem("concurrency", "out-of-range", "concurrency is out of range", "write a whole number from 1 to 1000");
  wish.is_exclusive = reader.boolean("exclusive").value_or(false);
  reader.finish();
  if (!problems.empty()) return std::unexpected(Refusal{std::move(problems)});
  return wish;
}

Served<Reply> change(Call& call, BackfillChanged::Kind kind) {
  const ScheduleName name = call.schedule();
  TRY(call.parameters.finish());
  const auto answer = TRY(call.services.backfills.change(call.caller, name, call.ids.at(1), kind, call.terms));
  return Reply{.body = json::serialize(backfill_document(answer))};
}

}  // namespace

Served<Reply> preview_backfill(Call& call) {
  const ScheduleName name = call.schedule();
  TRY(call.parameters.finish());
  const BackfillWish wish = TRY(wish_in(TRY(call.body())));
  return Reply{.body =
                   json::serialize(preview_document(TRY(call.services.backfills.preview(call.caller, name, wish))))};
}

Served<Reply> create_backfill(Call& call) {
  const ScheduleName name = call.schedule();
  TRY(call.parameters.finish());
  const BackfillWish wish = TRY(wish_in(TRY(call.body())));
  if (call.terms.is_dry_run)
    return Reply{.body =
                     json::serialize(preview_document(TRY(call.services.backfills.preview(call.caller, name, wish))))};
  const auto answer = TRY(call.services.backfills.create(call.caller, name, wish, call.terms));
  return Reply{.status = 201,
               .body = json::serialize(backfill_document(answer)),
               .headers = {{"Location", location_of(answer.key, "/backfills/" + answer.record.id)}}};
}

Served<Reply> list_backfills(Call& call) {
  const ScheduleName name = call.schedule();
  TRY(call.parameters.finish());
  json::array items;
  for (const BackfillAnswer& answer : TRY(call.services.backfills.list(call.caller, name)))
    items.push_back(backfill_document(answer));
  return Reply{.body = json::serialize(json::object{{"items", std::move(items)}})};
}

Served<Reply> get_backfill(Call& call) {
  const ScheduleName name = call.schedule();
  TRY(call.parameters.finish());
  const auto answer = TRY(call.services.backfills.get(call.caller, name, call.ids.at(1)));
  return Reply{.body = json::serialize(backfill_document(answer))};
}

Served<Reply> pause_backfill(Call& call) { return change(call, BackfillChanged::Kind::pause); }
Served<Reply> resume_backfill(Call& call) { return change(call, BackfillChanged::Kind::resume); }
Served<Reply> cancel_backfill(Call& call) { return change(call, BackfillChanged::Kind::cancel); }

}  // namespace carillon::rest
