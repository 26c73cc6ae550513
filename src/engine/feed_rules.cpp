#include "engine/feed_rules.hpp"

#include <variant>

namespace carillon {
namespace {

FeedEvent feed_event(const WrittenRow& row, FeedKind kind) {
  return {.at = row.at, .kind = kind, .uid = row.uid, .subject = row.seq};
}

FeedEvent run_event(const WrittenRow& row, FeedKind kind, RunState state) {
  FeedEvent event = feed_event(row, kind);
  event.state = state;
  return event;
}

}  // namespace

std::optional<FeedEvent> event_of_verdict(const WrittenRow& decision, const Verdict& verdict) {
  if (std::holds_alternative<Starts>(verdict)) return run_event(decision, FeedKind::run_queued, RunState::queued);
  if (std::holds_alternative<Skips>(verdict)) return feed_event(decision, FeedKind::occurrence_skipped);
  return std::nullopt;
}

FeedEvent event_of_skipped_range(const WrittenRow& line) { return feed_event(line, FeedKind::occurrence_skipped); }

FeedEvent event_of_change(const WrittenRow& line, const Change& change) {
  FeedEvent event = feed_event(line, FeedKind::schedule_changed);
  event.change = change.kind;
  return event;
}

FeedEvent event_of_backfill(const WrittenRow& line, const Backfill& backfill) {
  FeedEvent event = feed_event(line, FeedKind::backfill_progress);
  // Its line is written again and again: the number says which one it is.
  event.subject = Seq{};
  event.backfill = backfill.number;
  return event;
}

std::optional<FeedEvent> event_of_order(const WrittenRow& run, const RunOrder& order, const Run& next) {
  if (order.kind == RunOrder::Kind::withdraw) return feed_event(run, FeedKind::occurrence_skipped);
  if (is_terminal(next.state)) return run_event(run, FeedKind::run_finished, next.state);
  return std::nullopt;
}

FeedEvent event_of_quarantine(const WrittenRow& schedule) {
  return {.at = schedule.at, .kind = FeedKind::schedule_changed, .uid = schedule.uid};
}

FeedEvent event_of_job(const WrittenRow& run) { return run_event(run, FeedKind::run_queued, RunState::queued); }

FeedEvent event_of_claim(const WrittenRow& run) { return run_event(run, FeedKind::run_started, RunState::running); }

std::optional<FeedEvent> event_of_run(const WrittenRow& run, const Run& next) {
  if (is_terminal(next.state)) return run_event(run, FeedKind::run_finished, next.state);
  if (next.state == RunState::retrying) return run_event(run, FeedKind::run_retrying, next.state);
  if (next.state == RunState::queued) return run_event(run, FeedKind::run_queued, next.state);
  return std::nullopt;
}

}  // namespace carillon
