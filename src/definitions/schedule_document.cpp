#include "definitions/schedule_document.hpp"

#include "base/assertion.hpp"
#include "base/quoted.hpp"
#include "calendar/spec_document.hpp"
#include "definitions/action_checks.hpp"
#include "definitions/action_document.hpp"
#include "definitions/members.hpp"
#include "definitions/policies_document.hpp"
#include "definitions/short_form.hpp"
#include "definitions/slug.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <optional>
#include <utility>

namespace carillon {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 28> read_only_members{
    "status",       "activity",  "pause",     "nextRunAt",  "nextDueAt",    "lastRunAt",  "lastSuccessAt",
    "lastError",    "running",   "waiting",   "runCount",   "successCount", "errorCount", "currentRepeat",
    "currentRetry", "skipped",   "stats",     "recentRuns", "upcoming",     "managedBy",  "owner",
    "revision",     "createdAt", "updatedAt", "warnings",   "recent",       "sentence",   "remainingStarts"};

std::optional<Error> check_label(std::string_view key, std::string_view value) {
  if (!is_id_text(key)) return detail::bad_id("label", key);
  if (const std::size_t length = character_count(value); length > label_length_max)
    return fault("too-long", fmt::format("the label {} has {} characters", key, length),
                 fmt::format("write at most {}", label_length_max));
  if (has_control_character(value))
    return fault("control-character", fmt::format("the label {} has a control character", key), "write it on one line");
  return std::nullopt;
}

template <typename AnyId>
std::optional<AnyId> read_id(ObjectReader& reader, std::string_view key) {
  const auto text = reader.text(key);
  if (!text) return std::nullopt;
  auto id = AnyId::parse(*text);
  if (id) return *std::move(id);
  reader.problem(key, id.error());
  return std::nullopt;
}

/// What is left of a schedule when something may be wrong with it; whole when nothing is.
struct Parts {
  std::optional<ScheduleId> id;
  std::optional<NamespaceId> name_space;
  std::optional<std::string> name;
  std::optional<Spec> spec;
  std::optional<Action> action;
};

void read_names(ObjectReader& reader, const json::value& document, Parts& parts, Problems& problems) {
  const std::size_t problems_before = problems.size();
  parts.id = read_id<ScheduleId>(reader, "id");
  parts.name_space = read_id<NamespaceId>(reader, "namespace");
  parts.name = text_within(reader, "name", {.length_min = 1, .length_max = name_length_max});
  if (!parts.id && parts.name) parts.id = slug(*parts.name);
  if (problems.size() == problems_before)
    if (!parts.id) require(reader, document, "id", "a schedule needs an id or a name", "write id: nightly-etl");
}

std::optional<Spec> read_spec_member(ObjectReader& reader, const ReadOptions& options, Problems& problems) {
  const json::value empty = json::object{};
  const json::value* member = reader.member("spec");
  auto spec = read_spec(member == nullptr ? empty : *member, options.default_timezone, reader.pointer("spec"));
  if (spec) return *std::move(spec);
  std::ranges::move(spec.error(), std::back_inserter(problems));
  return std::nullopt;
}

/// A workflow has retries of its own, on its cluster: a whole new one is started only where that is asked for.
bool says_attempts(const json::value* policies) {
  const json::object* all = policies == nullptr ? nullptr : policies->if_object();
  const json::value* retry = all == nullptr ? nullptr : all->if_contains("retry");
  return retry != nullptr && retry->is_object() && retry->get_object().contains("maxAttempts");
}

std::optional<Action> read_action_member(ObjectReader& reader, const json::value& document, Problems& problems) {
  if (const json::value* action = reader.member("action"))
    return read_action(*action, reader.pointer("action"), problems);
  require(reader, document, "action", "a schedule needs an action",
          "write action: {command: {argv: […]}}, {http: {url: …}} or {job: {type: …}}");
  return std::nullopt;
}

/// Keys that are no members of the canonical form. Asking for them makes them known, for the advice about a key that
/// is not.
void note_other_keys(ObjectReader& reader, const ReadOptions& options) {
  for (const std::string_view key : short_keys) static_cast<void>(reader.member(key));
  if (options.ignore_read_only)
    for (const std::string_view key : read_only_members) static_cast<void>(reader.member(key));
}

enum class Author { user, store };

/// Reads the canonical form, pointers from its root.
Checked<ScheduleDocument> read_long_form(const json::value& document, const ReadOptions& options, Author author) {
  Problems problems;
  Parts parts;
  ObjectReader reader{document, "", problems};
  read_names(reader, document, parts, problems);
  const auto description =
      text_within(reader, "description", {.length_max = description_length_max, .with_control_characters = true});
  TextMap labels = text_map_within(reader, "labels", label_count_max, problems, check_label);
  const auto enabled = reader.boolean("enabled");
  parts.spec = read_spec_member(reader, options, problems);
  parts.action = read_action_member(reader, document, problems);
  const json::value* policies = reader.member("policies");
  Policies read = policies == nullptr ? Policies{} : read_policies(*policies, reader.pointer("policies"), problems);
  const auto notes = text_within(reader, "notes", {.length_max = notes_length_max, .with_control_characters = true});
  std::optional<OnCreate> on_create;
  if (const json::value* part = reader.member("onCreate"))
    on_create = read_on_create(*part, reader.pointer("onCreate"), problems);
  if (parts.action && std::holds_alternative<WorkflowAction>(*parts.action) && !says_attempts(policies))
    read.retry.attempt_count_max = 1;
  std::optional<TemporalPart> temporal;
  if (const json::value* part = reader.member("temporal"))
    temporal = read_temporal(*part, reader.pointer("temporal"), problems);
  if (author == Author::user) note_other_keys(reader, options);
  reader.finish();
  if (!problems.empty()) return std::unexpected(std::move(problems));

  CARILLON_ASSERT(parts.id && parts.spec && parts.action);
  std::string name = parts.name.value_or(parts.id->text());
  return ScheduleDocument{.id = *std::move(parts.id),
                          .name_space = parts.name_space ? *parts.name_space : NamespaceId::parse("default").value(),
                          .name = std::move(name),
                          .description = description.value_or(""),
                          .labels = std::move(labels),
                          .enabled = enabled.value_or(true),
                          .spec = *std::move(parts.spec),
                          .action = *std::move(parts.action),
                          .policies = std::move(read),
                          .notes = notes.value_or(""),
                          .on_create = on_create == OnCreate{} ? std::nullopt : std::move(on_create),
                          .temporal = std::move(temporal)};
}

}  // namespace

Checked<ScheduleDocument> read_schedule(const json::value& document, const ReadOptions& options,
                                        std::string_view pointer) {
  Problems problems;
  LongForm form;
  if (const json::object* object = document.if_object()) {
    form = to_long_form(*object, pointer, problems);
    fill_short_form_defaults(form);
  }
  auto schedule =
      read_long_form(document.is_object() ? json::value(std::move(form.document)) : document, options, Author::user);
  if (schedule) {
    if (Problems found; check_action(schedule->action, "/action", found), !found.empty())
      schedule = std::unexpected(std::move(found));
  }
  if (!schedule) {
    for (Problem& problem : schedule.error()) {
      problem.pointer = std::string{pointer} + form.as_written(problem.pointer);
      problems.push_back(std::move(problem));
    }
  }
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return schedule;
}

Checked<ScheduleDocument> read_canonical_schedule(const json::value& document) {
  return read_long_form(document, {}, Author::store);
}

bool has_id(const json::value& document) {
  const json::object* object = document.if_object();
  const json::value* id = object == nullptr ? nullptr : object->if_contains("id");
  return id != nullptr && !id->is_null();
}

json::object write_schedule(const ScheduleDocument& schedule) {
  json::object out{{"id", schedule.id.text()},
                   {"namespace", schedule.name_space.text()},
                   {"name", schedule.name},
                   {"description", schedule.description},
                   {"labels", write_text_map(schedule.labels)},
                   {"enabled", schedule.enabled},
                   {"spec", write_spec(schedule.spec)},
                   {"action", write_action(schedule.action)},
                   {"policies", write_policies(schedule.policies)}};
  if (!schedule.notes.empty()) out["notes"] = schedule.notes;
  if (schedule.on_create) out["onCreate"] = write_on_create(*schedule.on_create);
  if (schedule.temporal) out["temporal"] = write_temporal(*schedule.temporal);
  return out;
}

}  // namespace carillon
