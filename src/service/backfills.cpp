#include "service/backfills.hpp"

#include "base/quoted.hpp"

#include <algorithm>

namespace carillon {
namespace {

Attached attached_to(const Caller& caller, const char* operation, const ScheduleKey& key, const std::string& id,
                     const WriteTerms& terms) {
  return {.audit = AuditEntry{.actor = caller.actor,
                              .address = caller.address,
                              .operation = operation,
                              .name_space = key.name_space.text(),
                              .target = key.id.text() + "/" + id,
                              .outcome = "done",
                              .before = {},
                              .after = {}},
          .request = terms.key};
}

const char* operation_of(BackfillChanged::Kind kind) {
  switch (kind) {
    case BackfillChanged::Kind::pause: return "backfill.pause";
    case BackfillChanged::Kind::resume: return "backfill.resume";
    case BackfillChanged::Kind::cancel: return "backfill.cancel";
  }
  return "backfill";
}

bool is_to_run(Reprocess reprocess, const PastRun* past) {
  if (past == nullptr || reprocess == Reprocess::all) return true;
  return reprocess == Reprocess::failed && is_terminal(past->state) && past->state != RunState::succeeded;
}

Served<> check(const BackfillWish& wish) {
  if (wish.from >= wish.to) return refuse(Refusal::Kind::invalid, "invalid", "to must lie after from");
  return {};
}

}  // namespace

Served<BackfillPreview> Backfills::preview(const Caller& caller, const ScheduleName& name, const BackfillWish& wish) {
  TRY(check(wish));
  const ScheduleRecord record = TRY(schedules_.find(caller, name));
  const ScheduleState& state = record.view.state;
  const DefinitionPtr definition = TRY(parts_.definitions.now()->get({.uid = state.uid, .revision = state.revision}));
  BackfillPreview preview;
  if (!definition->has_occurrences) return preview;
  preview.total = static_cast<std::int64_t>(definition->timetable.count(wish.from, wish.to));
  if (preview.total > backfill_total_max)
    return refuse(Refusal::Kind::invalid, "invalid",
                  "a backfill of {} occurrences is above the {} it may have; divide it", preview.total,
                  backfill_total_max);
  const auto occurrences =
      definition->timetable.occurrences(wish.from, wish.to, static_cast<std::size_t>(backfill_total_max));
  const auto past = TRY(parts_.store.read_past_runs(state.uid, wish.from, wish.to));
  for (const Instant nominal : occurrences) {
    const auto found = std::ranges::lower_bound(past, nominal, {}, &PastRun::nominal);
    const bool has_run = found != past.end() && found->nominal == nominal;
    preview.conflicts += has_run;
    preview.failed += has_run && is_terminal(found->state) && found->state != RunState::succeeded;
    if (!is_to_run(wish.reprocess, has_run ? &*found : nullptr)) continue;
    ++preview.to_run;
    if (!preview.first) preview.first = nominal;
    preview.last = nominal;
  }
  return preview;
}

Served<BackfillAnswer> Backfills::create(const Caller& caller, const ScheduleName& name, const BackfillWish& wish,
                                         const WriteTerms& terms) {
  TRY(check(wish));
  const ScheduleRecord record = TRY(schedules_.find(caller, name));
  const std::string id = fmt::format("bf-{:x}", static_cast<std::uint64_t>(unique_number()) >> 24);
  const Attached attached = attached_to(caller, "backfill.create", record.key, id, terms);
  const BackfillRequested event{.by = caller.actor,
                                .backfill = {.id = id,
                                             .from = wish.from,
                                             .to = wish.to,
                                             .order = wish.order,
                                             .reprocess = wish.reprocess,
                                             .concurrency = wish.concurrency,
                                             .is_exclusive = wish.is_exclusive,
                                             .cursor = {}}};
  TRY(parts_.wishes.change(record.key, event, {.if_revision = terms.if_revision, .attached = &attached}));
  return get(caller, name, id);
}

Served<std::vector<BackfillAnswer>> Backfills::list(const Caller& caller, const ScheduleName& name) {
  const ScheduleRecord record = TRY(schedules_.find(caller, name));
  std::vector<BackfillAnswer> answers;
  for (Backfill& backfill : TRY(parts_.catalogue.read_backfills(record.view.state.uid)))
    answers.push_back({.key = record.key, .record = std::move(backfill)});
  return answers;
}

Served<BackfillAnswer> Backfills::get(const Caller& caller, const ScheduleName& name, const std::string& id) {
  for (BackfillAnswer& answer : TRY(list(caller, name)))
    if (answer.record.id == id) return std::move(answer);
  return refuse(Refusal::Kind::not_found, "not_found", "schedule {} has no backfill {}", name.id, quoted(id));
}

Served<BackfillAnswer> Backfills::change(const Caller& caller, const ScheduleName& name, const std::string& id,
                                         BackfillChanged::Kind kind, const WriteTerms& terms) {
  const BackfillAnswer before = TRY(get(caller, name, id));
  if (!is_open(before.record.state))
    return refuse(Refusal::Kind::ended, "ended", "backfill {} is {} already", id, to_text(before.record.state));
  const Attached attached = attached_to(caller, operation_of(kind), before.key, id, terms);
  TRY(parts_.wishes.change(before.key, BackfillChanged{.by = caller.actor, .id = id, .kind = kind},
                           {.attached = &attached}));
  return get(caller, name, id);
}

}  // namespace carillon
