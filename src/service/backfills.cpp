#include "service/backfills.hpp"

#include "base/crypto.hpp"
#include "base/quoted.hpp"

#include <algorithm>

namespace carillon {
namespace {

/// What counting the occurrences of a backfill may take.
constexpr std::uint64_t backfill_steps_max = 50'000'000;
constexpr std::string_view shorter_range = "choose a shorter range, or use fewer intervals, crons or exclusions";

const char* operation_of(BackfillChanged::Kind kind) {
  switch (kind) {
    case BackfillChanged::Kind::pause: return "backfill.pause";
    case BackfillChanged::Kind::resume: return "backfill.resume";
    case BackfillChanged::Kind::cancel: return "backfill.cancel";
  }
  return "backfill";
}

BackfillRequested event_of(const Caller& caller, const BackfillRequest& request, std::string id) {
  return {.by = caller.shown_name(), .backfill = new_backfill(request, std::move(id))};
}

/// A lane of its own is refused by the schedule itself.
Served<> expect_past(const BackfillRequest& request, Instant now) {
  if (!request.overlap || request.to <= now) return {};
  return refuse(Refusal::Kind::invalid, "invalid", "to is {}: a backfill cannot reach into the future",
                to_text(request.to));
}

}  // namespace

std::string backfill_id_of(const std::optional<IdempotencyKey>& request) {
  constexpr std::size_t digit_count = 10;
  if (request) return "bf-" + sha256_hex("backfill\n" + request->key).substr(0, digit_count);
  return fmt::format("bf-{:x}", static_cast<std::uint64_t>(unique_number()) >> 24);
}

Served<BackfillPreview> Backfills::preview(const Caller& caller, const ScheduleName& name,
                                           const BackfillRequest& request) {
  TRY(expect_past(request, parts_.clock.now()));
  const ScheduleRecord record = TRY(schedules_.find(caller, name));
  const ScheduleState& state = record.view.state;
  const DefinitionPtr definition = TRY(parts_.definitions.now()->get({.uid = state.uid, .revision = state.revision}));
  Budget budget{backfill_steps_max};
  BackfillPreview preview;
  if (definition->has_occurrences && request.from < request.to)
    preview.total = static_cast<std::int64_t>(definition->timetable.count(request.from, request.to, budget));
  if (budget.is_spent()) return too_complex(shorter_range);
  // What the schedule would refuse cannot be previewed.
  static_cast<void>(TRY(parts_.commands.try_change(record.key, event_of(caller, request, "preview"))));
  if (!definition->has_occurrences) return preview;
  const auto occurrences =
      definition->timetable.occurrences(request.from, request.to, static_cast<std::size_t>(backfill_total_max), budget);
  if (budget.is_spent()) return too_complex(shorter_range);
  const auto past = TRY(parts_.store.schedules.read_past_runs(state.uid, request.from, request.to));
  for (const Instant nominal : occurrences) {
    const auto found = std::ranges::lower_bound(past, nominal, {}, &PastRun::nominal);
    const bool has_run = found != past.end() && found->nominal == nominal;
    preview.conflicts += has_run;
    preview.failed += has_run && has_failed(found->state);
    if (!is_wanted(request.reprocess, has_run ? &*found : nullptr)) continue;
    ++preview.to_run;
    if (!preview.first) preview.first = nominal;
    preview.last = nominal;
  }
  return preview;
}

Served<BackfillAnswer> Backfills::create(const Caller& caller, const ScheduleName& name, const BackfillRequest& request,
                                         const WriteTerms& terms, Reach reach) {
  if (reach == Reach::past) TRY(expect_past(request, parts_.clock.now()));
  const ScheduleRecord record = TRY(schedules_.find(caller, name));
  TRY(check(terms.when, &record, name.id));
  const ScheduleState& state = record.view.state;
  const DefinitionPtr definition = TRY(parts_.definitions.now()->get({.uid = state.uid, .revision = state.revision}));
  Budget budget{backfill_steps_max};
  if (request.from < request.to) static_cast<void>(definition->timetable.count(request.from, request.to, budget));
  if (budget.is_spent()) return too_complex(shorter_range);
  const std::string id = backfill_id_of(terms.key);
  const CommandMetadata attached =
      attached_to(caller, "backfill.create", record.key.name_space.text(), record.key.id.text() + "/" + id, terms);
  TRY(parts_.commands.change(record.key, event_of(caller, request, id),
                             {.if_revision = known_by(terms, record), .attached = &attached}));
  return get(caller, name, id);
}

Served<std::vector<BackfillAnswer>> Backfills::list(const Caller& caller, const ScheduleName& name) {
  const ScheduleRecord record = TRY(schedules_.find(caller, name));
  std::vector<BackfillAnswer> answers;
  for (Backfill& backfill : TRY(parts_.store.queries.read_backfills(record.view.state.uid)))
    answers.push_back({.key = record.key, .record = std::move(backfill)});
  return answers;
}

Served<BackfillPage> Backfills::list_all(const Caller& caller, const BackfillQuery& query) {
  auto list = TRY(parts_.store.queries.list_backfills({.name_space = TRY(caller.namespace_to_list(query.name_space)),
                                                       .is_open_only = query.is_open_only,
                                                       .before = query.before,
                                                       .count_max = query.count_max}));
  BackfillPage page{.items = {}, .next = list.next};
  for (BackfillRecord& record : list.items)
    page.items.push_back({.key = std::move(record.key), .record = std::move(record.backfill)});
  return page;
}

Served<BackfillAnswer> Backfills::get(const Caller& caller, const ScheduleName& name, const std::string& id) {
  for (BackfillAnswer& answer : TRY(list(caller, name)))
    if (answer.record.id == id) return std::move(answer);
  return refuse(Refusal::Kind::not_found, "not_found", "schedule {} has no backfill {}", name.id, quoted(id));
}

Served<BackfillAnswer> Backfills::change(const Caller& caller, const ScheduleName& name, const std::string& id,
                                         BackfillChanged::Kind kind, const WriteTerms& terms) {
  const ScheduleRecord record = TRY(schedules_.find(caller, name));
  TRY(check(terms.when, &record, name.id));
  const BackfillAnswer before = TRY(get(caller, name, id));
  if (!is_open(before.record.state))
    return refuse(Refusal::Kind::ended, "ended", "backfill {} is already {}", id, to_text(before.record.state));
  const CommandMetadata attached =
      attached_to(caller, operation_of(kind), before.key.name_space.text(), before.key.id.text() + "/" + id, terms);
  TRY(parts_.commands.change(before.key, BackfillChanged{.by = caller.shown_name(), .id = id, .kind = kind},
                             {.attached = &attached}));
  return get(caller, name, id);
}

}  // namespace carillon
