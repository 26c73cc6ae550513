#include "service/queries.hpp"

#include "calendar/description/describe.hpp"
#include "calendar/local_text.hpp"
#include "calendar/spec_document.hpp"
#include "service/document_warnings.hpp"
#include "service/load_work.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <queue>
#include <ranges>
#include <utility>

namespace carillon {
namespace {

/// What a question about one schedule, or about all of them, may take: a fifth of a second, or two seconds.
constexpr std::uint64_t question_steps_max = 20'000'000;
constexpr std::uint64_t overview_steps_max = 200'000'000;
constexpr std::string_view simpler_spec = "ask for fewer starts, or use fewer intervals, crons or exclusions";
/// How many schedules are looked at for what concerns all of them.
constexpr std::size_t schedule_count_max = 20'000;
/// The newest runs that tell how long runs take.
constexpr std::size_t timed_run_max = 10'000;
constexpr std::size_t bucket_count_max = 1'500;  // a day of minutes, and some

std::optional<PlannedStart> start_at(const Definition& definition, std::optional<Instant> nominal) {
  if (!nominal) return std::nullopt;
  return PlannedStart{
      .nominal = *nominal, .due = definition.due(*nominal), .local = local_text(*nominal, definition.timetable.zone())};
}

bool is_occurrence(const Definition& definition, Instant at) {
  return definition.has_occurrences && definition.timetable.count(at, at + Duration{1}) > 0;
}

std::string future_sentence(const ScheduleState& state) {
  switch (state.status) {
    case ScheduleStatus::active: return "it is in the future and will be decided when it is due";
    case ScheduleStatus::paused:
      return "it is in the future; the schedule is paused, so it will not start unless resumed";
    case ScheduleStatus::disabled: return "it is in the future; the schedule is disabled, so it will not start";
    case ScheduleStatus::done: return "it is in the future; the schedule is done, so it will not start";
    case ScheduleStatus::dead: return "it is in the future; the schedule is dead after too many failed runs: reset it";
  }
  std::unreachable();
}

std::string past_sentence(const ScheduleState& state, Instant at) {
  if (at < state.created_at) return "it is before the schedule was created";
  if (state.status == ScheduleStatus::paused)
    return "the schedule is paused; times skipped meanwhile are recorded when it is resumed";
  if (state.status != ScheduleStatus::active)
    return fmt::format("the schedule is {}, so nothing was decided", to_text(state.status));
  return "its record is no longer kept, or the definition was different then";
}

bool is_spec(const boost::json::value& document) {
  static constexpr std::array<std::string_view, 3> own{"calendars", "intervals", "times"};
  if (!document.is_object()) return false;
  const auto& members = document.get_object();
  if (members.contains("spec") || members.contains("action")) return false;
  const bool has_short_rule = members.contains("every") || members.contains("intervalSeconds") ||
                              members.contains("interval_seconds") || members.contains("cronExpr") ||
                              members.contains("cron_expr");
  return !has_short_rule && (members.contains("cron") ||
                             std::ranges::any_of(own, [&](std::string_view key) { return members.contains(key); }));
}

/// A start that is delayed by more than this may be missing at the end of a stretch.
constexpr Duration jitter_slack = std::chrono::days{1};

/// Whether there are any. Most schedules have few in a stretch: these are looked at one by one, and only the others
/// bucket by bucket.
bool add_starts(const Timetable& timetable, Instant from, Instant to, Duration bucket, std::vector<LoadBucket>& buckets,
                Budget& budget, const std::function<void(std::size_t bucket, std::int64_t count)>& on_starts) {
  const std::uint64_t total = timetable.count(from, to, budget);
  if (budget.is_spent()) return false;
  const auto add = [&](std::size_t place, std::int64_t count) {
    buckets[place].count += count;
    if (on_starts) on_starts(place, count);
  };
  if (total < buckets.size()) {
    for (const Instant start : timetable.occurrences(from, to, static_cast<std::size_t>(total), budget))
      add(static_cast<std::size_t>((start - from) / bucket), 1);
    return total > 0;
  }
  for (std::size_t i = 0; i < buckets.size(); ++i)
    add(i, static_cast<std::int64_t>(timetable.count(buckets[i].from, std::min(buckets[i].from + bucket, to), budget)));
  return true;
}

/// The pause that an instant lies in, if any of the changes up to then began one that none of them ended.
const ChangeLine* pause_in(const std::vector<ChangeLine>& changes) {
  const auto newest = std::ranges::find_if(changes | std::views::reverse, [](const ChangeLine& change) {
    return change.kind == ChangeKind::paused || change.kind == ChangeKind::resumed ||
           change.kind == ChangeKind::disabled || change.kind == ChangeKind::enabled;
  });
  const bool is_pause = newest != changes.rend() && newest->kind == ChangeKind::paused;
  return is_pause ? &*newest : nullptr;
}

/// `; paused by ann at 2026-…: API quota`; empty if nobody knows any more.
std::string pause_text(const std::vector<ChangeLine>& changes) {
  const ChangeLine* pause = pause_in(changes);
  if (pause == nullptr) return {};
  return fmt::format("; paused{}{} at {}{}{}", pause->by.empty() ? "" : " by ", pause->by, to_text(pause->head.at),
                     pause->reason.empty() ? "" : ": ", pause->reason);
}

bool is_skipped_by_pause(const OccurrenceAnswer& occurrence) {
  if (const auto* span = std::get_if<SkippedSpan>(&occurrence)) return span->line.reason == SkipReason::paused;
  const auto* run = std::get_if<RunAnswer>(&occurrence);
  return run != nullptr && run->record.outcome == DecisionOutcome::skipped && run->record.reason == SkipReason::paused;
}

Instant due_of(const std::optional<OccurrenceAnswer>& occurrence, Instant at) {
  if (occurrence)
    if (const auto* run = std::get_if<RunAnswer>(&*occurrence)) return run->record.due;
  return at;
}

}  // namespace

std::string_view meaning_of(OutageCause cause) {
  switch (cause) {
    case OutageCause::down: return "no server was running";
    case OutageCause::halted: return "the server was suspended";
    case OutageCause::clock: return "the clock was set forward";
    case OutageCause::store: return "servers could not use their store";
  }
  std::unreachable();
}

Instant nominal_of(const OccurrenceAnswer& occurrence) {
  if (const auto* run = std::get_if<RunAnswer>(&occurrence)) return run->record.nominal;
  if (const auto* span = std::get_if<SkippedSpan>(&occurrence)) return span->line.from;
  return std::get<PlannedStart>(occurrence).nominal;
}

Served<DefinitionPtr> Queries::definition_of(const ScheduleRecord& record) {
  const ScheduleState& state = record.view.state;
  return TRY(parts_.definitions.now()->get({.uid = state.uid, .revision = state.revision}));
}

Served<NextRuns> Queries::next_runs(const Caller& caller, const ScheduleName& name, std::size_t count) {
  const ScheduleRecord record = TRY(schedules_.find(caller, name));
  const ScheduleStatus status = record.view.state.status;
  if (!ScheduleAnswers::has_starts_ahead(status))
    return NextRuns{.items = {}, .reason = fmt::format("the schedule is {}", to_text(status))};
  const DefinitionPtr definition = TRY(definition_of(record));
  if (const auto left = ScheduleAnswers::remaining_starts(*definition, counted(record.view)))
    count = std::min(count, static_cast<std::size_t>(*left));
  Budget budget{question_steps_max};
  auto starts = ScheduleAnswers::planned(*definition, parts_.clock.now(), std::nullopt, count, budget);
  if (budget.is_spent()) return too_complex(simpler_spec);
  return NextRuns{.items = std::move(starts)};
}

Served<std::vector<PlannedStart>> Queries::matching_times(const Caller& caller, const ScheduleName& name, Instant after,
                                                          Instant until, std::size_t count_max) {
  const DefinitionPtr definition = TRY(definition_of(TRY(schedules_.find(caller, name))));
  // Jitter may lead out of a time that is asked for, and into it.
  const Instant from = std::max(after - jitter_slack, instant_min);
  Budget budget{question_steps_max};
  std::vector<PlannedStart> starts;
  std::optional<Instant> nominal = from;
  while (starts.size() < count_max && (nominal = definition->timetable.next(*nominal, budget)) && *nominal <= until) {
    if (budget.is_spent()) break;
    const Instant due = definition->due(*nominal);
    if (due > after && due <= until) starts.push_back(*start_at(*definition, nominal));
  }
  if (budget.is_spent()) return too_complex(simpler_spec);
  return starts;
}

Served<std::vector<OccurrenceAnswer>> Queries::occurrences(const Caller& caller, const ScheduleName& name, Instant from,
                                                           Instant to, std::size_t count_max) {
  const ScheduleRecord record = TRY(schedules_.find(caller, name));
  const ScheduleState& state = record.view.state;
  PastDecisions past = TRY(parts_.store.queries.read_decisions(state.uid, from, to, count_max));
  std::vector<OccurrenceAnswer> decided;
  for (RunRecordRow& row : past.rows) decided.emplace_back(run_answer(std::move(row), parts_.run_ids));
  std::vector<OccurrenceAnswer> skipped;
  for (RangeLine& line : past.ranges) skipped.emplace_back(SkippedSpan{std::move(line)});
  std::ranges::sort(skipped, {}, nominal_of);
  std::vector<OccurrenceAnswer> all;
  std::ranges::merge(decided, skipped, std::back_inserter(all), {}, nominal_of, nominal_of);
  if (all.size() > count_max) all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(count_max));
  const Instant ahead = std::max({from - Duration{1}, state.cursor, parts_.clock.now()});
  if (state.status == ScheduleStatus::active && ahead < to && all.size() < count_max) {
    const DefinitionPtr definition = TRY(definition_of(record));
    Budget budget{question_steps_max};
    for (PlannedStart& start : ScheduleAnswers::planned(*definition, ahead, to, count_max - all.size(), budget))
      all.emplace_back(std::move(start));
    if (budget.is_spent()) return too_complex(simpler_spec);
  }
  return all;
}

Served<std::vector<ChangeLine>> Queries::changes(const Caller& caller, const ScheduleName& name, Instant from,
                                                 Instant to, std::size_t count_max) {
  const ScheduleRecord record = TRY(schedules_.find(caller, name));
  const Uid uid = record.view.state.uid;
  // Of the decisions only those of the last moment are read along.
  PastDecisions past = TRY(parts_.store.queries.read_decisions(uid, to - Duration{1}, to, count_max));
  std::erase_if(past.changes, [&](const ChangeLine& change) { return change.head.at < from; });
  return std::move(past.changes);
}

Served<std::vector<Outage>> Queries::outages(Instant from, Instant to, std::size_t count_max) {
  return TRY(parts_.store.queries.read_outages(from, to, count_max));
}

Served<std::string> Queries::explain(const ScheduleRecord& record, Instant at, const WhyAnswer& answer) {
  const std::string when = to_text(at);
  if (answer.occurrence) {
    if (const auto* run = std::get_if<RunAnswer>(&*answer.occurrence)) return run->why;
    if (const auto* span = std::get_if<SkippedSpan>(&*answer.occurrence))
      return fmt::format("{} is one of {} skipped in a row ({}): {}", when, span->line.count,
                         to_text(span->line.reason), meaning_of(span->line.reason));
    return fmt::format("{} is a scheduled time; {}", when, future_sentence(record.view.state));
  }
  if (answer.is_occurrence)
    return fmt::format("{} is a scheduled time of the current definition; {}", when,
                       past_sentence(record.view.state, at));
  return fmt::format("the schedule has no scheduled time at {}", when);
}

Served<WhyAnswer> Queries::why(const Caller& caller, const ScheduleName& name, Instant at) {
  const ScheduleRecord record = TRY(schedules_.find(caller, name));
  const DefinitionPtr definition = TRY(definition_of(record));
  PastDecisions past = TRY(parts_.store.queries.read_decisions(record.view.state.uid, at, at + Duration{1}, 100));
  WhyAnswer answer{.sentence = {}, .is_occurrence = is_occurrence(*definition, at), .changes = std::move(past.changes)};
  if (!past.rows.empty()) {
    // Of several runs for one time the newest one says most.
    const Seq seq = past.rows.back().seq;
    auto runs = TRY(run_answers(TRY(parts_.store.queries.read_run_records(std::span{&seq, 1})), parts_));
    answer.occurrence =
        runs.empty() ? run_answer(std::move(past.rows.back()), parts_.run_ids) : std::move(runs.front());
  } else if (!past.ranges.empty()) {
    answer.occurrence = SkippedSpan{std::move(past.ranges.back())};
  } else if (at > std::max(record.view.state.cursor, parts_.clock.now()) && answer.is_occurrence) {
    answer.occurrence = *start_at(*definition, at);
  } else if (definition->has_occurrences) {
    Budget budget{question_steps_max};
    answer.before = start_at(*definition, definition->timetable.previous(at, budget));
    answer.after = start_at(*definition, definition->timetable.next(at, budget));
    if (budget.is_spent()) return too_complex(simpler_spec);
  }
  const bool is_decided = answer.occurrence && !std::holds_alternative<PlannedStart>(*answer.occurrence);
  const Instant due = due_of(answer.occurrence, at);
  if (is_decided) answer.outages = TRY(outages(due, due + outage_min, 10));
  std::erase_if(answer.outages, [&](const Outage& outage) { return !covers(outage, due); });
  answer.sentence = TRY(explain(record, at, answer));
  const bool is_by_pause = answer.occurrence
                               ? is_skipped_by_pause(*answer.occurrence)
                               : answer.is_occurrence && record.view.state.status == ScheduleStatus::paused;
  if (is_by_pause) answer.sentence += pause_text(answer.changes);
  if (!answer.outages.empty()) {
    const Outage& outage = answer.outages.back();
    answer.sentence +=
        fmt::format("; {} from {} to {}", meaning_of(outage.cause), to_text(outage.from), to_text(outage.to));
  }
  return answer;
}

Served<PreviewAnswer> Queries::preview(const boost::json::value& document, std::size_t count,
                                       std::optional<Instant> after) {
  const Instant now = parts_.clock.now();
  Spec spec;
  std::string seed = "default-preview";
  if (is_spec(document)) {
    auto read = read_spec(document, parts_.default_timezone);
    if (!read) return std::unexpected(Refusal{std::move(read).error()});
    spec = *std::move(read);
  } else {
    boost::json::value whole = document;
    // What is to be done matters not here, so that it may be left out.
    if (whole.is_object()) {
      auto& members = whole.get_object();
      if (!has_id(whole) && !members.contains("name")) members["id"] = "preview";
      const bool has_action = members.contains("action") || members.contains("command") || members.contains("url") ||
                              members.contains("jobType") || members.contains("job_type") ||
                              members.contains("workflowId") || members.contains("workflow_id");
      if (!has_action) members["jobType"] = "preview";
    }
    auto schedule = read_schedule(whole, {.default_timezone = parts_.default_timezone, .ignore_read_only = true});
    if (!schedule) return std::unexpected(Refusal{std::move(schedule).error()});
    seed = schedule->name_space.text() + "-" + schedule->id.text();
    spec = std::move(schedule->spec);
  }
  auto zone = parts_.zones.zone(spec.timezone);
  if (!zone) return std::unexpected(Refusal{Problems{to_problem("/timezone", zone.error())}});
  const Timetable timetable = TRY(Timetable::make(spec, *zone, now));
  // Also what the sentence and the warnings look for takes no longer then.
  if (const auto cheap = timetable.check_cost(now); !cheap)
    return std::unexpected(too_complex(Problems{to_problem("/spec", cheap.error())}));
  PreviewAnswer answer{.sentence = TRY(describe(spec, **zone, now)),
                       .timezone = spec.timezone,
                       .next = {},
                       .warnings = spec_warnings(spec, parts_, now)};
  Budget budget{question_steps_max};
  const Instant first = after.value_or(now) + Duration{1};
  for (const Instant next : timetable.occurrences(first, instant_max + Duration{1}, count, budget))
    answer.next.push_back(
        {.nominal = next, .due = next + timetable.jitter(next, seed), .local = local_text(next, **zone)});
  if (budget.is_spent()) return too_complex(simpler_spec);
  return answer;
}

Served<std::vector<UpcomingStart>> Queries::upcoming(const Caller& caller, const std::optional<std::string>& name_space,
                                                     std::optional<Instant> until, std::size_t count) {
  const Instant now = parts_.clock.now();
  const Instant end = until.value_or(instant_max);
  // Whoever is among the first `count` wakes among the first `count`, unless a jitter or a pause holds it back.
  const auto records = TRY(parts_.store.queries.read_waking(TRY(caller.namespace_to_list(name_space)), end,
                                                            std::min(2 * count + 100, schedule_count_max)));
  struct Next {
    UpcomingStart upcoming;
    DefinitionPtr definition;
    bool operator<(const Next& other) const { return upcoming.start.due > other.upcoming.start.due; }
  };
  std::priority_queue<Next> heap;
  Budget budget{overview_steps_max};
  for (const ScheduleRecord& record : records) {
    const ScheduleState& state = record.view.state;
    if (state.status != ScheduleStatus::active) continue;
    auto definition = definition_of(record);
    if (!definition || !(*definition)->has_occurrences) continue;
    const auto next = (*definition)->timetable.next(std::max(state.cursor, now), budget);
    if (!next || *next >= end) continue;
    heap.push({.upcoming = {.key = record.key, .name = (*definition)->name, .start = *start_at(**definition, next)},
               .definition = *definition});
  }
  std::vector<UpcomingStart> starts;
  while (!heap.empty() && starts.size() < count && !budget.is_spent()) {
    Next first = heap.top();
    heap.pop();
    starts.push_back(first.upcoming);
    const auto next = first.definition->timetable.next(first.upcoming.start.nominal, budget);
    if (!next || *next >= end) continue;
    first.upcoming.start = *start_at(*first.definition, next);
    heap.push(std::move(first));
  }
  if (budget.is_spent()) return too_complex("ask for fewer starts, or for one namespace");
  return starts;
}

Served<LoadAnswer> Queries::load(const Caller& caller, const std::optional<std::string>& name_space, Instant from,
                                 Instant to, Duration bucket, LoadDetail detail) {
  if (from >= to) return refuse(Refusal::Kind::invalid, "invalid", "to must be after from");
  if (bucket < std::chrono::seconds{1})
    return refuse(Refusal::Kind::invalid, "invalid", "a bucket must be at least 1s");
  const std::int64_t bucket_count = ((to - from) + bucket - Duration{1}) / bucket;
  if (bucket_count > static_cast<std::int64_t>(bucket_count_max))
    return refuse(Refusal::Kind::invalid, "invalid", "{} buckets are more than the limit of {}", bucket_count,
                  bucket_count_max);
  LoadAnswer answer;
  answer.buckets.resize(static_cast<std::size_t>(bucket_count));
  for (std::size_t i = 0; i < answer.buckets.size(); ++i)
    answer.buckets[i].from = from + bucket * static_cast<std::int64_t>(i);
  const auto listed = TRY(caller.namespace_to_list(name_space));
  std::map<Uid, Duration> durations;
  if (detail == LoadDetail::work) {
    const RunListRequest newest{
        .filter = {.name_space = listed}, .count_max = timed_run_max, .scan_max = timed_run_max};
    durations = average_durations(TRY(parts_.store.queries.list_runs(newest)).items);
    // What others do on the same store, or with the runs of other namespaces, is not known.
    if (!parts_.is_store_shared && !listed && parts_.run_capacity > 0) answer.capacity = parts_.run_capacity;
  }
  WorkForecast forecast{answer.buckets.size(), bucket};
  // Who wakes after the end has no start before it. Jitter delays a start behind the time it is counted at.
  const Instant newest_wake = to > parts_.clock.now() ? std::min(to + jitter_slack, instant_max) : instant_max;
  const auto records = TRY(parts_.store.queries.read_waking(listed, newest_wake, schedule_count_max));
  answer.is_partial = records.size() >= schedule_count_max;
  Budget budget{overview_steps_max};
  for (const ScheduleRecord& record : records) {
    if (record.view.state.status != ScheduleStatus::active) continue;
    const auto definition = definition_of(record);
    if (!definition || !(*definition)->has_occurrences) continue;
    const auto takes = durations.find(record.view.state.uid);
    std::function<void(std::size_t, std::int64_t)> on_starts;
    if (takes != durations.end())
      on_starts = [&](std::size_t place, std::int64_t count) { forecast.add(place, count, takes->second); };
    const bool has_starts = add_starts((*definition)->timetable, from, to, bucket, answer.buckets, budget, on_starts);
    answer.schedules += has_starts ? 1 : 0;
    answer.timed += has_starts && takes != durations.end() ? 1 : 0;
    answer.is_partial = answer.is_partial || budget.is_spent();
    if (budget.is_spent()) break;
  }
  const auto busy = forecast.busy();
  for (std::size_t i = 0; i < busy.size(); ++i) answer.buckets[i].busy = busy[i];
  return answer;
}

}  // namespace carillon
