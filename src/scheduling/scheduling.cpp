#include "scheduling/scheduling.hpp"

#include "definitions/new_definition.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace carillon {
namespace {

/// How often a command is tried again because somebody else was faster.
constexpr int commit_attempt_max = 32;
/// After a commit that failed, whether it was written is looked up before it is tried again. A store that fails so
/// often in a row is not merely slow to answer: its error is the answer.
constexpr int failure_count_max = 3;
/// How many occurrences of a backfill are looked up at a time.
constexpr std::size_t past_window = 1'000;
constexpr Duration quarantine_time = std::chrono::minutes{1};
constexpr std::size_t page_size = 500;

bool is_outdated(const ScheduleState& state, ZoneEdition rules) {
  return state.zone_edition != ZoneEdition::none && state.zone_edition != rules;
}

// The end of the next part of a lane, in its direction.
Instant window_end(const Definition& definition, const Backfill& backfill) {
  Instant end = backfill.cursor;
  if (backfill.order == BackfillOrder::oldest_first) {
    const auto part = definition.timetable.occurrences(backfill.cursor, backfill.to, past_window);
    return part.size() < past_window ? backfill.to : part.back() + Duration{1};
  }
  for (std::size_t i = 0; i < past_window; ++i) {
    const auto earlier = definition.timetable.previous(end);
    if (!earlier || *earlier < backfill.from) return backfill.from;
    end = *earlier;
  }
  return end;
}

Result<> refuse(const Problems& problems) {
  if (problems.empty()) return {};
  return std::unexpected(to_error(problems));
}

Error other_rules() {
  return fail(ErrorCode::unavailable, "this server's time zone rules differ from those in force").error();
}

// The state as it is now, but with what the request itself has written: others may have changed it since.
CommandResult as_written(const WrittenRequest& own, const ScheduleState& now) {
  CommandResult changed{.state = now};
  changed.state.uid = own.uid;
  if (own.revision != 0) changed.state.revision = own.revision;
  if (own.decision != Seq{}) changed.decisions.push_back(own.decision);
  return changed;
}

}  // namespace

Scheduling::Scheduling(ScheduleStore& store, DefinitionCache& definitions, std::int64_t server, ClockCheck check_clock)
    : store_{store}, definitions_{definitions}, writer_{.server = server}, check_clock_{std::move(check_clock)} {}

Batch Scheduling::next_batch(std::span<const Transition> transitions) {
  ++writer_.batch;
  return {.writer = writer_, .transitions = transitions};
}

Result<> Scheduling::look_up_past(const Definition& definition, ScheduleView& view) {
  for (BackfillView& backfill : view.backfills) {
    const Backfill& record = backfill.record;
    if (record.state != BackfillState::running || record.reprocess == Reprocess::all) continue;
    backfill.known_to = window_end(definition, record);
    const auto [from, to] = std::minmax(record.cursor, backfill.known_to);
    backfill.past = TRY(store_.read_past_runs(view.state.uid, from, to));
  }
  return {};
}

// Only a clock that was wrong leaves started occurrences ahead.
Result<> Scheduling::look_up_already_started(const Definition& definition, ScheduleView& view, Instant now) {
  const ScheduleState& state = view.state;
  if (state.started_until <= std::min(state.cursor, now - definition.timetable.jitter_max())) return {};
  const Instant known_to = std::min(state.cursor, definition.newest_due(now).value_or(instant_min));
  if (state.started_until <= known_to) return {};
  const Instant from = known_to + Duration{1};
  for (const PastRun& past : TRY(store_.read_past_runs(state.uid, from, state.started_until + Duration{1})))
    if (past.is_automatic) view.standing.push_back(past.nominal);
  return {};
}

Result<Transition> Scheduling::decide(ScheduleView& view, const Event& event, Instant now) {
  const DefinitionPtr definition = TRY(definitions_.get({view.state.uid, view.state.revision}));
  TRY(look_up_past(*definition, view));
  TRY(look_up_already_started(*definition, view, now));
  // A command is never replaced by this: whoever grants it has brought the schedule to the rules before.
  const bool is_command = !std::holds_alternative<BecameDue>(event);
  if (!is_command && is_outdated(view.state, definitions_.edition()) && definition->zone_edition != ZoneEdition::none)
    return step(*definition, view, ZoneRulesChanged{}, now);
  return step(*definition, view, event, now);
}

Result<> Scheduling::set_aside(const ScheduleState& state, const Error& error, Round& round) {
  // Not the schedule's fault: the store could not be asked.
  if (error.code == ErrorCode::unavailable) return std::unexpected(error);
  round.quarantined +=
      TRY(store_.quarantine(state.uid, state.version, error.message, round.store_now + quarantine_time));
  return {};
}

// A transition that cannot be written is found by halves, and set aside alone.
Result<> Scheduling::commit_all(std::span<const Transition> transitions, std::optional<ClaimRequest> claim,
                                Round& round) {
  if (transitions.empty() && !claim) return {};
  Batch batch = next_batch(transitions);
  batch.claim = std::move(claim);
  auto committed = store_.commit(batch);
  if (committed) {
    for (std::size_t i = 0; i < transitions.size(); ++i) {
      const bool is_written = committed->items[i].outcome == WriteOutcome::Outcome::written;
      ++(is_written ? round.written : round.refused);
      round.ordered += is_written && !transitions[i].orders.empty();
    }
    if (round.claimed.empty()) {
      round.claimed = std::move(committed->claimed);
    } else {
      std::ranges::move(committed->claimed, std::back_inserter(round.claimed));
    }
    return {};
  }
  if (committed.error().code == ErrorCode::unavailable || transitions.empty())
    return std::unexpected(std::move(committed).error());
  if (transitions.size() == 1) {
    ScheduleState before = transitions.front().next;
    before.version = transitions.front().decided_from();
    return set_aside(before, committed.error(), round);
  }
  const std::size_t half = transitions.size() / 2;
  TRY(commit_all(transitions.first(half), std::nullopt, round));
  return commit_all(transitions.subspan(half), std::nullopt, round);
}

namespace {

// By the cursor, not by the time it woke: one that was set aside wakes long after what it has still to decide.
void add_outages(ScheduleView& view, const std::vector<Outage>& outages) {
  const auto is_behind = [&](const Outage& outage) { return view.state.cursor < outage.to; };
  if (std::ranges::any_of(outages, is_behind)) view.outages = outages;
}

}  // namespace

Result<PreparedBatch> Scheduling::prepare_due(const RoundLimits& limits) {
  DueSchedules due = TRY(store_.read_due(
      {.count_max = limits.count_max, .share = limits.share, .rules = definitions_.edition(), .after = limits.after}));
  TRY(believe(due.store_now));
  PreparedBatch prepared{.round = {.store_now = due.store_now,
                                   .claimed = {},
                                   .next_wake = due.next_wake,
                                   .has_more = due.views.size() >= limits.count_max},
                         .transitions = {},
                         .last = {}};
  if (!due.views.empty()) {
    const ScheduleState& last = due.views.back().state;
    prepared.last = WakePlace{.wake = last.wake.value_or(due.store_now), .uid = last.uid};
  }
  std::vector<DefinitionName> names;
  names.reserve(due.views.size());
  for (const ScheduleView& view : due.views) names.push_back({view.state.uid, view.state.revision});
  TRY(definitions_.prefetch(names));

  prepared.transitions.reserve(due.views.size());
  for (ScheduleView& view : due.views) {
    add_outages(view, due.outages);
    auto transition = decide(view, BecameDue{}, due.store_now);
    if (transition) {
      prepared.transitions.push_back(*std::move(transition));
    } else {
      TRY(set_aside(view.state, transition.error(), prepared.round));
    }
  }
  return prepared;
}

Result<Round> Scheduling::write_due(PreparedBatch prepared, const std::optional<ClaimRequest>& claim) {
  TRY(commit_all(prepared.transitions, claim, prepared.round));
  return std::move(prepared.round);
}

Result<Round> Scheduling::decide_due(const RoundLimits& limits, const std::optional<ClaimRequest>& claim) {
  return write_due(TRY(prepare_due(limits)), claim);
}

Result<ScheduleLookup> Scheduling::find(const ScheduleKey& key) {
  ScheduleLookup found = TRY(store_.find(key));
  TRY(believe(found.store_now));
  if (found.view) add_outages(*found.view, found.outages);
  return found;
}

template <typename Prepare>
Result<CommandResult> Scheduling::grant(const ScheduleKey& key, std::int64_t request, const CommandMetadata* attached,
                                        Prepare prepare) {
  int failure_count = 0;
  for (int i = 0; i < commit_attempt_max; ++i) {
    ScheduleLookup found = TRY(find(key));
    // An answer that was lost, here or in an earlier call with this request, may have been a yes.
    if (const auto own = found.view ? TRY(store_.find_written(request)) : std::nullopt)
      return as_written(*own, found.view->state);
    Transition transition = TRY(prepare(found));
    transition.request = request;
    Batch batch = next_batch(std::span{&transition, 1});
    batch.attached = attached;
    const auto committed = store_.commit(batch);
    const bool may_be_written = !committed && committed.error().code == ErrorCode::unavailable;
    if (may_be_written && ++failure_count < failure_count_max) continue;
    if (!committed) return std::unexpected(committed.error());
    const WriteOutcome& item = committed->items.front();
    if (item.outcome == WriteOutcome::Outcome::refused) continue;
    CommandResult changed{
        .state = transition.next, .decisions = item.decisions, .has_orders = !transition.orders.empty()};
    changed.state.uid = item.uid;
    if (!transition.decisions.empty()) changed.verdict = transition.decisions.back().verdict;
    return changed;
  }
  return fail(ErrorCode::unavailable, "schedule {} keeps changing; try again", key.id.text());
}

namespace {

Result<> expect_there(const ScheduleLookup& found, const ScheduleKey& key, std::optional<KnownRevision> if_revision) {
  if (!found.view) return fail(ErrorCode::not_found, "schedule {} not found", key.id.text());
  const ScheduleState& state = found.view->state;
  if (!if_revision || state.deleted_at) return {};
  const bool is_same = !if_revision->uid || *if_revision->uid == state.uid;
  if (is_same && state.revision == if_revision->revision) return {};
  Error stale = is_same ? fail(ErrorCode::conflict, "schedule {} has revision {}, not {}", key.id.text(),
                               state.revision, if_revision->revision)
                              .error()
                        : fail(ErrorCode::conflict, "schedule {} was created again", key.id.text()).error();
  stale.rule = "stale-revision";
  return std::unexpected(std::move(stale));
}

}  // namespace

// Brings a schedule to the rules in force before anything else happens to it; tells whether it had to, and then it must
// be found anew.
Result<bool> Scheduling::bring_to_rules(ScheduleView& view, Instant now, ZoneEdition in_force) {
  if (view.state.zone_edition == ZoneEdition::none || view.state.deleted_at) return false;
  if (in_force != definitions_.edition()) return std::unexpected(other_rules());
  if (!is_outdated(view.state, in_force)) return false;
  const Transition transition = TRY(decide(view, ZoneRulesChanged{}, now));
  TRY(store_.commit(next_batch(std::span{&transition, 1})));
  return true;
}

Result<Transition> Scheduling::decide_creation(const ScheduleLookup& found, const PreparedDefinition& definition,
                                               const std::string& by, Continuing continuing, DefinitionPtr& compiled) {
  if (found.view && !found.view->state.deleted_at)
    return fail(ErrorCode::conflict, "schedule {} already exists", definition.document().id.text());
  Created event{.by = by, .document = definition.text(), .first = definition.document().on_create};
  if (found.view && continuing == Continuing::allowed) event.tombstone = found.view->state;
  const bool is_taken_up = event.tombstone && can_be_taken_up(*event.tombstone, found.store_now);
  const Instant created_at = is_taken_up ? event.tombstone->created_at : found.store_now;
  compiled = TRY(definition.compile(definitions_, 1, created_at));
  TRY(definition.check_cost(*compiled, found.store_now));
  if (compiled->zone_edition != ZoneEdition::none && found.zone_edition != definitions_.edition())
    return std::unexpected(other_rules());
  return step(*compiled, ScheduleView{}, event, found.store_now);
}

Result<CommandResult> Scheduling::create(const PreparedDefinition& definition, const std::string& by,
                                         std::int64_t request, const CommandMetadata* attached, Continuing continuing) {
  const ScheduleDocument& document = definition.document();
  TRY(refuse(check_new_name(document.name_space, document.id)));
  TRY(refuse(check_definition(document)));
  DefinitionPtr compiled;
  const auto changed = grant({document.name_space, document.id}, request, attached, [&](const ScheduleLookup& found) {
    return decide_creation(found, definition, by, continuing, compiled);
  });
  if (changed && compiled) definitions_.keep({.uid = changed->state.uid, .revision = 1}, compiled);
  return changed;
}

Result<CommandResult> Scheduling::edit(const PreparedDefinition& definition, const std::string& by,
                                       std::int64_t request, std::optional<KnownRevision> if_revision,
                                       const CommandMetadata* attached) {
  const ScheduleDocument& document = definition.document();
  TRY(refuse(check_definition(document)));
  const ScheduleKey key{document.name_space, document.id};
  DefinitionPtr compiled;
  const auto changed = grant(key, request, attached, [&](ScheduleLookup& found) -> Result<Transition> {
    TRY(expect_there(found, key, if_revision));
    while (TRY(bring_to_rules(*found.view, found.store_now, found.zone_edition))) {
      found = TRY(find(key));
      TRY(expect_there(found, key, if_revision));
    }
    const ScheduleState& state = found.view->state;
    compiled = TRY(definition.compile(definitions_, state.revision + 1, state.created_at));
    TRY(definition.check_cost(*compiled, found.store_now));
    if (compiled->zone_edition != ZoneEdition::none && found.zone_edition != definitions_.edition())
      return std::unexpected(other_rules());
    return decide(*found.view, Edited{.by = by, .document = definition.text(), .next = compiled.get()},
                  found.store_now);
  });
  // Unless it was written by an earlier call with this request, under a revision of its own.
  if (changed && compiled && compiled->revision == changed->state.revision)
    definitions_.keep({.uid = changed->state.uid, .revision = compiled->revision}, compiled);
  return changed;
}

Result<CommandResult> Scheduling::change(const ScheduleKey& key, const Event& event, std::int64_t request,
                                         std::optional<KnownRevision> if_revision, const CommandMetadata* attached) {
  auto changed = grant(key, request, attached, [&](ScheduleLookup& found) -> Result<Transition> {
    TRY(expect_there(found, key, if_revision));
    while (TRY(bring_to_rules(*found.view, found.store_now, found.zone_edition))) {
      found = TRY(find(key));
      TRY(expect_there(found, key, if_revision));
    }
    return decide(*found.view, event, found.store_now);
  });
  // Other commands too may decide what was due; only a trigger is answered with a decision.
  if (changed && !std::holds_alternative<Triggered>(event)) changed->verdict.reset();
  return changed;
}

Result<ScheduleView> Scheduling::view_by_rules(const ScheduleLookup& found) {
  ScheduleView view = *found.view;
  if (view.state.zone_edition == ZoneEdition::none || view.state.deleted_at) return view;
  if (found.zone_edition != definitions_.edition()) return std::unexpected(other_rules());
  if (is_outdated(view.state, found.zone_edition))
    view.state = TRY(decide(view, ZoneRulesChanged{}, found.store_now)).next;
  return view;
}

Result<DryRunOutcome> Scheduling::try_create(const PreparedDefinition& definition, const std::string& by) {
  const ScheduleDocument& document = definition.document();
  TRY(refuse(check_new_name(document.name_space, document.id)));
  TRY(refuse(check_definition(document)));
  const ScheduleLookup found = TRY(find({document.name_space, document.id}));
  DryRunOutcome tried;
  tried.transition = TRY(decide_creation(found, definition, by, Continuing::allowed, tried.definition));
  tried.view.state = tried.transition.next;
  return tried;
}

Result<DryRunOutcome> Scheduling::try_edit(const PreparedDefinition& definition, const std::string& by,
                                           std::optional<KnownRevision> if_revision) {
  const ScheduleDocument& document = definition.document();
  TRY(refuse(check_definition(document)));
  const ScheduleKey key{document.name_space, document.id};
  const ScheduleLookup found = TRY(find(key));
  TRY(expect_there(found, key, if_revision));
  DryRunOutcome tried{.view = TRY(view_by_rules(found)), .transition = {}, .definition = {}};
  const ScheduleState& state = tried.view.state;
  tried.definition = TRY(definition.compile(definitions_, state.revision + 1, state.created_at));
  const Edited event{.by = by, .document = definition.text(), .next = tried.definition.get()};
  tried.transition = TRY(decide(tried.view, event, found.store_now));
  tried.view.state = tried.transition.next;
  return tried;
}

Result<DryRunOutcome> Scheduling::try_change(const ScheduleKey& key, const Event& event,
                                             std::optional<KnownRevision> if_revision) {
  const ScheduleLookup found = TRY(find(key));
  TRY(expect_there(found, key, if_revision));
  DryRunOutcome tried{.view = TRY(view_by_rules(found)), .transition = {}, .definition = {}};
  tried.definition = TRY(definitions_.get({tried.view.state.uid, tried.view.state.revision}));
  tried.transition = TRY(decide(tried.view, event, found.store_now));
  tried.view.state = tried.transition.next;
  return tried;
}

// Tells whether nobody came between; else the page is to be read again.
template <typename Choose>
Result<bool> Scheduling::touch_page(ScheduleScanPage& page, const Event& event, Choose choose, Round& round) {
  const std::size_t refused_before = round.refused;
  round.store_now = page.store_now;
  std::vector<Transition> transitions;
  for (ScheduleView& view : page.views) {
    if (!choose(view.state, page)) continue;
    add_outages(view, page.outages);
    auto transition = decide(view, event, page.store_now);
    if (transition) {
      transitions.push_back(*std::move(transition));
    } else {
      TRY(set_aside(view.state, transition.error(), round));
    }
  }
  TRY(commit_all(transitions, std::nullopt, round));
  return round.refused == refused_before;
}

template <typename Choose>
Result<Round> Scheduling::touch_all(const Event& event, Choose choose) {
  Round round{};
  int tries = 0;
  for (Uid after{};;) {
    ScheduleScanPage page = TRY(store_.read_page(after, page_size));
    TRY(believe(page.store_now));
    if (page.views.empty()) return round;
    const Uid last = page.views.back().state.uid;
    if (!TRY(touch_page(page, event, choose, round)) && ++tries < commit_attempt_max) continue;
    after = last;
    tries = 0;
  }
}

Result<std::size_t> Scheduling::reopen_future(Instant seen) {
  // "At once", said while the clock was ahead, became a time to come; what was set aside then, a little more than that.
  const ScheduleScanPage head = TRY(store_.read_page(Uid{}, 0));
  const Instant newest = std::max(seen, head.newest_write);
  if (newest <= head.store_now) return 0;
  const Instant seen_until = newest + quarantine_time;
  const Round round = TRY(touch_all(ClockSetBack{}, [&](const ScheduleState& state, const ScheduleScanPage& page) {
    const bool is_ours = state.zone_edition == ZoneEdition::none || page.zone_edition == definitions_.edition();
    const bool is_woken_late = state.wake && *state.wake > page.store_now && *state.wake <= seen_until;
    return is_ours && (state.cursor > page.store_now || is_woken_late);
  }));
  return round.written;
}

Result<std::optional<Outage>> Scheduling::note_deciding(const Presence& presence) {
  return store_.note_deciding(presence);
}

Result<std::size_t> Scheduling::adopt_zone_rules() {
  const ZoneEdition ours = definitions_.edition();
  const ScheduleScanPage head = TRY(store_.read_page(Uid{}, 0));
  if (head.zone_edition > ours || head.settled_edition == ours) return 0;
  if (head.zone_edition < ours && !TRY(store_.adopt_zone_edition(head.zone_edition, ours))) return 0;
  const Round round = TRY(touch_all(ZoneRulesChanged{}, [&](const ScheduleState& state, const ScheduleScanPage&) {
    return state.zone_edition != ZoneEdition::none && state.zone_edition < ours;
  }));
  // Whoever comes after us need not look again, unless we had to leave some behind.
  if (round.refused == 0 && round.quarantined == 0) TRY(store_.settle_zone_edition(ours));
  return round.written;
}

}  // namespace carillon
