#include "service/run_answer.hpp"

#include "base/duration_text.hpp"
#include "base/utf8.hpp"
#include "engine/ledger_record.hpp"
#include "engine/run_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

namespace carillon {
namespace {

std::string name_of(const RunRecordRow& record) {
  if (!record.key) return record.trigger;
  return run_name(record.key->id, record.nominal, record.source, record.trigger);
}

std::string cause_of_trigger(std::string_view trigger) {
  const std::string_view retried = retried_by(trigger);
  if (retried.empty()) return "started by hand";
  return fmt::format("started by hand as a retry of {}{}", answers_reused_by(trigger).empty() ? "" : "failed items of ",
                     retried);
}

std::string cause_of(const RunRecordRow& record) {
  const std::string nominal = to_text(record.nominal);
  switch (record.source) {
    case Source::schedule: return fmt::format("scheduled for {} (revision {})", nominal, record.decided_revision);
    case Source::catchup: return fmt::format("missed at {} and caught up by the catch-up policy", nominal);
    case Source::trigger: return cause_of_trigger(record.trigger);
    case Source::backfill: return fmt::format("scheduled for {1} (backfill {0})", record.trigger, nominal);
    case Source::chain: return "started after another schedule";
    case Source::adhoc: return "a job without a schedule";
  }
  std::unreachable();
}

/// A sentence quotes the beginning of an error; the whole text is in `error`.
std::string first_line(const std::string& text) {
  constexpr std::size_t quoted_size_max = 200;
  return shortened(text.substr(0, text.find('\n')), quoted_size_max);
}

bool is_held_by_queue(const RunAnswer& answer) {
  return answer.waits_for && answer.waits_for->kind == WaitReason::Kind::paused_queue;
}

std::string wait_text(const RunAnswer& answer) {
  if (answer.waits_for && answer.waits_for->kind == WaitReason::Kind::no_worker)
    return fmt::format("no worker serves its queue {}", answer.waits_for->queue);
  if (!is_held_by_queue(answer)) return "waits for a worker";
  const std::string& by = answer.waits_for->paused_by;
  return fmt::format("its queue {} is paused{}{}", answer.waits_for->queue, by.empty() ? "" : " by ", by);
}

std::optional<WaitReason> wait_of(const RunRecordRow& record, const QueueFacts& queues) {
  if (record.outcome == DecisionOutcome::skipped) return std::nullopt;
  const Run& run = record.run;
  if (record.outcome == DecisionOutcome::waiting || run.state == RunState::waiting)
    return WaitReason{.kind = WaitReason::Kind::slot};
  if (!waits_in_queue(record)) return std::nullopt;
  WaitReason reason{.kind = WaitReason::Kind::worker, .queue = shown_queue(record.name_space, record.queue)};
  if (run.state == RunState::retrying) {
    reason.kind = WaitReason::Kind::retry;
    reason.until = run.claimable_from;
  } else if (queues.is_unserved(queue_of_lane(record.queue))) {
    reason.kind = WaitReason::Kind::no_worker;
  }
  if (const auto paused = queues.paused.find(queue_of_lane(record.queue)); paused != queues.paused.end()) {
    reason.kind = WaitReason::Kind::paused_queue;
    reason.paused_by = paused->second;
  }
  return reason;
}

std::string end_of(const RunAnswer& answer) {
  const Run& run = answer.record.run;
  const std::string error = answer.error.empty() ? "" : fmt::format(": {}", first_line(answer.error));
  switch (run.state) {
    case RunState::waiting: return "waits for another run, or a pause, to end";
    case RunState::queued: return wait_text(answer);
    case RunState::running: return fmt::format("attempt {} is running", run.attempt);
    case RunState::retrying:
      return fmt::format("attempt {} failed{}; the next one starts at {} or later{}", run.attempt, error,
                         to_text(run.claimable_from), is_held_by_queue(answer) ? ", but " + wait_text(answer) : "");
    case RunState::succeeded: return fmt::format("attempt {} succeeded", run.attempt);
    case RunState::failed: return fmt::format("attempt {} failed{}", run.attempt, error);
    case RunState::timed_out: return fmt::format("attempt {} timed out", run.attempt);
    case RunState::cancelled: return "cancelled";
    case RunState::lost: return fmt::format("the outcome of attempt {} is unknown{}", run.attempt, error);
    case RunState::expired: return "no worker started it before its start deadline";
  }
  std::unreachable();
}

std::string sentence(const RunAnswer& answer) {
  const RunRecordRow& record = answer.record;
  if (record.outcome == DecisionOutcome::skipped && record.reason)
    return fmt::format("{}; skipped ({}): {}", cause_of(record), to_text(*record.reason), meaning_of(*record.reason));
  return fmt::format("{}; {}", cause_of(record), end_of(answer));
}

}  // namespace

std::string_view meaning_of(SkipReason reason) {
  switch (reason) {
    case SkipReason::overlap:
      return "another run of the schedule was active, and the overlap policy does not allow a second one";
    case SkipReason::buffer_full: return "policies.bufferLimit starts were already waiting";
    case SkipReason::superseded: return "a later start replaced it";
    case SkipReason::missed: return "it was too late for the catch-up policy";
    case SkipReason::quota: return "more were missed than policies.catchup.maxRuns";
    case SkipReason::paused: return "the schedule was paused";
    case SkipReason::deleted: return "the schedule was deleted";
    case SkipReason::condition: return "its condition was not met";
    case SkipReason::upstream: return "the schedule it depends on did not finish in time";
    case SkipReason::exhausted: return "a limit of the schedule was reached";
    case SkipReason::clock: return "the clock was wrong";
    case SkipReason::outage: return "no server was active when it was due, and afterwards another start came first";
  }
  std::unreachable();
}

std::string_view to_text(WaitReason::Kind kind) {
  switch (kind) {
    case WaitReason::Kind::slot: return "slot";
    case WaitReason::Kind::worker: return "worker";
    case WaitReason::Kind::no_worker: return "no_worker";
    case WaitReason::Kind::paused_queue: return "paused_queue";
    case WaitReason::Kind::retry: return "retry";
  }
  std::unreachable();
}

bool waits_in_queue(const RunRecordRow& record) {
  const RunState state = record.run.state;
  return record.outcome == DecisionOutcome::started && (state == RunState::queued || state == RunState::retrying);
}

std::string shown_queue(std::string_view name_space, std::string_view stored) {
  stored = queue_of_lane(stored);
  const std::size_t slash = stored.starts_with('@') ? std::string_view::npos : stored.find('/');
  if (slash == std::string_view::npos || stored.substr(0, slash) != name_space) return std::string{stored};
  return std::string{stored.substr(slash + 1)};
}

Result<std::vector<RunAnswer>> run_answers(std::vector<std::optional<RunRecordRow>> records,
                                           const ServiceParts& parts) {
  const auto waits = [](const auto& record) { return record && waits_in_queue(*record); };
  const QueueFacts queues = std::ranges::any_of(records, waits) ? TRY(read_queue_facts(parts)) : QueueFacts{};
  std::vector<RunAnswer> answers;
  answers.reserve(records.size());
  for (auto& record : records)
    if (record) {
      answers.push_back(run_answer(*std::move(record), parts.run_ids, queues));
      add_progress(answers.back(), parts);
    }
  return answers;
}

void add_progress(RunAnswer& answer, const ServiceParts& parts) {
  if (parts.progress == nullptr || answer.record.run.state != RunState::running) return;
  if (const auto progress = parts.progress->progress_of(answer.record.seq)) answer.items = item_facts_of(*progress);
}

RunAnswer run_answer(RunRecordRow record, const RunIds& ids, const QueueFacts& queues) {
  RunAnswer answer{.record = std::move(record), .id = {}, .name = {}, .error = {}, .why = {}};
  answer.waits_for = wait_of(answer.record, queues);
  const QueuedRun& row = answer.record;
  answer.id = ids.id_of(row.seq);
  answer.name = name_of(answer.record);
  const auto& attempts = answer.record.attempts;
  // What an attempt before the one that succeeded failed with is told of that attempt alone.
  const bool has_succeeded = answer.has_run() && answer.record.run.state == RunState::succeeded;
  if (const auto failed = std::ranges::find_if(attempts | std::views::reverse,
                                               [](const AttemptRecord& attempt) { return !attempt.error.empty(); });
      !has_succeeded && failed != std::ranges::rend(attempts)) {
    answer.error = failed->error;
  }
  const Run& run = row.run;
  if (answer.has_run() && run.started_at) {
    answer.late = *run.started_at - row.due;
    if (run.ended_at) answer.duration = *run.ended_at - *run.started_at;
  }
  // What an earlier attempt has told says nothing of one under way.
  if (answer.record.result && run.state != RunState::running) answer.items = item_facts_in(*answer.record.result);
  answer.why = sentence(answer);
  return answer;
}

}  // namespace carillon
