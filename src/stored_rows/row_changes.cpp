#include "stored_rows/row_changes.hpp"

#include "stored_rows/row_flags.hpp"

#include <algorithm>
#include <variant>

namespace carillon::rows {

Run run_of(const Starts& starts) {
  return {.queued_at = starts.queued_at, .claimable_from = starts.queued_at, .expires_at = starts.expires_at};
}

void mark_started(StoredRun& run, const LineStamp& stamp) {
  run.at = stamp.at;
  run.server = stamp.server;
  run.outcome = DecisionOutcome::started;
}

void mark_skipped(StoredRun& run, SkipReason reason, const LineStamp& stamp) {
  run.at = stamp.at;
  run.server = stamp.server;
  run.outcome = DecisionOutcome::skipped;
  run.reason = reason;
}

void take_over(StoredRun& run, const Starts& starts, const LineStamp& stamp) {
  run.row.revision = starts.revision;
  run.row.last_success = starts.last_success;
  run.row.last_failure = starts.last_failure;
  run.row.repeat_number = starts.repeat_number;
  run.row.queue = starts.queue;
  run.row.priority = starts.priority;
  mark_started(run, stamp);
}

StoredRun decided_row(const Transition& transition, const Decision& decision, Uid uid, Seq seq,
                      const LineStamp& stamp) {
  std::int64_t flags = with(0, run_flag::holds_slot, decision.holds_slot);
  flags = with(flags, run_flag::listened, transition.next.listens);
  StoredRun run{.row = {.seq = seq,
                        .uid = uid,
                        .revision = transition.decided_under,
                        .nominal = decision.nominal,
                        .due = decision.due,
                        .source = decision.source,
                        .backfill = decision.backfill,
                        .trigger = decision.trigger,
                        .payload = decision.payload,
                        .rules = {},
                        .queue = {},
                        .run = {.state = RunState::waiting, .queued_at = stamp.at, .claimable_from = stamp.at}},
                .at = stamp.at,
                .server = stamp.server,
                .revision = transition.decided_under,
                .version = transition.decided_from(),
                .overlap = decision.overlap,
                .flags = flags};
  if (const auto* skips = std::get_if<Skips>(&decision.verdict)) {
    mark_skipped(run, skips->reason, stamp);
  } else if (const auto* starts = std::get_if<Starts>(&decision.verdict)) {
    take_over(run, *starts, stamp);
    run.row.run = run_of(*starts);
  } else {
    run.waited_from = stamp.at;
  }
  return run;
}

StoredRun job_row(const AdhocRun& job, Seq seq, Instant now) {
  return {.row = {.seq = seq,
                  .nominal = now,
                  .due = now,
                  .source = Source::adhoc,
                  .trigger = job.name,
                  .payload = job.document,
                  .rules = job.rules,
                  .name_space = job.name_space,
                  .queue = job.queue,
                  .priority = job.priority,
                  .run = queued_run(job.rules, now)},
          .at = now,
          .outcome = DecisionOutcome::started};
}

void follow_order(StoredRun& run, const RunOrder& order, const LineStamp& stamp) {
  if (order.kind == RunOrder::Kind::withdraw) {
    // It never happened. The version belongs to the time of the first decision, which the line no longer tells.
    run.version = 0;
    mark_skipped(run, order.reason, stamp);
  }
  if (order.kind == RunOrder::Kind::hold_back) {
    // All the time since it was first decided has become waiting.
    if (!run.waited_from) run.waited_from = run.at;
    run.at = stamp.at;
    run.server = stamp.server;
    run.outcome = DecisionOutcome::waiting;
    run.flags |= run_flag::held_back;
  }
}

std::int64_t flags_after(std::int64_t flags, const Run& next) {
  if (next.state != RunState::waiting) flags = with(flags, run_flag::held_back, false);
  flags = with(flags, run_flag::last_try, !next.may_retry);
  flags = with(flags, run_flag::parked, next.is_parked);
  return with_released_count(with_lost_count(flags, next.lost_count), next.released_count);
}

std::int64_t flags_after(std::int64_t flags, const ScheduleState& next) {
  flags = with(flags, state_flag::listens, next.listens);
  flags = with(flags, state_flag::deleted, next.deleted_at.has_value());
  flags = with(flags, state_flag::zoned, next.zone_edition != ZoneEdition::none);
  flags = (flags & ~state_flag::status) | status_flags(next.status);
  return with(flags, state_flag::quarantined, false);
}

bool is_ahead(const Transition& transition, Instant at) {
  const ScheduleState& next = transition.next;
  if (next.started_until > at || next.skipped_until > at) return true;
  return std::ranges::any_of(transition.decisions, [&](const Decision& decision) { return decision.nominal > at; });
}

bool fits(const QueuedRun& row, const RunUpdate& update) {
  const Run& run = row.run;
  const bool may_change = run.state != RunState::waiting && !is_terminal(run.state);
  return may_change && run.attempt == update.attempt && row.session == update.session && run.state == update.state &&
         run.stop == update.stop && run.may_retry == update.may_retry;
}

bool has_content(const AttemptEnd& end) {
  return end.launched_at || end.ended_at || end.exit_code || end.signal || !end.error.empty() || end.use ||
         !end.known_as.empty();
}

}  // namespace carillon::rows
