#include "api/rest/documents.hpp"
#include "api/rest/entity_tag.hpp"
#include "api/rest/filter_parameters.hpp"
#include "api/rest/page_token.hpp"
#include "api/rest/routes.hpp"
#include "document/object_text.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/compile.h>

#include <algorithm>

namespace carillon::rest {
namespace {

namespace json = boost::json;

constexpr std::int64_t schedules_default = 50;
constexpr std::int64_t schedules_max = 500;
constexpr std::int64_t offset_max = 10'000'000;

ScheduleForm form_of(Call& call) {
  const auto view = call.parameters.text("view");
  if (view && *view != "flat" && *view != "full")
    call.parameters.fault("view", "view is neither flat nor full", "leave it out, or write view=flat");
  return {.is_flat = view == "flat"};
}

/// No id has a line end.
std::string cache_key(const NamespaceId& name_space, std::string_view id, const ScheduleForm& form) {
  return fmt::format(FMT_COMPILE("{}\n{}\n{}"), name_space.text(), id, form.is_flat ? "flat" : "full");
}

Reply reply_of(int status, const ScheduleAnswer& answer, const ScheduleForm& form) {
  Reply reply{.status = status, .body = schedule_text(answer, form)};
  reply.headers.emplace_back("ETag", entity_tag(answer.record.view.state, reply.body));
  return reply;
}

/// What was only tried has no ETag: nothing stands in the store that it could name.
Reply reply_of(const Call& call, int status, const ScheduleAnswer& answer, const ScheduleForm& form) {
  if (call.terms.is_dry_run) return {.status = 200, .body = schedule_text(answer, form)};
  return reply_of(status, answer, form);
}

using Change = Served<ScheduleAnswer> (Schedules::*)(const Caller&, const ScheduleName&, const WriteTerms&);

Served<Reply> change(Call& call, Change what) {
  const ScheduleName name = call.schedule();
  const ScheduleForm form = form_of(call);
  TRY(call.parameters.finish());
  return reply_of(call, 200, TRY((call.application.schedules().*what)(call.caller, name, call.terms)), form);
}

json::object list_document(json::array items) { return {{"items", std::move(items)}}; }

}  // namespace

Served<Reply> list_schedules(Call& call) {
  Parameters& parameters = call.parameters;
  ScheduleForm form = form_of(call);
  form.is_whole = false;
  ScheduleListRequest request{.filter = TRY(filter_in(call)), .after = {}};
  request.count_max =
      static_cast<std::size_t>(parameters.integer("limit", 1, schedules_max).value_or(schedules_default));
  request.offset = static_cast<std::size_t>(parameters.integer("offset", 0, offset_max).value_or(0));
  form.recent_count = static_cast<std::size_t>(
      parameters.integer("recent", 0, static_cast<std::int64_t>(ScheduleAnswers::recent_count_max)).value_or(0));
  form.has_sentence = parameters.flag("sentence");
  request.after = place_of_page(parameters, schedule_after);
  TRY(parameters.finish());
  const SchedulePage page = TRY(call.application.schedules().list(call.caller, std::move(request)));
  std::string body = R"({"items":[)";
  std::optional<ScheduleKey> next = page.next;
  for (std::size_t i = 0; i < page.items.size(); ++i) {
    const std::size_t size_before = body.size();
    if (i > 0) body += ',';
    append_schedule(body, page.items[i], form);
    if (i == 0) body.reserve(std::min(page_bytes_max, body.size() * page.items.size() * 5 / 4));
    if (i == 0 || body.size() <= page_bytes_max) continue;
    body.resize(size_before);
    next = page.items[i - 1].record.key;
    break;
  }
  body += fmt::format(R"(],"total":{},"nextPageToken":{})", page.total,
                      next ? fmt::format("\"{}\"", page_token(*next)) : "null");
  if (!page.broken_files.empty())
    body += fmt::format(R"(,"brokenFiles":{})",
                        json::serialize(json::array(page.broken_files.begin(), page.broken_files.end())));
  body += '}';
  return Reply{.body = std::move(body)};
}

Served<Reply> create_schedule(Call& call) {
  const ScheduleForm form = form_of(call);
  const auto name_space = call.parameters.text("namespace");
  TRY(call.parameters.finish());
  const auto body = TRY(call.body());
  const ScheduleAnswer answer = TRY(call.application.schedules().create(call.caller, body, call.terms, name_space));
  Reply reply = reply_of(call, 201, answer, form);
  if (!call.terms.is_dry_run) reply.headers.emplace_back("Location", location_of(answer.record.key, ""));
  return reply;
}

Served<Reply> get_schedule(Call& call) {
  const ScheduleName name = call.schedule();
  const ScheduleForm form = form_of(call);
  TRY(call.parameters.finish());
  const std::string key = cache_key(TRY(call.caller.namespace_of(name.name_space)), name.id, form);
  const Duration now = call.application.clock().since_boot();
  const std::uint64_t epoch = call.answers.epoch();
  const ScheduleAnswer answer = TRY(call.application.schedules().get(call.caller, name));
  Reply reply = reply_of(200, answer, form);
  Duration lasts = AnswerCache::age_max;
  if (!answer.upcoming.empty())
    lasts = std::clamp(answer.upcoming.front().nominal - call.application.clock().now(), Duration{}, lasts);
  call.answers.keep(key, epoch, now + lasts, {.body = reply.body, .etag = reply.headers.front().second});
  return reply;
}

std::optional<Reply> get_cached_schedule(Call& call) {
  const ScheduleName name = call.schedule();
  const ScheduleForm form = form_of(call);
  const auto name_space = call.caller.namespace_of(name.name_space);
  if (!call.parameters.finish() || !name_space) return std::nullopt;
  const auto kept = call.answers.find(cache_key(*name_space, name.id, form), call.application.clock().since_boot());
  if (!kept) return std::nullopt;
  return Reply{.body = kept->body, .headers = {{"ETag", kept->etag}}};
}

Served<Reply> put_schedule(Call& call) {
  const ScheduleName name = call.schedule();
  const ScheduleForm form = form_of(call);
  TRY(call.parameters.finish());
  const auto body = TRY(call.body());
  const Schedules::Put put = TRY(call.application.schedules().put(call.caller, name, body, call.terms));
  Reply reply = reply_of(call, put.is_new ? 201 : 200, put.answer, form);
  if (reply.status == 201) reply.headers.emplace_back("Location", location_of(put.answer.record.key, ""));
  return reply;
}

Served<Reply> patch_schedule(Call& call) {
  const ScheduleName name = call.schedule();
  const ScheduleForm form = form_of(call);
  TRY(call.parameters.finish());
  const auto body = TRY(call.body());
  return reply_of(call, 200, TRY(call.application.schedules().patch(call.caller, name, body, call.terms)), form);
}

Served<Reply> delete_schedule(Call& call) {
  const ScheduleName name = call.schedule();
  TRY(call.parameters.finish());
  TRY(call.application.schedules().remove(call.caller, name, call.terms));
  return Reply{.status = 204};
}

Served<Reply> preview_schedule(Call& call) {
  const auto count = call.parameters.integer("count", 1, 1'000).value_or(10);
  const auto after = call.parameters.instant("after");
  TRY(call.parameters.finish());
  if (call.request.body.empty())
    return refuse(Refusal::Kind::invalid, "invalid", "the body is missing: a spec, or a schedule");
  const PreviewAnswer preview =
      TRY(call.application.queries().preview(TRY(call.body()), static_cast<std::size_t>(count), after));
  json::array items;
  for (const PlannedStart& start : preview.next) items.push_back(start_document(start));
  Reply reply{
      .body = json::serialize(json::object{
          {"description", preview.sentence}, {"timezone", preview.timezone}, {"occurrences", std::move(items)}})};
  reply.body.pop_back();
  ObjectText members{reply.body, true};
  append_warnings(members.value_of("warnings"), preview.warnings);
  members.end();
  return reply;
}

Served<Reply> pause_schedule(Call& call) {
  const ScheduleName name = call.schedule();
  const ScheduleForm form = form_of(call);
  TRY(call.parameters.finish());
  const auto body = TRY(call.body());
  Problems problems;
  ObjectReader reader{body, "", problems};
  PauseRequest request;
  if (const auto reason = reader.text("reason")) request.reason = *reason;
  request.until = reader.instant("until");
  reader.finish();
  if (!problems.empty()) return std::unexpected(Refusal{std::move(problems)});
  return reply_of(call, 200, TRY(call.application.schedules().pause(call.caller, name, request, call.terms)), form);
}

Served<Reply> resume_schedule(Call& call) {
  const ScheduleName name = call.schedule();
  const ScheduleForm form = form_of(call);
  TRY(call.parameters.finish());
  const auto body = TRY(call.body());
  Problems problems;
  ObjectReader reader{body, "", problems};
  ResumeRequest request;
  if (const auto reason = reader.text("reason")) request.reason = *reason;
  reader.finish();
  if (!problems.empty()) return std::unexpected(Refusal{std::move(problems)});
  return reply_of(call, 200, TRY(call.application.schedules().resume(call.caller, name, request, call.terms)), form);
}

Served<Reply> enable_schedule(Call& call) { return change(call, &Schedules::enable); }
Served<Reply> disable_schedule(Call& call) { return change(call, &Schedules::disable); }
Served<Reply> reset_schedule(Call& call) { return change(call, &Schedules::reset); }

Served<Reply> trigger_schedule(Call& call) {
  const ScheduleName name = call.schedule();
  TRY(call.parameters.finish());
  const auto body = TRY(call.body());
  Problems problems;
  ObjectReader reader{body, "", problems};
  TriggerRequest request;
  if (const auto overlap = reader.word("overlap", words_of<OverlapPolicy>()))
    request.overlap = static_cast<OverlapPolicy>(*overlap);
  request.nominal = reader.instant("nominal");
  if (const json::value* payload = reader.member("payload")) request.payload = json::serialize(*payload);
  reader.finish();
  if (!problems.empty()) return std::unexpected(Refusal{std::move(problems)});
  if (call.terms.is_dry_run)
    return Reply{
        .body = trigger_text(TRY(call.application.schedules().try_trigger(call.caller, name, request, call.terms)))};
  const TriggerAnswer answer = TRY(call.application.schedules().trigger(call.caller, name, request, call.terms));
  return Reply{.status = 202, .body = trigger_text(answer)};
}

Served<Reply> cancel_schedule(Call& call) {
  const ScheduleName name = call.schedule();
  TRY(call.parameters.finish());
  const std::int64_t count = TRY(call.application.schedules().cancel(call.caller, name, call.terms));
  return Reply{.status = 202, .body = json::serialize(json::object{{"cancelled", count}})};
}

Served<Reply> next_runs(Call& call) {
  const ScheduleName name = call.schedule();
  const auto count = call.parameters.integer("count", 1, 1'000).value_or(10);
  TRY(call.parameters.finish());
  const NextRuns next = TRY(call.application.queries().next_runs(call.caller, name, static_cast<std::size_t>(count)));
  json::array items;
  for (const PlannedStart& start : next.items) items.push_back(start_document(start));
  json::object document = list_document(std::move(items));
  document["reason"] = text_or_null(next.reason);
  return Reply{.body = json::serialize(document)};
}

Served<Reply> list_occurrences(Call& call) {
  const ScheduleName name = call.schedule();
  const Instant now = call.application.clock().now();
  const auto from = call.parameters.instant("from").value_or(now - std::chrono::days{1});
  const auto to = call.parameters.instant("to").value_or(now + std::chrono::days{1});
  const auto limit = call.parameters.integer("limit", 1, schedules_max).value_or(schedules_max);
  if (from >= to) call.parameters.fault("to", "to must be after from");
  TRY(call.parameters.finish());
  json::array items;
  for (const OccurrenceAnswer& occurrence :
       TRY(call.application.queries().occurrences(call.caller, name, from, to, static_cast<std::size_t>(limit))))
    items.push_back(occurrence_document(occurrence));
  json::object document = list_document(std::move(items));
  document["outages"] =
      outages_document(TRY(call.application.queries().outages(from, to, static_cast<std::size_t>(limit))));
  document["changes"] = changes_document(
      TRY(call.application.queries().changes(call.caller, name, from, to, static_cast<std::size_t>(limit))));
  return Reply{.body = json::serialize(document)};
}

Served<Reply> explain_occurrence(Call& call) {
  const ScheduleName name = call.schedule();
  const auto at = call.parameters.instant("at");
  if (!at) call.parameters.fault("at", "at is missing", "at=2026-01-27T14:00:00Z");
  TRY(call.parameters.finish());
  return Reply{.body = json::serialize(why_document(TRY(call.application.queries().why(call.caller, name, *at))))};
}

}  // namespace carillon::rest
