#include "service/schedules.hpp"

#include "base/quoted.hpp"
#include "document/document.hpp"
#include "engine/slug.hpp"
#include "service/digest.hpp"
#include "service/patched_document.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace carillon {
namespace {

namespace json = boost::json;

/// How many numbers are tried behind a slug.
constexpr int number_max = 1'000;

ScheduleKey key_in(const ScheduleDocument& document) { return {document.name_space, document.id}; }

std::string text_of(const ScheduleDocument& document) { return json::serialize(write_schedule(document)); }

Attached attached_to(const Caller& caller, const char* operation, const ScheduleKey& key, const WriteTerms& terms) {
  return {.audit = AuditEntry{.actor = caller.actor,
                              .address = caller.address,
                              .operation = operation,
                              .name_space = key.name_space.text(),
                              .target = key.id.text(),
                              .outcome = "done",
                              .before = {},
                              .after = {}},
          .request = terms.key};
}

Served<json::value> stored_document(const ScheduleRecord& record) {
  auto document = parse_json(record.document);
  if (!document) return refuse(Refusal::Kind::internal, "internal", "the stored definition cannot be read");
  return *std::move(document);
}

/// A request that says nothing of the namespace means that of its caller.
json::value with_namespace(const json::value& document, const NamespaceId& name_space) {
  json::value whole = document;
  if (whole.is_object() && !whole.get_object().contains("namespace"))
    whole.get_object()["namespace"] = name_space.text();
  return whole;
}

/// What the schedule is now; its definition may be older than that.
bool is_enabled(const ScheduleRecord& record) { return record.view.state.status != ScheduleStatus::disabled; }

Served<> expect_revision(const ScheduleRecord& record, const WriteTerms& terms) {
  const std::int64_t revision = record.view.state.revision;
  if (!terms.if_revision || *terms.if_revision == revision) return {};
  return refuse(Refusal::Kind::stale, "stale_revision", "schedule {} has revision {}, not {}", record.key.id.text(),
                revision, *terms.if_revision);
}

bool names_another(const json::value& document, std::string_view id) {
  if (!document.is_object()) return false;
  const json::value* own = document.get_object().if_contains("id");
  return own != nullptr && own->is_string() && own->get_string() != id;
}

Problem problem_at(std::string pointer, std::string_view code, std::string message, std::string hint) {
  return {.pointer = std::move(pointer),
          .code = code,
          .message = std::move(message),
          .hint = std::move(hint),
          .position = {}};
}

}  // namespace

Served<ScheduleKey> Schedules::key_of(const Caller& caller, const ScheduleName& name) {
  // What cannot be an id names nothing; saying so is more useful than "not found".
  return ScheduleKey{TRY(caller.namespace_of(name.name_space)), TRY(ScheduleId::parse(name.id))};
}

Served<ScheduleRecord> Schedules::find(const Caller& caller, const ScheduleName& name) {
  auto record = TRY(parts_.catalogue.read_schedule(TRY(key_of(caller, name))));
  if (!record) return no_schedule(name.id);
  return *std::move(record);
}

Served<ScheduleAnswer> Schedules::answer(ScheduleRecord record) {
  return TRY(answers_.make(std::move(record), parts_.clock.now(), ScheduleAnswers::Detail::whole));
}

Served<ScheduleAnswer> Schedules::get(const Caller& caller, const ScheduleName& name) {
  return answer(TRY(find(caller, name)));
}

Served<ScheduleAnswer> Schedules::get(const Caller& caller, Uid uid) {
  auto record = TRY(parts_.catalogue.read_schedule(uid));
  if (!record || !caller.knows(record->key.name_space))
    return refuse(Refusal::Kind::not_found, "not_found", "the schedule is gone");
  return answer(*std::move(record));
}

Served<SchedulePage> Schedules::list(const Caller& caller, ScheduleListRequest request) {
  request.filter.name_space = TRY(caller.namespace_to_list(request.filter.name_space));
  ScheduleList list = TRY(parts_.catalogue.list_schedules(request));
  SchedulePage page{.items = {}, .total = list.total, .next = {}};
  page.items.reserve(list.items.size());
  if (list.has_more && !list.items.empty()) page.next = list.items.back().key;
  for (ScheduleRecord& record : list.items)
    page.items.push_back(TRY(answers_.make(std::move(record), list.store_now, ScheduleAnswers::Detail::list)));
  return page;
}

Served<ScheduleDocument> Schedules::read(const Caller& caller, const json::value& document,
                                         const std::optional<ScheduleName>& name) {
  const NamespaceId name_space = TRY(caller.namespace_of(name ? name->name_space : std::nullopt));
  if (name && names_another(document, name->id))
    return std::unexpected(Refusal{Problems{problem_at("/id", "conflict", "the id is not the one of the address",
                                                       "leave it out, or write " + quoted(name->id))}});
  json::value whole = with_namespace(document, name_space);
  if (name && whole.is_object()) whole.get_object()["id"] = name->id;
  auto schedule = read_schedule(whole, {.default_timezone = parts_.default_timezone, .ignore_read_only = true});
  if (!schedule) return std::unexpected(Refusal{std::move(schedule).error()});
  if (!caller.knows(schedule->name_space))
    return refuse(Refusal::Kind::not_found, "not_found", "there is no namespace {}",
                  quoted(schedule->name_space.text()));
  // Whether its zone exists and its rules can ever be met is seen only when it is made ready.
  if (auto ready = parts_.definitions.now()->compile_new(*schedule, 1, parts_.clock.now()); !ready)
    return std::unexpected(Refusal{Problems{to_problem("/spec", ready.error())}});
  return *std::move(schedule);
}

Served<ScheduleAnswer> Schedules::draft(const ScheduleDocument& document, const std::optional<ScheduleRecord>& before) {
  const Instant now = parts_.clock.now();
  ScheduleRecord record{.key = key_in(document),
                        .view = {},
                        .document = text_of(document),
                        .created_at = now,
                        .updated_at = now,
                        .owner = {},
                        .pause = {},
                        .quarantine = {}};
  if (before) {
    record.view = before->view;
    record.created_at = before->created_at;
    record.owner = before->owner;
    // As the edit would leave it: what is enabled goes on, unless something else holds it back.
    ScheduleStatus& status = record.view.state.status;
    if (!document.enabled)
      status = ScheduleStatus::disabled;
    else if (status == ScheduleStatus::disabled)
      status = ScheduleStatus::active;
  } else {
    record.view.state.status = document.enabled ? ScheduleStatus::active : ScheduleStatus::disabled;
    record.view.state.created_at = now;
    record.view.state.revision = 1;
    record.view.state.cursor = now;
  }
  ScheduleAnswer answer{.record = std::move(record),
                        .definition = {},
                        .problem = {},
                        .counts = {},
                        .recent = {},
                        .upcoming = {},
                        .warnings = {}};
  answer.definition = TRY(parts_.definitions.now()->compile_new(document, 1, answer.record.created_at));
  answer.upcoming = ScheduleAnswers::planned(*answer.definition, now, std::nullopt, 10);
  if (answer.record.view.state.status == ScheduleStatus::active && !answer.upcoming.empty())
    answer.next = answer.upcoming.front();
  answer.warnings = lint(document.spec, TRY(parts_.zones.zone(document.spec.timezone)), *parts_.zones.names(), now);
  return answer;
}

// From what was written rather than read: nothing can have happened to it that its creator must know.
Served<ScheduleAnswer> Schedules::new_answer(const Caller& caller, const ScheduleDocument& document, std::string text,
                                             const ScheduleState& state) {
  ScheduleRecord record{.key = key_in(document),
                        .view = {.state = state, .live = {}, .backfills = {}},
                        .document = std::move(text),
                        .created_at = state.created_at,
                        .updated_at = state.created_at,
                        .owner = caller.actor,
                        .pause = {},
                        .quarantine = {}};
  return TRY(answers_.make(std::move(record), parts_.clock.now(), ScheduleAnswers::Detail::whole, &document.spec));
}

Served<ScheduleAnswer> Schedules::create(const Caller& caller, const json::value& document, const WriteTerms& terms) {
  ScheduleDocument schedule = TRY(read(caller, document, std::nullopt));
  const ScheduleId wanted = schedule.id;
  const bool is_ours_to_name = !has_id(document);
  for (int number = 1;; ++number) {
    if (number > 1) schedule.id = numbered(wanted, number);
    const ScheduleKey key = key_in(schedule);
    if (terms.is_dry_run) {
      if (!TRY(parts_.catalogue.read_schedule(key))) return draft(schedule, std::nullopt);
      if (!is_ours_to_name || number == number_max)
        return refuse(Refusal::Kind::exists, "conflict", "schedule {} exists already", key.id.text());
      continue;
    }
    Attached attached = attached_to(caller, "schedule.create", key, terms);
    std::string text = text_of(schedule);
    attached.audit->after = sha256_hex(text);
    const auto created = parts_.wishes.create(schedule, caller.actor, {.attached = &attached});
    if (created) return new_answer(caller, schedule, std::move(text), created->state);
    const bool is_taken = created.error().code == ErrorCode::conflict && created.error().rule.empty();
    if (!is_taken || !is_ours_to_name || number == number_max) return std::unexpected(Refusal{created.error()});
  }
}

Served<ScheduleAnswer> Schedules::replace(const Caller& caller, const ScheduleRecord& before,
                                          const ScheduleDocument& document, const char* operation,
                                          const WriteTerms& terms) {
  TRY(expect_revision(before, terms));
  const std::string text = text_of(document);
  // Saying the same again changes nothing.
  if (text == before.document && document.enabled == is_enabled(before)) return answer(before);
  if (terms.is_dry_run) return draft(document, before);
  Attached attached = attached_to(caller, operation, before.key, terms);
  attached.audit->before = sha256_hex(before.document);
  attached.audit->after = sha256_hex(text);
  // What the change was made from must still be there, or a change in between would be undone silently.
  const WishTerms wish{.if_revision = terms.if_revision.value_or(before.view.state.revision), .attached = &attached};
  const Changed changed = TRY(parts_.wishes.edit(document, caller.actor, wish));
  return get(caller, changed.state.uid);
}

Served<Schedules::Put> Schedules::put(const Caller& caller, const ScheduleName& name, const json::value& document,
                                      const WriteTerms& terms) {
  const ScheduleKey key = TRY(key_of(caller, name));
  const ScheduleDocument schedule = TRY(read(caller, document, name));
  const auto before = TRY(parts_.catalogue.read_schedule(key));
  if (before) return Put{.answer = TRY(replace(caller, *before, schedule, "schedule.put", terms)), .is_new = false};
  if (terms.if_revision)
    return refuse(Refusal::Kind::stale, "stale_revision", "there is no schedule {} of revision {}", name.id,
                  *terms.if_revision);
  if (terms.is_dry_run) return Put{.answer = TRY(draft(schedule, std::nullopt)), .is_new = true};
  Attached attached = attached_to(caller, "schedule.put", key, terms);
  std::string text = text_of(schedule);
  attached.audit->after = sha256_hex(text);
  const Changed changed = TRY(parts_.wishes.create(schedule, caller.actor, {.attached = &attached}));
  return Put{.answer = TRY(new_answer(caller, schedule, std::move(text), changed.state)), .is_new = true};
}

Served<ScheduleAnswer> Schedules::patch(const Caller& caller, const ScheduleName& name, const json::value& patch,
                                        const WriteTerms& terms) {
  const ScheduleRecord before = TRY(find(caller, name));
  json::value document = TRY(stored_document(before));
  if (document.is_object()) document.get_object()["enabled"] = is_enabled(before);
  PatchedDocument patched = patched_document(std::move(document), patch);
  if (!patched.problems.empty()) return std::unexpected(Refusal{std::move(patched.problems)});
  const ScheduleName own{.id = before.key.id.text(), .name_space = before.key.name_space.text()};
  const ScheduleDocument schedule = TRY(read(caller, patched.document, own));
  return replace(caller, before, schedule, "schedule.patch", terms);
}

Served<> Schedules::remove(const Caller& caller, const ScheduleName& name, const WriteTerms& terms) {
  const ScheduleRecord before = TRY(find(caller, name));
  TRY(expect_revision(before, terms));
  if (terms.is_dry_run) return {};
  Attached attached = attached_to(caller, "schedule.delete", before.key, terms);
  attached.audit->before = sha256_hex(before.document);
  TRY(parts_.wishes.change(before.key, Deleted{.by = caller.actor},
                           {.if_revision = terms.if_revision, .attached = &attached}));
  return {};
}

Served<ScheduleAnswer> Schedules::change(const Caller& caller, const ScheduleName& name, const char* operation,
                                         const Event& event, const WriteTerms& terms) {
  if (terms.is_dry_run) {
    ScheduleRecord before = TRY(find(caller, name));
    TRY(expect_revision(before, terms));
    return answer(std::move(before));
  }
  const ScheduleKey key = TRY(key_of(caller, name));
  const Attached attached = attached_to(caller, operation, key, terms);
  const Changed changed =
      TRY(parts_.wishes.change(key, event, {.if_revision = terms.if_revision, .attached = &attached}));
  return get(caller, changed.state.uid);
}

Served<ScheduleAnswer> Schedules::pause(const Caller& caller, const ScheduleName& name, const PauseWish& wish,
                                        const WriteTerms& terms) {
  return change(caller, name, "schedule.pause", Paused{.by = caller.actor, .reason = wish.reason, .until = wish.until},
                terms);
}

Served<ScheduleAnswer> Schedules::resume(const Caller& caller, const ScheduleName& name, const WriteTerms& terms) {
  return change(caller, name, "schedule.resume", Resumed{.by = caller.actor}, terms);
}

Served<ScheduleAnswer> Schedules::enable(const Caller& caller, const ScheduleName& name, const WriteTerms& terms) {
  return change(caller, name, "schedule.enable", Enabled{.by = caller.actor}, terms);
}

Served<ScheduleAnswer> Schedules::disable(const Caller& caller, const ScheduleName& name, const WriteTerms& terms) {
  return change(caller, name, "schedule.disable", Disabled{.by = caller.actor}, terms);
}

Served<ScheduleAnswer> Schedules::reset(const Caller& caller, const ScheduleName& name, const WriteTerms& terms) {
  return change(caller, name, "schedule.reset", Reset{.by = caller.actor}, terms);
}

Served<TriggerAnswer> Schedules::trigger(const Caller& caller, const ScheduleName& name, const TriggerWish& wish,
                                         const WriteTerms& terms) {
  const ScheduleKey key = TRY(key_of(caller, name));
  const Attached attached = attached_to(caller, "schedule.trigger", key, terms);
  const Triggered event{.by = caller.actor,
                        .id = fmt::format("{:x}", unique_number()),
                        .overlap = wish.overlap.value_or(OverlapPolicy::allow_all),
                        .nominal = wish.nominal,
                        .payload = wish.payload};
  const Changed changed =
      TRY(parts_.wishes.change(key, event, {.if_revision = terms.if_revision, .attached = &attached}));
  if (changed.decisions.empty())
    return refuse(Refusal::Kind::unavailable, "unavailable", "it was done, but its run is not known; look at the runs");
  // What was due already was decided with it, before it.
  auto records = TRY(parts_.catalogue.read_run_records(std::span{&changed.decisions.back(), 1}));
  if (!records.front()) return refuse(Refusal::Kind::internal, "internal", "the run cannot be read");
  return TriggerAnswer{.run = run_answer(*std::move(records.front()), parts_.run_ids)};
}

Served<std::int64_t> Schedules::cancel(const Caller& caller, const ScheduleName& name) {
  const ScheduleRecord record = TRY(find(caller, name));
  std::int64_t count = 0;
  for (const LiveRun& run : record.view.live) {
    if (!is_open(run) && !is_waiting(run)) continue;
    const Attached attached = attached_to(caller, "run.cancel", record.key, {});
    const auto changed = parts_.wishes.change(record.key, CancelRequested{.run = run.seq}, {.attached = &attached});
    // One that has just ended by itself needs no cancelling.
    if (!changed && changed.error().code == ErrorCode::unavailable) return std::unexpected(Refusal{changed.error()});
    count += changed.has_value();
  }
  return count;
}

}  // namespace carillon
