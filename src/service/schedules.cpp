#include "service/schedules.hpp"

#include "base/crypto.hpp"
#include "base/quoted.hpp"
#include "definitions/new_definition.hpp"
#include "definitions/slug.hpp"
#include "document/document.hpp"
#include "service/patched_document.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <span>
#include <utility>

namespace carillon {
namespace {

namespace json = boost::json;

/// How many numbers are tried behind a slug.
constexpr int number_max = 1'000;
constexpr std::size_t pause_reason_size_max = 1'000;

ScheduleKey key_in(const ScheduleDocument& document) { return {document.name_space, document.id}; }

std::string text_of(const ScheduleDocument& document) { return json::serialize(write_schedule(document)); }

CommandMetadata attached_to(const Caller& caller, const char* operation, const ScheduleKey& key,
                            const WriteTerms& terms) {
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

/// Whether the schedule starts a command; one that cannot be read may.
bool starts_command(const ScheduleRecord& record) {
  const auto document = parse_json(record.document);
  const json::object* members = document ? document->if_object() : nullptr;
  const json::value* action = members == nullptr ? nullptr : members->if_contains("action");
  if (action == nullptr || !action->is_object()) return true;
  return action->get_object().contains("command");
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

bool is_same_without_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// What a document says of itself, if it says it.
std::optional<std::string> text_in(const json::value& document, std::string_view key) {
  if (!document.is_object()) return std::nullopt;
  const json::value* own = document.get_object().if_contains(key);
  if (own == nullptr || !own->is_string()) return std::nullopt;
  return std::string{own->get_string()};
}

Served<> check_name(const ScheduleDocument& document) {
  Problems problems = check_new_name(document.name_space, document.id);
  if (problems.empty()) return {};
  return std::unexpected(Refusal{std::move(problems)});
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
  auto record = TRY(parts_.query_store.read_schedule(TRY(key_of(caller, name))));
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
  auto record = TRY(parts_.query_store.read_schedule(uid));
  if (!record || !caller.knows(record->key.name_space))
    return refuse(Refusal::Kind::not_found, "not_found", "the schedule is gone");
  return answer(*std::move(record));
}

// Somebody else may have changed it since: a caller is answered with the revision that it made itself.
Served<ScheduleAnswer> Schedules::as_written(const Caller& caller, const CommandResult& changed) {
  auto record = TRY(parts_.query_store.read_schedule(changed.state.uid));
  if (!record || !caller.knows(record->key.name_space))
    return refuse(Refusal::Kind::not_found, "not_found", "the schedule is gone");
  std::int64_t& revision = record->view.state.revision;
  if (revision == changed.state.revision) return answer(*std::move(record));
  const DefinitionName own{.uid = changed.state.uid, .revision = changed.state.revision};
  const auto definitions = TRY(parts_.store.read_definitions(std::span{&own, 1}));
  if (definitions.front()) record->document = definitions.front()->document;
  revision = own.revision;
  return answer(*std::move(record));
}

Served<SchedulePage> Schedules::list(const Caller& caller, ScheduleListRequest request) {
  request.filter.name_space = TRY(caller.namespace_to_list(request.filter.name_space));
  ScheduleList list = TRY(parts_.query_store.list_schedules(request));
  SchedulePage page{.items = {}, .total = list.total, .next = {}};
  page.items.reserve(list.items.size());
  if (list.has_more && !list.items.empty()) page.next = list.items.back().key;
  for (ScheduleRecord& record : list.items)
    page.items.push_back(TRY(answers_.make(std::move(record), list.store_now, ScheduleAnswers::Detail::list)));
  return page;
}

Served<ScheduleDocument> Schedules::read(const Caller& caller, const json::value& document, const Address& address) {
  const NamespaceId name_space = TRY(caller.namespace_of(address.name_space));
  const auto own_space = text_in(document, "namespace");
  // One that the caller does not know of does not exist.
  if (own_space && is_id_text(*own_space)) TRY(caller.namespace_of(own_space));
  Problems conflicts;
  const auto own_id = text_in(document, "id");
  if (address.id && own_id && !is_same_without_case(*own_id, *address.id))
    conflicts.push_back(problem_at("/id", "conflict", "the id is not the one of the address",
                                   "leave it out, or write " + quoted(*address.id)));
  const bool has_place = address.id || address.name_space;
  if (has_place && own_space && *own_space != name_space.text())
    conflicts.push_back(problem_at("/namespace", "conflict", "the namespace is not the one of the address",
                                   fmt::format("leave it out, or ask for ?namespace={}", quoted(*own_space))));
  if (!conflicts.empty()) return std::unexpected(Refusal{std::move(conflicts)});
  json::value whole = with_namespace(document, name_space);
  if (address.id && whole.is_object()) whole.get_object()["id"] = *address.id;
  auto schedule = read_schedule(whole, {.default_timezone = parts_.default_timezone, .ignore_read_only = true});
  if (!schedule) return std::unexpected(Refusal{std::move(schedule).error()});
  if (Problems problems = check_definition(*schedule); !problems.empty())
    return std::unexpected(Refusal{std::move(problems)});
  // Whether its zone exists and its rules can ever be met is seen only when it is made ready.
  const auto ready = parts_.definitions.now()->compile_new(*schedule, 1, parts_.clock.now());
  if (!ready) return std::unexpected(Refusal{Problems{to_problem("/spec", ready.error())}});
  if (const auto cheap = (*ready)->timetable.check_cost(parts_.clock.now()); !cheap)
    return std::unexpected(too_complex(Problems{to_problem("/spec", cheap.error())}));
  TRY(expect_user(parts_.command_rules, schedule->action));
  return *std::move(schedule);
}

Served<ScheduleAnswer> Schedules::answer_tried(const DryRunOutcome& tried, const ScheduleDocument* document,
                                               const ScheduleRecord* before) {
  ScheduleRecord record{.key = before != nullptr ? before->key : key_in(*document),
                        .view = tried.view,
                        .document = document != nullptr ? text_of(*document) : before->document,
                        .created_at = before != nullptr ? before->created_at : tried.transition.decided_at,
                        .updated_at = tried.transition.decided_at,
                        .owner = before != nullptr ? before->owner : std::string{},
                        .pause = before != nullptr ? before->pause : std::nullopt,
                        .quarantine = {}};
  for (const Change& change : tried.transition.changes)
    if (change.kind == ChangeKind::paused)
      record.pause = ScheduleRecord::Pause{.reason = change.reason, .by = change.by};
  return TRY(answers_.make_tried(std::move(record), tried.definition, document));
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
  return TRY(answers_.make(std::move(record), parts_.clock.now(), ScheduleAnswers::Detail::whole, &document));
}

Served<ScheduleAnswer> Schedules::create(const Caller& caller, const json::value& document, const WriteTerms& terms,
                                         const std::optional<std::string>& name_space) {
  ScheduleDocument schedule = TRY(read(caller, document, {.name_space = name_space}));
  TRY(expect_execute(caller, schedule.action));
  const ScheduleId wanted = schedule.id;
  const bool is_ours_to_name = !has_id(document);
  const auto try_number = [&](int number) -> Served<ScheduleAnswer> {
    if (number > 1) schedule.id = numbered(wanted, number);
    TRY(check_name(schedule));
    if (terms.is_dry_run)
      return answer_tried(TRY(parts_.commands.try_create(schedule, caller.actor)), &schedule, nullptr);
    CommandMetadata attached = attached_to(caller, "schedule.create", key_in(schedule), terms);
    std::string text = text_of(schedule);
    attached.audit->after = sha256_hex(text);
    const CommandResult created = TRY(parts_.commands.create(schedule, caller.actor, {.attached = &attached}));
    return new_answer(caller, schedule, std::move(text), created.state);
  };
  for (int number = 1;; ++number) {
    // A word that is reserved is passed by like one that is taken.
    if (number == 1 && is_ours_to_name && is_reserved(wanted)) continue;
    auto created = try_number(number);
    const bool is_taken = !created && created.error().kind == Refusal::Kind::exists;
    if (!is_taken || !is_ours_to_name || number == number_max) return created;
  }
}

Served<ScheduleAnswer> Schedules::replace(const Caller& caller, const ScheduleRecord& before,
                                          const ScheduleDocument& document, const char* operation,
                                          const WriteTerms& terms) {
  TRY(check(terms.when, &before, before.key.id.text()));
  const std::string text = text_of(document);
  // Saying the same again changes nothing.
  if (text == before.document && document.enabled == is_enabled(before)) return answer(before);
  TRY(expect_execute(caller, document.action));
  // Also what triggers a command, and what takes its place, is for those to change who may define it.
  if (starts_command(before)) TRY(expect_execute(caller));
  // What the change was made from must still be there, or a change in between would be undone silently.
  const KnownRevision known{before.view.state};
  if (terms.is_dry_run)
    return answer_tried(TRY(parts_.commands.try_edit(document, caller.actor, known)), &document, &before);
  CommandMetadata attached = attached_to(caller, operation, before.key, terms);
  attached.audit->before = sha256_hex(before.document);
  attached.audit->after = sha256_hex(text);
  return as_written(caller,
                    TRY(parts_.commands.edit(document, caller.actor, {.if_revision = known, .attached = &attached})));
}

Served<Schedules::Put> Schedules::put(const Caller& caller, const ScheduleName& name, const json::value& document,
                                      const WriteTerms& terms) {
  const ScheduleKey key = TRY(key_of(caller, name));
  const auto before = TRY(parts_.query_store.read_schedule(key));
  // One that is there keeps its id as it was written first.
  const std::string id = before ? before->key.id.text() : name.id;
  const ScheduleDocument schedule = TRY(read(caller, document, {.id = id, .name_space = name.name_space}));
  TRY(check(terms.when, before ? &*before : nullptr, id));
  if (before) return Put{.answer = TRY(replace(caller, *before, schedule, "schedule.put", terms)), .is_new = false};
  TRY(check_name(schedule));
  TRY(expect_execute(caller, schedule.action));
  if (terms.is_dry_run)
    return Put{.answer = TRY(answer_tried(TRY(parts_.commands.try_create(schedule, caller.actor)), &schedule, nullptr)),
               .is_new = true};
  CommandMetadata attached = attached_to(caller, "schedule.put", key, terms);
  std::string text = text_of(schedule);
  attached.audit->after = sha256_hex(text);
  const auto created = parts_.commands.create(schedule, caller.actor, {.attached = &attached});
  const bool is_taken = !created && created.error().code == ErrorCode::conflict && created.error().rule.empty();
  // Somebody was faster.
  if (is_taken && terms.when.must_be_new)
    return refuse(Refusal::Kind::stale, "exists_already", "schedule {} exists already", id);
  if (!created) return std::unexpected(Refusal{created.error()});
  return Put{.answer = TRY(new_answer(caller, schedule, std::move(text), created->state)), .is_new = true};
}

Served<ScheduleAnswer> Schedules::patch(const Caller& caller, const ScheduleName& name, const json::value& patch,
                                        const WriteTerms& terms) {
  const ScheduleRecord before = TRY(find(caller, name));
  json::value document = TRY(stored_document(before));
  if (document.is_object()) document.get_object()["enabled"] = is_enabled(before);
  PatchedDocument patched = patched_document(std::move(document), patch);
  if (!patched.problems.empty()) return std::unexpected(Refusal{std::move(patched.problems)});
  const Address own{.id = before.key.id.text(), .name_space = before.key.name_space.text()};
  const ScheduleDocument schedule = TRY(read(caller, patched.document, own));
  return replace(caller, before, schedule, "schedule.patch", terms);
}

Served<> Schedules::remove(const Caller& caller, const ScheduleName& name, const WriteTerms& terms) {
  const ScheduleRecord before = TRY(find(caller, name));
  TRY(check(terms.when, &before, name.id));
  if (terms.is_dry_run) return {};
  CommandMetadata attached = attached_to(caller, "schedule.delete", before.key, terms);
  attached.audit->before = sha256_hex(before.document);
  TRY(parts_.commands.change(before.key, Deleted{.by = caller.actor},
                             {.if_revision = known_by(terms, before), .attached = &attached}));
  return {};
}

Served<std::optional<KnownRevision>> Schedules::expect(const Caller& caller, const ScheduleName& name,
                                                       const WriteTerms& terms) {
  if (terms.when.is_empty()) return std::nullopt;
  const ScheduleRecord now = TRY(find(caller, name));
  TRY(check(terms.when, &now, name.id));
  return known_by(terms, now);
}

Served<ScheduleAnswer> Schedules::change(const Caller& caller, const ScheduleName& name, const char* operation,
                                         const Event& event, const WriteTerms& terms) {
  if (terms.is_dry_run) {
    const ScheduleRecord before = TRY(find(caller, name));
    TRY(check(terms.when, &before, name.id));
    return answer_tried(TRY(parts_.commands.try_change(before.key, event)), nullptr, &before);
  }
  const ScheduleKey key = TRY(key_of(caller, name));
  const auto known = TRY(expect(caller, name, terms));
  const CommandMetadata attached = attached_to(caller, operation, key, terms);
  return as_written(caller, TRY(parts_.commands.change(key, event, {.if_revision = known, .attached = &attached})));
}

Served<ScheduleAnswer> Schedules::pause(const Caller& caller, const ScheduleName& name, const PauseRequest& request,
                                        const WriteTerms& terms) {
  if (request.reason.size() > pause_reason_size_max)
    return refuse(Refusal::Kind::invalid, "invalid", "reason has {} bytes, above {}", request.reason.size(),
                  pause_reason_size_max);
  return change(caller, name, "schedule.pause",
                Paused{.by = caller.actor, .reason = request.reason, .until = request.until}, terms);
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

Served<TriggerAnswer> Schedules::trigger(const Caller& caller, const ScheduleName& name, const TriggerRequest& request,
                                         const WriteTerms& terms) {
  const ScheduleKey key = TRY(key_of(caller, name));
  const auto known = TRY(expect(caller, name, terms));
  const CommandMetadata attached = attached_to(caller, "schedule.trigger", key, terms);
  const Triggered event{.by = caller.actor,
                        .id = fmt::format("{:x}", unique_number()),
                        .overlap = request.overlap.value_or(OverlapPolicy::allow_all),
                        .nominal = request.nominal,
                        .payload = request.payload};
  const CommandResult changed = TRY(parts_.commands.change(key, event, {.if_revision = known, .attached = &attached}));
  if (changed.decisions.empty())
    return refuse(Refusal::Kind::unavailable, "unavailable", "it was done, but its run is not known; look at the runs");
  // What was due already was decided with it, before it.
  auto runs = TRY(run_answers(TRY(parts_.query_store.read_run_records(std::span{&changed.decisions.back(), 1})),
                              parts_.run_ids, parts_.query_store));
  if (runs.empty()) return refuse(Refusal::Kind::internal, "internal", "the run cannot be read");
  return TriggerAnswer{.run = std::move(runs.front())};
}

Served<std::int64_t> Schedules::cancel(const Caller& caller, const ScheduleName& name, const WriteTerms& terms) {
  const ScheduleRecord record = TRY(find(caller, name));
  TRY(check(terms.when, &record, name.id));
  std::int64_t count = 0;
  for (const LiveRun& run : record.view.live) {
    if (!is_open(run) && !is_waiting(run)) continue;
    const CommandMetadata attached = attached_to(caller, "run.cancel", record.key, {});
    const auto changed = parts_.commands.change(record.key, CancelRequested{.run = run.seq}, {.attached = &attached});
    // One that has just ended by itself needs no cancelling.
    if (!changed && changed.error().code == ErrorCode::unavailable) return std::unexpected(Refusal{changed.error()});
    count += changed.has_value();
  }
  return count;
}

}  // namespace carillon
