#include "api/rest/documents.hpp"
#include "api/rest/page_token.hpp"
#include "api/rest/routes.hpp"
#include "base/quoted.hpp"

#include <boost/json/serialize.hpp>

#include <array>

namespace carillon::rest {
namespace {

namespace json = boost::json;

constexpr std::int64_t page_size_default = 50;
constexpr std::int64_t page_size_max = 500;
constexpr std::int64_t offset_max = 10'000'000;
constexpr std::size_t batch_count_max = 10'000;
constexpr std::size_t batch_trigger_max = 1'000;

ScheduleForm form_of(Call& call) {
  const auto view = call.parameters.text("view");
  if (view && *view != "flat" && *view != "full")
    call.parameters.fault("view", "view is neither flat nor full", "leave it out, or write view=flat");
  return {.is_flat = view == "flat"};
}

Reply reply_of(int status, const ScheduleAnswer& answer, const ScheduleForm& form) {
  return {.status = status,
          .body = schedule_text(answer, form),
          .headers = {{"ETag", fmt::format("\"{}\"", answer.record.view.state.revision)}}};
}

std::vector<std::pair<std::string, std::string>> labels_in(Parameters& parameters) {
  std::vector<std::pair<std::string, std::string>> labels;
  for (const std::string& label : parameters.texts("label")) {
    const std::size_t split = label.find_first_of("=:");
    labels.emplace_back(label.substr(0, split), split == std::string::npos ? "" : label.substr(split + 1));
  }
  return labels;
}

ScheduleFilter filter_in(Parameters& parameters) {
  ScheduleFilter filter{.name_space = parameters.text("namespace"),
                        .statuses = parameters.words<ScheduleStatus>("status"),
                        .labels = labels_in(parameters),
                        .action = parameters.text("action").value_or(""),
                        .text = parameters.text("q").value_or(""),
                        .next_before = parameters.instant("nextBefore"),
                        .workflow = parameters.text("workflowId").value_or("")};
  static constexpr std::array<std::string_view, 4> kinds{"command", "http", "job", "pipeline"};
  if (!filter.action.empty() && std::ranges::find(kinds, filter.action) == kinds.end())
    parameters.fault("action", fmt::format("action {} is none of its words", quoted(filter.action)),
                     "one of command, http, job, pipeline");
  return filter;
}

using Change = Served<ScheduleAnswer> (Schedules::*)(const Caller&, const ScheduleName&, const WriteTerms&);

Served<Reply> change(Call& call, Change what) {
  const ScheduleName name = call.schedule();
  const ScheduleForm form = form_of(call);
  TRY(call.parameters.finish());
  return reply_of(200, TRY((call.services.schedules.*what)(call.caller, name, call.terms)), form);
}

Served<std::vector<std::string>> ids_in(const json::value& body) {
  if (!body.is_object()) return refuse(Refusal::Kind::invalid, "invalid", "the body is an object with ids");
  for (const std::string_view key : {"ids", "scheduleIds", "schedule_ids"}) {
    const json::value* list = body.get_object().if_contains(key);
    if (list == nullptr) continue;
    if (!list->is_array() || list->get_array().size() > batch_count_max)
      return refuse(Refusal::Kind::invalid, "invalid", "{} is a list of at most {} ids", key, batch_count_max);
    std::vector<std::string> ids;
    for (const json::value& id : list->get_array()) {
      if (!id.is_string()) return refuse(Refusal::Kind::invalid, "invalid", "an id is text");
      ids.emplace_back(id.get_string());
    }
    return ids;
  }
  return refuse(Refusal::Kind::invalid, "invalid", "ids is missing");
}

/// The ids that a filter finds, all pages of them.
Served<std::vector<ScheduleName>> names_by(const Caller& caller, const ScheduleFilter& filter, Schedules& schedules) {
  std::vector<ScheduleName> names;
  ScheduleListRequest request{.filter = filter, .after = {}, .count_max = page_size_max};
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

ScheduleFilter filter_of(const json::value& document, Problems& problems) {
  ScheduleFilter filter;
  ObjectReader reader{document, "/filter", problems};
  if (const auto name_space = reader.text("namespace")) filter.name_space = std::string{*name_space};
  if (const auto status = reader.word("status", words_of<ScheduleStatus>()))
    filter.statuses.push_back(static_cast<ScheduleStatus>(*status));
  if (const auto text = reader.text("q")) filter.text = *text;
  if (const auto action = reader.text("action")) filter.action = *action;
  filter.next_before = reader.instant("nextBefore");
  if (const json::value* labels = reader.member("labels"); labels != nullptr && labels->is_object())
    for (const auto& [key, value] : labels->get_object())
      if (value.is_string()) filter.labels.emplace_back(std::string{key}, std::string{value.get_string()});
  reader.finish();
  return filter;
}

Served<> do_one(Call& call, std::string_view operation, const ScheduleName& name) {
  Schedules& schedules = call.services.schedules;
  if (operation == "delete") return schedules.remove(call.caller, name, {});
  if (operation == "pause") TRY(schedules.pause(call.caller, name, {}, {}));
  if (operation == "resume") TRY(schedules.resume(call.caller, name, {}));
  if (operation == "enable") TRY(schedules.enable(call.caller, name, {}));
  if (operation == "disable") TRY(schedules.disable(call.caller, name, {}));
  if (operation == "reset") TRY(schedules.reset(call.caller, name, {}));
  if (operation == "trigger") TRY(schedules.trigger(call.caller, name, {}, {}));
  if (operation == "cancel") TRY(schedules.cancel(call.caller, name));
  return {};
}

json::object result_of(const ScheduleName& name, const Served<>& done) {
  json::object result{{"id", name.id}, {"ok", done.has_value()}};
  if (!done) {
    result["code"] = done.error().code;
    result["message"] = done.error().message;
  }
  return result;
}

json::object list_document(json::array items) { return {{"items", std::move(items)}}; }

}  // namespace

Served<Reply> list_schedules(Call& call) {
  Parameters& parameters = call.parameters;
  ScheduleForm form = form_of(call);
  form.is_whole = false;
  ScheduleListRequest request{.filter = filter_in(parameters), .after = {}};
  request.count_max =
      static_cast<std::size_t>(parameters.integer("limit", 1, page_size_max).value_or(page_size_default));
  request.offset = static_cast<std::size_t>(parameters.integer("offset", 0, offset_max).value_or(0));
  if (const auto token = parameters.text("pageToken")) {
    request.after = schedule_after(*token);
    if (!request.after) parameters.fault("pageToken", "pageToken is not one of this server");
  }
  TRY(parameters.finish());
  const SchedulePage page = TRY(call.services.schedules.list(call.caller, std::move(request)));
  std::string body = R"({"items":[)";
  for (const ScheduleAnswer& item : page.items) {
    if (body.back() != '[') body += ',';
    append_schedule(body, item, form);
  }
  body += fmt::format(R"(],"total":{},"nextPageToken":{}}})", page.total,
                      page.next ? fmt::format("\"{}\"", page_token(*page.next)) : "null");
  return Reply{.body = std::move(body)};
}

Served<Reply> create_schedule(Call& call) {
  const ScheduleForm form = form_of(call);
  TRY(call.parameters.finish());
  const auto body = TRY(call.body());
  const ScheduleAnswer answer = TRY(call.services.schedules.create(call.caller, body, call.terms));
  Reply reply = reply_of(call.terms.is_dry_run ? 200 : 201, answer, form);
  if (!call.terms.is_dry_run) reply.headers.emplace_back("Location", location_of(answer.record.key, ""));
  return reply;
}

Served<Reply> get_schedule(Call& call) {
  const ScheduleName name = call.schedule();
  const ScheduleForm form = form_of(call);
  TRY(call.parameters.finish());
  Services& services = call.services;
  const NamespaceId name_space = TRY(call.caller.namespace_of(name.name_space));
  const std::string key = fmt::format("{}/{}{}", name_space.text(), name.id, form.is_flat ? "?flat" : "");
  const Duration now = services.parts.clock.since_boot();
  if (const auto kept = services.answers.find(key, now))
    return Reply{.body = kept->body, .headers = {{"ETag", kept->etag}}};
  const std::uint64_t epoch = services.answers.epoch();
  const ScheduleAnswer answer = TRY(services.schedules.get(call.caller, name));
  Reply reply = reply_of(200, answer, form);
  Duration lasts = AnswerCache::age_max;
  if (!answer.upcoming.empty())
    lasts = std::clamp(answer.upcoming.front().nominal - services.parts.clock.now(), Duration{}, lasts);
  services.answers.keep(key, epoch, now + lasts, {.body = reply.body, .etag = reply.headers.front().second});
  return reply;
}

Served<Reply> put_schedule(Call& call) {
  const ScheduleName name = call.schedule();
  const ScheduleForm form = form_of(call);
  TRY(call.parameters.finish());
  const auto body = TRY(call.body());
  const Schedules::Put put = TRY(call.services.schedules.put(call.caller, name, body, call.terms));
  return reply_of(put.is_new && !call.terms.is_dry_run ? 201 : 200, put.answer, form);
}

Served<Reply> patch_schedule(Call& call) {
  const ScheduleName name = call.schedule();
  const ScheduleForm form = form_of(call);
  TRY(call.parameters.finish());
  const auto body = TRY(call.body());
  return reply_of(200, TRY(call.services.schedules.patch(call.caller, name, body, call.terms)), form);
}

Served<Reply> delete_schedule(Call& call) {
  const ScheduleName name = call.schedule();
  TRY(call.parameters.finish());
  TRY(call.services.schedules.remove(call.caller, name, call.terms));
  return Reply{.status = 204};
}

Served<Reply> batch_delete_schedules(Call& call) {
  const auto name_space = call.parameters.text("namespace");
  TRY(call.parameters.finish());
  const auto ids = TRY(ids_in(TRY(call.body())));
  if (call.terms.is_dry_run) return Reply{.status = 204};
  for (const std::string& id : ids) {
    const auto removed = call.services.schedules.remove(call.caller, {.id = id, .name_space = name_space}, {});
    // One that is gone already is as it should be.
    if (!removed && removed.error().kind != Refusal::Kind::not_found) return std::unexpected(removed.error());
  }
  return Reply{.status = 204};
}

Served<Reply> batch_schedules(Call& call) {
  static constexpr std::array<std::string_view, 8> operations{"delete",  "pause", "resume",  "enable",
                                                              "disable", "reset", "trigger", "cancel"};
  const auto name_space = call.parameters.text("namespace");
  TRY(call.parameters.finish());
  const auto body = TRY(call.body());
  Problems problems;
  ObjectReader reader{body, "", problems};
  const auto operation = reader.word("operation", operations);
  if (!operation && problems.empty())
    problems.push_back({.pointer = "/operation",
                        .code = "missing",
                        .message = "operation is missing",
                        .hint = fmt::format("one of {}", fmt::join(operations, ", ")),
                        .position = {}});
  const json::value* filter = reader.member("filter");
  const bool has_ids = reader.member("ids") != nullptr;
  const bool is_preview = reader.boolean("preview").value_or(false) || call.terms.is_dry_run;
  if (has_ids == (filter != nullptr))
    problems.push_back(
        {.pointer = "", .code = "conflict", .message = "write either ids or filter", .hint = {}, .position = {}});
  const ScheduleFilter wanted = filter != nullptr ? filter_of(*filter, problems) : ScheduleFilter{};
  reader.finish();
  if (!problems.empty()) return std::unexpected(Refusal{std::move(problems)});
  std::vector<ScheduleName> names;
  if (has_ids)
    for (std::string& id : TRY(ids_in(body))) names.push_back({.id = std::move(id), .name_space = name_space});
  else
    names = TRY(names_by(call.caller, wanted, call.services.schedules));
  json::object answer{{"operation", operations[*operation]}, {"count", names.size()}};
  if (is_preview) return Reply{.body = json::serialize(answer)};
  if (operations[*operation] == "trigger" && names.size() > batch_trigger_max)
    return refuse(Refusal::Kind::too_large, "too_large", "{} starts at once are above the {} of one request",
                  names.size(), batch_trigger_max);
  json::array results;
  for (const ScheduleName& name : names) results.push_back(result_of(name, do_one(call, operations[*operation], name)));
  answer["results"] = std::move(results);
  return Reply{.body = json::serialize(answer)};
}

Served<Reply> preview_schedule(Call& call) {
  const auto count = call.parameters.integer("count", 1, 1'000).value_or(10);
  const auto after = call.parameters.instant("after");
  TRY(call.parameters.finish());
  const PreviewAnswer preview =
      TRY(call.services.questions.preview(TRY(call.body()), static_cast<std::size_t>(count), after));
  json::array items;
  for (const PlannedStart& start : preview.next) items.push_back(start_document(start));
  return Reply{.body = json::serialize(json::object{{"description", preview.sentence},
                                                    {"timezone", preview.timezone},
                                                    {"occurrences", std::move(items)},
                                                    {"warnings", warnings_document(preview.warnings)}})};
}

Served<Reply> pause_schedule(Call& call) {
  const ScheduleName name = call.schedule();
  const ScheduleForm form = form_of(call);
  TRY(call.parameters.finish());
  const auto body = TRY(call.body());
  Problems problems;
  ObjectReader reader{body, "", problems};
  PauseWish wish;
  if (const auto reason = reader.text("reason")) wish.reason = *reason;
  wish.until = reader.instant("until");
  reader.finish();
  if (!problems.empty()) return std::unexpected(Refusal{std::move(problems)});
  return reply_of(200, TRY(call.services.schedules.pause(call.caller, name, wish, call.terms)), form);
}

Served<Reply> resume_schedule(Call& call) { return change(call, &Schedules::resume); }
Served<Reply> enable_schedule(Call& call) { return change(call, &Schedules::enable); }
Served<Reply> disable_schedule(Call& call) { return change(call, &Schedules::disable); }
Served<Reply> reset_schedule(Call& call) { return change(call, &Schedules::reset); }

Served<Reply> trigger_schedule(Call& call) {
  const ScheduleName name = call.schedule();
  TRY(call.parameters.finish());
  const auto body = TRY(call.body());
  Problems problems;
  ObjectReader reader{body, "", problems};
  TriggerWish wish;
  if (const auto overlap = reader.word("overlap", words_of<OverlapPolicy>()))
    wish.overlap = static_cast<OverlapPolicy>(*overlap);
  wish.nominal = reader.instant("nominal");
  if (const json::value* payload = reader.member("payload")) wish.payload = json::serialize(*payload);
  reader.finish();
  if (!problems.empty()) return std::unexpected(Refusal{std::move(problems)});
  const TriggerAnswer answer = TRY(call.services.schedules.trigger(call.caller, name, wish, call.terms));
  return Reply{.status = 202, .body = trigger_text(answer)};
}

Served<Reply> cancel_schedule(Call& call) {
  const ScheduleName name = call.schedule();
  TRY(call.parameters.finish());
  const std::int64_t count = TRY(call.services.schedules.cancel(call.caller, name));
  return Reply{.status = 202, .body = json::serialize(json::object{{"cancelled", count}})};
}

Served<Reply> next_runs(Call& call) {
  const ScheduleName name = call.schedule();
  const auto count = call.parameters.integer("count", 1, 1'000).value_or(10);
  TRY(call.parameters.finish());
  json::array items;
  for (const PlannedStart& start :
       TRY(call.services.questions.next_runs(call.caller, name, static_cast<std::size_t>(count))))
    items.push_back(start_document(start));
  return Reply{.body = json::serialize(list_document(std::move(items)))};
}

Served<Reply> list_occurrences(Call& call) {
  const ScheduleName name = call.schedule();
  const Instant now = call.services.parts.clock.now();
  const auto from = call.parameters.instant("from").value_or(now - std::chrono::days{1});
  const auto to = call.parameters.instant("to").value_or(now + std::chrono::days{1});
  const auto limit = call.parameters.integer("limit", 1, page_size_max).value_or(page_size_max);
  if (from >= to) call.parameters.fault("to", "to must lie after from");
  TRY(call.parameters.finish());
  json::array items;
  for (const OccurrenceAnswer& occurrence :
       TRY(call.services.questions.occurrences(call.caller, name, from, to, static_cast<std::size_t>(limit))))
    items.push_back(occurrence_document(occurrence));
  return Reply{.body = json::serialize(list_document(std::move(items)))};
}

Served<Reply> explain_occurrence(Call& call) {
  const ScheduleName name = call.schedule();
  const auto at = call.parameters.instant("at");
  if (!at) call.parameters.fault("at", "at is missing", "at=2026-01-27T14:00:00Z");
  TRY(call.parameters.finish());
  return Reply{.body = json::serialize(why_document(TRY(call.services.questions.why(call.caller, name, *at))))};
}

}  // namespace carillon::rest
