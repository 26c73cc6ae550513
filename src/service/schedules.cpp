#include "service/schedules.hpp"

#include "base/crypto.hpp"

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace carillon {
namespace {

constexpr std::size_t pause_reason_size_max = 1'000;
/// The namespace of the packages of a watched folder.
constexpr std::string_view package_namespace = "default";

Served<> check_reason(const std::string& reason) {
  if (reason.size() <= pause_reason_size_max) return {};
  return refuse(Refusal::Kind::invalid, "invalid", "reason has {} bytes, more than {}", reason.size(),
                pause_reason_size_max);
}

/// Whether it is the beginning of a list of all schedules, as far as packages are concerned.
bool begins_whole_list(const ScheduleListRequest& request) {
  const ScheduleFilter& filter = request.filter;
  const bool has_packages = filter.name_space.value_or(std::string{package_namespace}) == package_namespace;
  return !has_conditions(filter) && has_packages && !request.after && request.offset == 0;
}

}  // namespace

Served<ScheduleKey> Schedules::key_of(const Caller& caller, const ScheduleName& name) {
  // What cannot be an id names nothing; saying so is more useful than "not found".
  return ScheduleKey{TRY(caller.namespace_of(name.name_space)), TRY(ScheduleId::parse(name.id))};
}

Served<ScheduleRecord> Schedules::find(const Caller& caller, const ScheduleName& name) {
  auto record = TRY(parts_.store.queries.read_schedule(TRY(key_of(caller, name))));
  if (!record) return no_schedule(name.id);
  return *std::move(record);
}

Served<ScheduleAnswer> Schedules::answer(ScheduleRecord record) {
  return TRY(answers_.make(std::move(record), parts_.clock.now()));
}

Served<ScheduleAnswer> Schedules::get(const Caller& caller, const ScheduleName& name) {
  return answer(TRY(find(caller, name)));
}

Served<ScheduleAnswer> Schedules::get(const Caller& caller, Uid uid) {
  auto record = TRY(parts_.store.queries.read_schedule(uid));
  if (!record || !caller.knows(record->key.name_space))
    return refuse(Refusal::Kind::not_found, "not_found", "the schedule was deleted meanwhile");
  return answer(*std::move(record));
}

// Somebody else may have changed it since: a caller is answered with the revision that it made itself.
Served<ScheduleAnswer> Schedules::as_written(const Caller& caller, const CommandResult& changed) {
  auto record = TRY(parts_.store.queries.read_schedule(changed.state.uid));
  if (!record || !caller.knows(record->key.name_space))
    return refuse(Refusal::Kind::not_found, "not_found", "the schedule was deleted meanwhile");
  std::int64_t& revision = record->view.state.revision;
  if (revision == changed.state.revision) return answer(*std::move(record));
  const DefinitionName own{.uid = changed.state.uid, .revision = changed.state.revision};
  const auto definitions = TRY(parts_.store.schedules.read_definitions(std::span{&own, 1}));
  if (definitions.front()) record->document = definitions.front()->document;
  revision = own.revision;
  return answer(*std::move(record));
}

Served<SchedulePage> Schedules::list(const Caller& caller, ScheduleListRequest request) {
  request.filter.name_space = TRY(caller.namespace_to_list(request.filter.name_space));
  request.recent_count_max = ScheduleAnswers::recent_count_max;
  ScheduleList list = TRY(parts_.store.queries.list_schedules(request));
  SchedulePage page{.items = {}, .total = list.total, .next = {}};
  if (parts_.broken_files && begins_whole_list(request)) page.broken_files = parts_.broken_files();
  if (list.has_more && !list.items.empty()) page.next = list.items.back().key;
  page.items = TRY(answers_.make_list(std::move(list)));
  return page;
}

Served<ScheduleNamePage> Schedules::list_names(const Caller& caller, ScheduleListRequest request) {
  request.filter.name_space = TRY(caller.namespace_to_list(request.filter.name_space));
  ScheduleList list = TRY(parts_.store.queries.list_schedules(request));
  ScheduleNamePage page;
  for (ScheduleRecord& record : list.items) page.items.push_back(std::move(record.key));
  if (list.has_more && !page.items.empty()) page.next = page.items.back();
  return page;
}

Served<ScheduleAnswer> Schedules::answer_tried(const DryRunOutcome& tried, const PreparedDefinition* definition,
                                               const ScheduleRecord* before) {
  const ScheduleDocument* const document = definition == nullptr ? nullptr : &definition->document();
  ScheduleRecord record{.key = before != nullptr ? before->key : ScheduleKey{document->name_space, document->id},
                        .view = tried.view,
                        .document = definition != nullptr ? definition->text() : before->document,
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

Served<> Schedules::remove(const Caller& caller, const ScheduleName& name, const WriteTerms& terms) {
  const ScheduleRecord before = TRY(find(caller, name));
  TRY(check(terms.when, &before, name.id));
  TRY(expect_definable(caller, before.key, before.document, {}));
  if (terms.is_dry_run) return {};
  CommandMetadata attached = attached_to(caller, "schedule.delete", before.key, terms);
  attached.audit->before = sha256_hex(before.document);
  TRY(parts_.commands.change(before.key, Deleted{.by = caller.shown_name()},
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
  TRY(check_reason(request.reason));
  return change(caller, name, "schedule.pause",
                Paused{.by = caller.shown_name(), .reason = request.reason, .until = request.until}, terms);
}

Served<ScheduleAnswer> Schedules::resume(const Caller& caller, const ScheduleName& name, const WriteTerms& terms) {
  return resume(caller, name, ResumeRequest{}, terms);
}

Served<ScheduleAnswer> Schedules::resume(const Caller& caller, const ScheduleName& name, const ResumeRequest& request,
                                         const WriteTerms& terms) {
  TRY(check_reason(request.reason));
  return change(caller, name, "schedule.resume", Resumed{.by = caller.shown_name(), .reason = request.reason}, terms);
}

Served<ScheduleAnswer> Schedules::enable(const Caller& caller, const ScheduleName& name, const WriteTerms& terms) {
  if (parts_.has_watched_folder) {
    const ScheduleRecord before = TRY(find(caller, name));
    TRY(expect_definable(caller, before.key, before.document, {}));
  }
  return change(caller, name, "schedule.enable", Enabled{.by = caller.shown_name()}, terms);
}

Served<ScheduleAnswer> Schedules::disable(const Caller& caller, const ScheduleName& name, const WriteTerms& terms) {
  if (parts_.has_watched_folder) {
    const ScheduleRecord before = TRY(find(caller, name));
    TRY(expect_definable(caller, before.key, before.document, {}));
  }
  return change(caller, name, "schedule.disable", Disabled{.by = caller.shown_name()}, terms);
}

Served<ScheduleAnswer> Schedules::reset(const Caller& caller, const ScheduleName& name, const WriteTerms& terms) {
  return change(caller, name, "schedule.reset", Reset{.by = caller.shown_name()}, terms);
}

namespace {

Triggered event_of(const Caller& caller, const TriggerRequest& request) {
  return {.by = caller.shown_name(),
          .id = trigger_id(unique_number(), request.retry_of, request.retry),
          .overlap = request.overlap.value_or(OverlapPolicy::allow_all),
          .nominal = request.nominal,
          .payload = request.payload};
}

}  // namespace

Served<TriggerAnswer> Schedules::trigger(const Caller& caller, const ScheduleName& name, const TriggerRequest& request,
                                         const WriteTerms& terms) {
  const ScheduleKey key = TRY(key_of(caller, name));
  const auto known = TRY(expect(caller, name, terms));
  const CommandMetadata attached = attached_to(caller, "schedule.trigger", key, terms);
  const CommandResult changed =
      TRY(parts_.commands.change(key, event_of(caller, request), {.if_revision = known, .attached = &attached}));
  if (changed.decisions.empty())
    return refuse(Refusal::Kind::unavailable, "unavailable",
                  "it was done, but its run is not known; check the list of runs");
  // What was due already was decided with it, before it.
  auto runs =
      TRY(run_answers(TRY(parts_.store.queries.read_run_records(std::span{&changed.decisions.back(), 1})), parts_));
  if (runs.empty()) return refuse(Refusal::Kind::internal, "internal", "cannot read the run");
  return TriggerAnswer{.run = std::move(runs.front())};
}

Served<TriggerDecision> Schedules::try_trigger(const Caller& caller, const ScheduleName& name,
                                               const TriggerRequest& request, const WriteTerms& terms) {
  const ScheduleRecord before = TRY(find(caller, name));
  TRY(check(terms.when, &before, name.id));
  const DryRunOutcome tried = TRY(parts_.commands.try_change(before.key, event_of(caller, request)));
  if (tried.transition.decisions.empty())
    return refuse(Refusal::Kind::internal, "internal", "a trigger that decides nothing");
  // What is due already is decided with it, before it.
  const Verdict& verdict = tried.transition.decisions.back().verdict;
  if (const auto* skips = std::get_if<Skips>(&verdict))
    return TriggerDecision{.outcome = DecisionOutcome::skipped, .reason = skips->reason};
  return TriggerDecision{.outcome = std::holds_alternative<Waits>(verdict) ? DecisionOutcome::waiting
                                                                           : DecisionOutcome::started};
}

Served<std::int64_t> Schedules::cancel(const Caller& caller, const ScheduleName& name, const WriteTerms& terms) {
  const ScheduleRecord record = TRY(find(caller, name));
  TRY(check(terms.when, &record, name.id));
  std::int64_t count = 0;
  for (const LiveRun& run : record.view.live) {
    if (!is_open(run) && !is_waiting(run)) continue;
    if (terms.is_dry_run) {
      ++count;
      continue;
    }
    const CommandMetadata attached = attached_to(caller, "run.cancel", record.key, {});
    const auto changed = parts_.commands.change(record.key, CancelRequested{.run = run.seq}, {.attached = &attached});
    // One that has just ended by itself needs no cancelling.
    if (!changed && changed.error().code == ErrorCode::unavailable) return std::unexpected(Refusal{changed.error()});
    count += changed.has_value();
  }
  return count;
}

}  // namespace carillon
