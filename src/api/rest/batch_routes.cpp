#include "api/rest/batch_request.hpp"
#include "api/rest/repeated_answers.hpp"
#include "api/rest/routes.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace carillon::rest {
namespace {

namespace json = boost::json;

constexpr std::size_t batch_page_size = 500;

/// The schedules that a filter finds, all pages of them.
Served<std::vector<ScheduleName>> names_by(const Caller& caller, const ScheduleFilter& filter, Schedules& schedules) {
  std::vector<ScheduleName> names;
  ScheduleListRequest request{.filter = filter, .after = {}, .count_max = batch_page_size};
  for (;;) {
    const SchedulePage page = TRY(schedules.list(caller, request));
    for (const ScheduleAnswer& item : page.items)
      names.push_back({.id = item.record.key.id.text(), .name_space = item.record.key.name_space.text()});
    if (names.size() > batch_count_max)
      return refuse(Refusal::Kind::too_large, "too_large", "more than {} schedules fit: say it more narrowly",
                    batch_count_max);
    if (!page.next) return names;
    request.after = page.next;
  }
}

Served<std::vector<ScheduleName>> names_of(const Caller& caller, BatchRequest& batch,
                                           const std::optional<std::string>& name_space, Schedules& schedules) {
  // One batch is about one namespace, as one request about a single schedule is.
  const std::optional<std::string>& named = batch.filter ? batch.filter->name_space : name_space;
  const std::string own = TRY(caller.namespace_of(named)).text();
  if (batch.filter) {
    batch.filter->name_space = own;
    return names_by(caller, *batch.filter, schedules);
  }
  std::vector<ScheduleName> names;
  names.reserve(batch.ids.size());
  for (std::string& id : batch.ids) names.push_back({.id = std::move(id), .name_space = own});
  return names;
}

Served<> do_one(Call& call, std::string_view operation, const ScheduleName& name) {
  Schedules& schedules = call.services.schedules;
  const WriteTerms terms = terms_of_item(call, name);
  if (operation == "delete") return schedules.remove(call.caller, name, terms);
  if (operation == "pause") TRY(schedules.pause(call.caller, name, {}, terms));
  if (operation == "resume") TRY(schedules.resume(call.caller, name, terms));
  if (operation == "enable") TRY(schedules.enable(call.caller, name, terms));
  if (operation == "disable") TRY(schedules.disable(call.caller, name, terms));
  if (operation == "reset") TRY(schedules.reset(call.caller, name, terms));
  if (operation == "trigger") TRY(schedules.trigger(call.caller, name, {}, terms));
  if (operation == "cancel") TRY(schedules.cancel(call.caller, name));
  return {};
}

/// What a batch that is sent again has done before counts as done.
Served<> do_once(Call& call, std::string_view operation, const ScheduleName& name) {
  auto done = do_one(call, operation, name);
  if (!done && call.terms.key && was_done_before(done.error())) return {};
  return done;
}

json::object result_of(const ScheduleName& name, const Served<>& done) {
  json::object result{{"namespace", name.name_space.value_or("")}, {"id", name.id}, {"ok", done.has_value()}};
  if (!done) {
    result["code"] = done.error().code;
    result["message"] = done.error().message;
  }
  return result;
}

}  // namespace

Served<Reply> batch_delete_schedules(Call& call) {
  const auto name_space = call.parameters.text("namespace");
  TRY(call.parameters.finish());
  const auto ids = TRY(read_ids(TRY(call.body())));
  const std::string own = TRY(call.caller.namespace_of(name_space)).text();
  if (call.terms.is_dry_run) return Reply{.status = 204};
  for (const std::string& id : ids) {
    const auto removed = call.services.schedules.remove(call.caller, {.id = id, .name_space = own}, {});
    // One that is gone already is as it should be.
    if (!removed && removed.error().kind != Refusal::Kind::not_found) return std::unexpected(removed.error());
  }
  return Reply{.status = 204};
}

Served<Reply> batch_schedules(Call& call) {
  const auto name_space = call.parameters.text("namespace");
  TRY(call.parameters.finish());
  BatchRequest batch = TRY(read_batch(TRY(call.body()), name_space));
  // Many need the same right as one.
  TRY(call.require(route_of(fmt::format("{}Schedule", batch.operation)).scope));
  const auto names = TRY(names_of(call.caller, batch, name_space, call.services.schedules));
  if (batch.operation == "trigger" && names.size() > batch_trigger_max)
    return refuse(Refusal::Kind::too_large, "too_large", "{} starts at once are above the {} of one request",
                  names.size(), batch_trigger_max);
  json::object answer{{"operation", batch.operation}, {"count", names.size()}};
  if (batch.is_preview || call.terms.is_dry_run) return Reply{.body = json::serialize(answer)};
  if (batch.operation == "trigger") TRY(call.count_starts(names.size()));
  json::array results;
  for (const ScheduleName& name : names) results.push_back(result_of(name, do_once(call, batch.operation, name)));
  answer["results"] = std::move(results);
  return Reply{.body = json::serialize(answer)};
}

}  // namespace carillon::rest
