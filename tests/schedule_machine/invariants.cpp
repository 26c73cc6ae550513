#include "schedule_machine/expected_counts.hpp"
#include "schedule_machine/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace carillon::testing {
namespace {

using Rule = std::optional<std::string>;

bool is_open_now(const Tower::Row& row) {
  return row.outcome == DecisionOutcome::started && !is_terminal(row.run.state);
}
bool is_waiting_now(const Tower::Row& row) { return row.outcome == DecisionOutcome::waiting; }
bool holds_slot_now(const Tower::Row& row) { return is_open_now(row) && row.holds_slot; }

// A start that was given up by cancelling it while it waited is no launch.
bool is_launched(const Tower::Row& row) {
  return row.outcome == DecisionOutcome::started && row.run.queued_at != Instant{};
}

Rule slot_is_respected(const History& history, const std::vector<DecisionOutcome>& before) {
  const auto& rows = history.tower().rows();
  const auto is_new = [&](const Tower::Row& row) {
    const auto index = static_cast<std::size_t>(row.seq) - 1;
    return index >= before.size() || before[index] != DecisionOutcome::started;
  };
  const auto allows_all = [&](const Tower::Row& row) { return history.policy_of(row) == OverlapPolicy::allow_all; };
  // One that allows all may have started beside the other in the same moment.
  const auto holders = std::ranges::count_if(
      rows, [&](const Tower::Row& row) { return holds_slot_now(row) && !(is_new(row) && allows_all(row)); });
  for (const Tower::Row& row : rows)
    if (is_new(row) && holds_slot_now(row) && !allows_all(row) && holders > 1)
      return fmt::format("row {} starts although the slot is taken", row.seq);
  return std::nullopt;
}

Rule pause_is_respected(const History& history, const std::vector<DecisionOutcome>& before) {
  const ScheduleStatus status = history.tower().state().status;
  if (status != ScheduleStatus::paused && status != ScheduleStatus::disabled) return std::nullopt;
  const auto& rows = history.tower().rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!is_automatic(rows[i].source) || !is_open_now(rows[i])) continue;
    const bool is_new = i >= before.size() || before[i] != DecisionOutcome::started;
    if (is_new) return fmt::format("row {} starts in a pause", rows[i].seq);
    if (rows[i].run.state == RunState::queued) return fmt::format("row {} stays queued in a pause", rows[i].seq);
  }
  return std::nullopt;
}

Rule buffer_is_bounded(const History& history) {
  const Plan& plan = history.plan();
  if (plan.has(UserCommand::edit_policy)) return std::nullopt;
  const auto waiting = std::ranges::count_if(history.tower().rows(), [](const Tower::Row& row) {
    return is_waiting_now(row) && is_automatic(row.source) && !row.is_held_back;
  });
  const bool is_kept = plan.has_pause() && plan.missed == PauseMissed::buffer;
  const auto limit = [&]() -> std::int64_t {
    switch (plan.overlap) {
      case OverlapPolicy::skip: return is_kept ? 1 : 0;
      case OverlapPolicy::allow_all: return is_kept ? plan_occurrence_count : 0;
      case OverlapPolicy::buffer_all: return plan_buffer_limit;
      default: return 1;
    }
  }();
  if (waiting > limit) return fmt::format("{} wait, {} may", waiting, limit);
  return std::nullopt;
}

Rule nobody_is_forgotten(const History& history) {
  const Tower& tower = history.tower();
  const ScheduleState& state = tower.state();
  if (state.deleted_at) {
    if (std::ranges::any_of(tower.rows(), is_waiting_now)) return "something waits for a deleted schedule";
    return std::nullopt;
  }
  const bool is_awake = state.wake && *state.wake <= tower.now();
  const bool has_holder = std::ranges::any_of(tower.rows(), holds_slot_now);
  for (const Tower::Row& row : tower.rows()) {
    if (!is_waiting_now(row) || is_awake) continue;
    const bool is_held = is_automatic(row.source) && state.status == ScheduleStatus::paused;
    if (!is_held && !has_holder) return fmt::format("row {} waits before a free slot, and nobody is woken", row.seq);
    if (!is_held && !state.listens) return fmt::format("row {} waits, and the end of a run wakes nobody", row.seq);
  }
  if (state.status != ScheduleStatus::active || is_awake) return std::nullopt;
  const auto next = tower.definition().timetable.next(state.cursor);
  if (next && (!state.wake || *state.wake > *next)) return "it is not awake when its next occurrence comes";
  return std::nullopt;
}

// Who begins to wait for others to make room has asked all of them.
Rule nobody_waits_unasked(const History& history, const std::vector<DecisionOutcome>& before) {
  const Tower& tower = history.tower();
  const auto replaces = [](OverlapPolicy policy) {
    return policy == OverlapPolicy::cancel_other || policy == OverlapPolicy::terminate_other;
  };
  for (const Tower::Row& row : tower.rows()) {
    const auto index = static_cast<std::size_t>(row.seq) - 1;
    if (index < before.size() || !is_waiting_now(row) || !row.overlap || !replaces(*row.overlap)) continue;
    const auto is_unasked = [&](const Tower::Row& other) {
      return holds_slot_now(other) && other.run.stop == Stop::none;
    };
    if (std::ranges::any_of(tower.rows(), is_unasked))
      return fmt::format("row {} waits for a run that nobody has asked to stop", row.seq);
  }
  return std::nullopt;
}

Rule reason_has_a_cause(const History& history, const Tower::Row& row, const ScheduleView& view) {
  const Plan& plan = history.plan();
  const bool is_edited = plan.has(UserCommand::edit_policy);
  const bool is_own = is_automatic(row.source);
  const OverlapPolicy policy = row.overlap.value_or(plan.overlap);
  switch (*row.reason) {
    case SkipReason::overlap: {
      if (!is_edited && policy != OverlapPolicy::skip && policy != OverlapPolicy::buffer_one)
        return "no policy to skip";
      const bool was_taken = std::ranges::any_of(
          view.live, [](const LiveRun& run) { return is_waiting(run) || (is_open(run) && run.holds_slot); });
      const bool is_taken = std::ranges::any_of(history.tower().rows(), [&](const Tower::Row& other) {
        // One that was given up in the same moment, because of a pause or a deletion, was in the way before that.
        const bool gave_up = other.outcome == DecisionOutcome::skipped && other.decided_at == row.decided_at &&
                             (other.reason == SkipReason::paused || other.reason == SkipReason::deleted);
        return other.seq != row.seq && (is_waiting_now(other) || holds_slot_now(other) || gave_up);
      });
      if (!was_taken && !is_taken) return fmt::format("row {} overlaps nothing", row.seq);
      return std::nullopt;
    }
    case SkipReason::buffer_full:
      if (!is_edited && policy != OverlapPolicy::buffer_all) return "no buffer to be full";
      return std::nullopt;
    case SkipReason::superseded:
      if (plan.catchup == CatchupPolicy::latest || is_edited) return std::nullopt;
      if (plan.overlap >= OverlapPolicy::buffer_latest && plan.overlap != OverlapPolicy::buffer_all)
        return std::nullopt;
      if (plan.has(UserCommand::trigger) && plan.trigger_overlap >= OverlapPolicy::buffer_latest) return std::nullopt;
      return "superseded by nothing";
    case SkipReason::missed:
      if (!is_own || plan.catchup != CatchupPolicy::none) return "missed against its policy";
      if (row.decided_at - row.due <= std::chrono::seconds{60}) return "missed although it was in time";
      return std::nullopt;
    case SkipReason::paused:
      if (!is_own || (!plan.has_pause() && !plan.has(UserCommand::disable_and_enable))) return "there was no pause";
      return std::nullopt;
    case SkipReason::deleted: return plan.has(UserCommand::erase) ? Rule{} : "nobody has deleted it";
    default: return fmt::format("skipped({}) cannot be here", to_text(*row.reason));
  }
}

Rule reasons_have_causes(const History& history, const ScheduleView& view, const std::vector<DecisionOutcome>& before) {
  const auto& rows = history.tower().rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_new = i >= before.size() || before[i] != rows[i].outcome;
    if (!is_new || !rows[i].reason) continue;
    if (auto rule = reason_has_a_cause(history, rows[i], view)) return rule;
  }
  return std::nullopt;
}

Rule counts_are_exact(const History& history) {
  if (told_counts(history.tower()) == expected_counts(history.tower())) return std::nullopt;
  return "the counts are not those of the ledger";
}

// Which occurrences are the schedule's own to decide, by the times at which users did what they did.
std::vector<Instant> expected_occurrences(const History& history) {
  const auto edited = history.time_of(ChangeKind::updated);
  const auto disabled = history.time_of(ChangeKind::disabled);
  const auto enabled = history.time_of(ChangeKind::enabled);
  const auto deleted = history.time_of(ChangeKind::deleted);
  const bool has_other_spec = edited && history.plan().has(UserCommand::edit_spec);
  std::vector<Instant> expected;
  for (Instant nominal = plan_midnight(); nominal <= plan_end(); nominal += plan_period / 2) {
    const bool is_new_spec = has_other_spec && nominal > *edited;
    const bool is_full = (nominal - plan_midnight()) % plan_period == Duration{0};
    if (nominal <= plan_creation() || (!is_new_spec && !is_full)) continue;
    if (deleted && nominal > *deleted) continue;
    if (disabled && nominal > *disabled && (!enabled || nominal <= *enabled)) continue;
    expected.push_back(nominal);
  }
  return expected;
}

Rule each_is_decided_once(const History& history) {
  std::map<Instant, int> decisions;
  for (const Tower::Row& row : history.tower().rows())
    if (is_automatic(row.source)) ++decisions[row.nominal];
  for (const SkippedRange& range : history.tower().ranges()) {
    std::int64_t count = 0;
    for (const Instant nominal : expected_occurrences(history)) {
      if (nominal < range.from || nominal > range.to) continue;
      ++decisions[nominal];
      ++count;
    }
    if (count != range.count) return fmt::format("a range of {} says it has {}", count, range.count);
  }
  const auto expected = expected_occurrences(history);
  for (const Instant nominal : expected)
    if (decisions[nominal] != 1)
      return fmt::format("{} has {} decisions", carillon::to_text(nominal), decisions[nominal]);
  for (const auto& [nominal, count] : decisions)
    if (!std::ranges::binary_search(expected, nominal))
      return fmt::format("{} is not ours to decide", carillon::to_text(nominal));
  return std::nullopt;
}

Rule starts_are_in_order(const History& history) {
  Instant last_nominal = instant_min;
  Instant last_queued = instant_min;
  for (const Tower::Row& row : history.tower().rows()) {
    if (!is_automatic(row.source) || !is_launched(row)) continue;
    if (row.nominal <= last_nominal) return "automatic rows are out of order";
    if (row.run.queued_at < last_queued) return fmt::format("row {} starts before an older one", row.seq);
    if (row.run.queued_at < row.due) return fmt::format("row {} starts before it is due", row.seq);
    last_nominal = row.nominal;
    last_queued = row.run.queued_at;
  }
  return std::nullopt;
}

Rule everything_has_ended(const History& history) {
  const Tower& tower = history.tower();
  for (const Tower::Row& row : tower.rows()) {
    if (is_waiting_now(row)) return fmt::format("row {} waits for ever", row.seq);
    if (is_open_now(row)) return fmt::format("row {} never ends", row.seq);
  }
  for (const Backfill& backfill : tower.backfills())
    if (is_open(backfill.state)) return "a backfill never ends";
  if (!tower.state().deleted_at && tower.state().status != ScheduleStatus::done)
    return fmt::format("nothing is left, yet it is {}", to_text(tower.state().status));
  return std::nullopt;
}

Rule commands_are_executed(const History& history) {
  const Plan& plan = history.plan();
  const auto& rows = history.tower().rows();
  const auto triggers = std::ranges::count(rows, Source::trigger, &Tower::Row::source);
  const auto wanted = (plan.command == UserCommand::trigger) + (plan.second_command == UserCommand::trigger);
  const bool is_deleted = history.time_of(ChangeKind::deleted).has_value();
  if (triggers > wanted || (triggers < wanted && !is_deleted)) return fmt::format("{} starts by hand", triggers);
  std::map<Instant, int> backfilled;
  for (const Tower::Row& row : rows)
    if (row.source == Source::backfill && ++backfilled[row.nominal] > 1) return "an occurrence is backfilled twice";
  const bool is_backfill = plan.has(UserCommand::backfill) || plan.has(UserCommand::exclusive_backfill);
  if (is_backfill && !is_deleted &&
      (backfilled[plan_midnight() - plan_period] != 1 || backfilled[plan_midnight()] != 1))
    return "what was missing is not backfilled";
  return std::nullopt;
}

}  // namespace

Rule broken_by_commit(const History& history, const ScheduleView& view, const std::vector<DecisionOutcome>& before) {
  if (auto rule = slot_is_respected(history, before)) return rule;
  if (auto rule = pause_is_respected(history, before)) return rule;
  if (auto rule = buffer_is_bounded(history)) return rule;
  if (auto rule = nobody_is_forgotten(history)) return rule;
  if (auto rule = nobody_waits_unasked(history, before)) return rule;
  if (auto rule = reasons_have_causes(history, view, before)) return rule;
  return history.plan().fault == Fault::none ? counts_are_exact(history) : std::nullopt;
}

Rule broken_at_end(const History& history) {
  if (auto rule = everything_has_ended(history)) return rule;
  if (auto rule = each_is_decided_once(history)) return rule;
  if (auto rule = starts_are_in_order(history)) return rule;
  if (auto rule = commands_are_executed(history)) return rule;
  return counts_are_exact(history);
}

}  // namespace carillon::testing
