#include "base/crypto.hpp"
#include "base/quoted.hpp"
#include "definitions/new_definition.hpp"
#include "definitions/slug.hpp"
#include "document/document.hpp"
#include "service/admission.hpp"
#include "service/managed_definition.hpp"
#include "service/patched_document.hpp"
#include "service/schedules.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>
#include <variant>

namespace carillon {
namespace {

namespace json = boost::json;

/// How many numbers are tried behind a slug.
constexpr int number_max = 1'000;

ScheduleKey key_in(const ScheduleDocument& document) { return {document.name_space, document.id}; }

Served<json::value> stored_document(const ScheduleRecord& record) {
  auto document = parse_json(record.document);
  if (!document) return refuse(Refusal::Kind::internal, "internal", "cannot read the stored definition");
  return *std::move(document);
}

/// Whether the schedule can start programs; one that cannot be read may.
bool starts_programs(const ScheduleRecord& record) {
  const auto document = parse_json(record.document);
  const json::object* members = document ? document->if_object() : nullptr;
  const json::value* action = members == nullptr ? nullptr : members->if_contains("action");
  if (action == nullptr || !action->is_object()) return true;
  return action->get_object().contains("command") || action->get_object().contains("pipeline");
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

/// Those who do not know of this member replace the others.
json::value with_temporal(const json::value& document, const ScheduleRecord* before) {
  json::value whole = document;
  if (before == nullptr || !whole.is_object() || whole.get_object().contains("temporal")) return whole;
  if (const auto stored = parse_json(before->document); stored && stored->is_object())
    if (const json::value* part = stored->get_object().if_contains("temporal")) whole.get_object()["temporal"] = *part;
  return whole;
}

Problem problem_at(std::string pointer, std::string_view code, std::string message, std::string hint) {
  return {.pointer = std::move(pointer),
          .code = code,
          .message = std::move(message),
          .hint = std::move(hint),
          .position = {}};
}

}  // namespace

Served<PreparedDefinition> Schedules::read(const Caller& caller, const json::value& document, const Address& address) {
  const NamespaceId name_space = TRY(caller.namespace_of(address.name_space));
  const auto own_space = text_in(document, "namespace");
  // One that the caller does not know of does not exist.
  if (own_space && is_id_text(*own_space)) TRY(caller.namespace_of(own_space));
  Problems conflicts;
  const auto own_id = text_in(document, "id");
  if (address.id && own_id && !is_same_without_case(*own_id, *address.id))
    conflicts.push_back(problem_at("/id", "conflict", "the id differs from the one in the address",
                                   "leave it out, or write " + quoted(*address.id)));
  const bool has_place = address.id || address.name_space;
  if (has_place && own_space && *own_space != name_space.text())
    conflicts.push_back(problem_at("/namespace", "conflict", "the namespace differs from the one in the address",
                                   fmt::format("leave it out, or ask for ?namespace={}", quoted(*own_space))));
  if (!conflicts.empty()) return std::unexpected(Refusal{std::move(conflicts)});
  json::value whole = with_namespace(document, name_space);
  if (address.id && whole.is_object()) whole.get_object()["id"] = *address.id;
  auto schedule = read_schedule(whole, {.default_timezone = parts_.default_timezone, .ignore_read_only = true});
  if (!schedule) return std::unexpected(Refusal{std::move(schedule).error()});
  Problems problems = check_definition(*schedule);
  if (!parts_.has_watched_folder && std::holds_alternative<PipelineAction>(schedule->action))
    problems.push_back(problem_at("/action/pipeline", "unavailable", "this server has no folder of pipelines",
                                  "start it with carillon scheduler start DIR, or use command, http or job"));
  if (const auto* workflow = std::get_if<WorkflowAction>(&schedule->action))
    if (const auto error = cluster_fault(*workflow, parts_.workflow_clusters))
      problems.push_back(to_problem("/action/workflow", *error));
  if (!problems.empty()) return std::unexpected(Refusal{std::move(problems)});
  PreparedDefinition definition{*std::move(schedule)};
  // Whether its zone exists and its rules can ever be met is seen only when it is made ready.
  const ScheduleState* const now = address.before == nullptr ? nullptr : &address.before->view.state;
  const auto compiled = definition.compile(*parts_.definitions.now(), now == nullptr ? 1 : now->revision + 1,
                                           now == nullptr ? parts_.clock.now() : now->created_at);
  if (!compiled) return std::unexpected(Refusal{Problems{to_problem("/spec", compiled.error())}});
  if (const auto cheap = definition.check_cost(**compiled, parts_.clock.now()); !cheap)
    return std::unexpected(too_complex(Problems{to_problem("/spec", cheap.error())}));
  TRY(expect_user(parts_.command_rules, definition.document().action));
  return definition;
}

namespace {

/// What is done at a creation is for those who may do it at any other time.
Served<> expect_first_rights(const Caller& caller, const ScheduleDocument& document) {
  if (!document.on_create) return {};
  const OnCreate& first = *document.on_create;
  if (first.pause) TRY(require(caller, operation_of(OperationId::pause_schedule)));
  if (first.trigger) TRY(require(caller, operation_of(OperationId::trigger_schedule)));
  if (!first.backfills.empty()) TRY(require(caller, operation_of(OperationId::create_backfill)));
  return {};
}

}  // namespace

// From what was written rather than read: nothing can have happened to it that its creator must know.
Served<ScheduleAnswer> Schedules::new_answer(const Caller& caller, const PreparedDefinition& definition,
                                             const CommandResult& created) {
  if (definition.document().on_create) return as_written(caller, created);
  const ScheduleState& state = created.state;
  ScheduleRecord record{.key = key_in(definition.document()),
                        .view = {.state = state, .live = {}, .backfills = {}},
                        .document = definition.text(),
                        .created_at = state.created_at,
                        .updated_at = state.created_at,
                        .owner = caller.shown_name(),
                        .pause = {},
                        .quarantine = {}};
  return TRY(answers_.make(std::move(record), parts_.clock.now(), &definition.document()));
}

Served<> Schedules::expect_definable(const Caller& caller, const ScheduleKey& key, std::string_view before,
                                     std::string_view after) {
  return parts_.has_watched_folder ? expect_not_of_file(caller, key, before, after) : Served<>{};
}

Served<ScheduleAnswer> Schedules::create(const Caller& caller, const json::value& document, const WriteTerms& terms,
                                         const std::optional<std::string>& name_space) {
  PreparedDefinition definition = TRY(read(caller, document, {.name_space = name_space}));
  TRY(expect_execute(caller, definition.document().action));
  TRY(expect_first_rights(caller, definition.document()));
  const ScheduleId wanted = definition.document().id;
  const bool is_ours_to_name = !has_id(document);
  const auto try_number = [&](int number) -> Served<ScheduleAnswer> {
    if (number > 1) definition.rename(numbered(wanted, number));
    TRY(check_name(definition.document()));
    TRY(expect_definable(caller, key_in(definition.document()), {}, definition.text()));
    if (terms.is_dry_run)
      return answer_tried(TRY(parts_.commands.try_create(definition, caller.shown_name())), &definition, nullptr);
    CommandMetadata attached = attached_to(caller, "schedule.create", key_in(definition.document()), terms);
    attached.audit->after = sha256_hex(definition.text());
    const CommandResult created = TRY(parts_.commands.create(definition, caller.shown_name(),
                                                             {.attached = &attached, .continuing = terms.continuing}));
    return new_answer(caller, definition, created);
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
                                          const PreparedDefinition& definition, const char* operation,
                                          const WriteTerms& terms) {
  TRY(check(terms.when, &before, before.key.id.text()));
  const ScheduleDocument& document = definition.document();
  // Saying the same again changes nothing.
  const bool is_noted = !before.note || *before.note == document.notes;
  if (definition.text() == before.document && document.enabled == is_enabled(before) && is_noted) return answer(before);
  TRY(expect_definable(caller, before.key, before.document, definition.text()));
  TRY(expect_execute(caller, document.action));
  // Also what triggers a command, and what takes its place, is for those to change who may define it.
  if (starts_programs(before)) TRY(expect_execute(caller));
  // What the change was made from must still be there, or a change in between would be undone silently.
  const KnownRevision known{before.view.state};
  if (terms.is_dry_run)
    return answer_tried(TRY(parts_.commands.try_edit(definition, caller.shown_name(), known)), &definition, &before);
  CommandMetadata attached = attached_to(caller, operation, before.key, terms);
  attached.audit->before = sha256_hex(before.document);
  attached.audit->after = sha256_hex(definition.text());
  return as_written(caller, TRY(parts_.commands.edit(definition, caller.shown_name(),
                                                     {.if_revision = known, .attached = &attached})));
}

Served<ScheduleAnswer> Schedules::note(const Caller& caller, const ScheduleName& name, const std::string& notes,
                                       const WriteTerms& terms) {
  const ScheduleRecord before = TRY(find(caller, name));
  TRY(check(terms.when, &before, name.id));
  json::value document = TRY(stored_document(before));
  if (!document.is_object()) return refuse(Refusal::Kind::internal, "internal", "cannot read the stored definition");
  document.get_object()["enabled"] = is_enabled(before);
  document.get_object()["notes"] = notes;
  const Address own{.id = before.key.id.text(), .name_space = before.key.name_space.text(), .before = &before};
  const PreparedDefinition definition = TRY(read(caller, document, own));
  if (definition.text() == before.document && !before.note) return answer(before);
  TRY(expect_definable(caller, before.key, before.document, definition.text()));
  CommandMetadata attached = attached_to(caller, "schedule.note", before.key, terms);
  return as_written(
      caller, TRY(parts_.commands.edit(definition, caller.shown_name(),
                                       {.if_revision = KnownRevision{before.view.state}, .attached = &attached})));
}

Served<Schedules::Put> Schedules::put(const Caller& caller, const ScheduleName& name, const json::value& document,
                                      const WriteTerms& terms) {
  const ScheduleKey key = TRY(key_of(caller, name));
  const auto before = TRY(parts_.store.queries.read_schedule(key));
  // One that is there keeps its id as it was written first.
  const std::string id = before ? before->key.id.text() : name.id;
  const PreparedDefinition definition =
      TRY(read(caller, with_temporal(document, before ? &*before : nullptr),
               {.id = id, .name_space = name.name_space, .before = before ? &*before : nullptr}));
  TRY(check(terms.when, before ? &*before : nullptr, id));
  if (before) return Put{.answer = TRY(replace(caller, *before, definition, "schedule.put", terms)), .is_new = false};
  TRY(check_name(definition.document()));
  TRY(expect_execute(caller, definition.document().action));
  TRY(expect_first_rights(caller, definition.document()));
  TRY(expect_definable(caller, key, {}, definition.text()));
  if (terms.is_dry_run)
    return Put{.answer = TRY(answer_tried(TRY(parts_.commands.try_create(definition, caller.shown_name())), &definition,
                                          nullptr)),
               .is_new = true};
  CommandMetadata attached = attached_to(caller, "schedule.put", key, terms);
  attached.audit->after = sha256_hex(definition.text());
  const auto created = parts_.commands.create(definition, caller.shown_name(), {.attached = &attached});
  const bool is_taken = !created && created.error().code == ErrorCode::conflict && created.error().rule.empty();
  // Somebody was faster.
  if (is_taken && terms.when.must_be_new)
    return refuse(Refusal::Kind::stale, "exists_already", "schedule {} already exists", id);
  if (!created) return std::unexpected(Refusal{created.error()});
  return Put{.answer = TRY(new_answer(caller, definition, *created)), .is_new = true};
}

Served<ScheduleAnswer> Schedules::patch(const Caller& caller, const ScheduleName& name, const json::value& patch,
                                        const WriteTerms& terms) {
  const ScheduleRecord before = TRY(find(caller, name));
  json::value document = TRY(stored_document(before));
  if (document.is_object()) {
    document.get_object()["enabled"] = is_enabled(before);
    if (before.note) document.get_object()["notes"] = *before.note;
  }
  PatchedDocument patched = patched_document(std::move(document), patch);
  if (!patched.problems.empty()) return std::unexpected(Refusal{std::move(patched.problems)});
  const Address own{.id = before.key.id.text(), .name_space = before.key.name_space.text(), .before = &before};
  return replace(caller, before, TRY(read(caller, patched.document, own)), "schedule.patch", terms);
}

}  // namespace carillon
