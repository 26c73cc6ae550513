#include "service/run_answer.hpp"

#include "base/duration_text.hpp"
#include "engine/ledger_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

namespace carillon {
namespace {

std::string name_of(const RunRecordRow& record) {
  const QueuedRun& row = record.row;
  if (!record.key) return row.trigger;
  return run_name(record.key->id, row.nominal, row.source, row.trigger);
}

std::string cause_of(const RunRecordRow& record) {
  const std::string nominal = to_text(record.row.nominal);
  switch (record.row.source) {
    case Source::schedule: return fmt::format("due at {} by revision {}", nominal, record.decided_revision);
    case Source::catchup: return fmt::format("missed at {} and made up for, as the catch-up policy says", nominal);
    case Source::trigger: return "started by hand";
    case Source::backfill: return fmt::format("backfill {} asked for {}", record.row.trigger, nominal);
    case Source::chain: return "the schedule before it has ended";
    case Source::adhoc: return "a job without a schedule";
  }
  std::unreachable();
}

std::string end_of(const RunAnswer& answer) {
  const Run& run = answer.record.row.run;
  const std::string error = answer.error.empty() ? "" : fmt::format(": {}", answer.error);
  switch (run.state) {
    case RunState::waiting: return "waits for the slot, or for the end of a pause";
    case RunState::queued: return "waits for a worker";
    case RunState::running: return fmt::format("attempt {} is running", run.attempt);
    case RunState::retrying:
      return fmt::format("attempt {} did not succeed{}; the next one may start at {}", run.attempt, error,
                         to_text(run.claimable_from));
    case RunState::succeeded: return fmt::format("attempt {} succeeded", run.attempt);
    case RunState::failed: return fmt::format("attempt {} failed{}", run.attempt, error);
    case RunState::timed_out: return fmt::format("attempt {} took longer than its time-out", run.attempt);
    case RunState::cancelled: return "cancelled";
    case RunState::lost: return fmt::format("nobody can say how attempt {} went{}", run.attempt, error);
    case RunState::expired: return "no worker took it before its start deadline";
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
      return "a run of the schedule was active, and its overlap policy lets none start beside it";
    case SkipReason::buffer_full: return "as many were waiting as policies.bufferLimit allows";
    case SkipReason::superseded: return "a later start took its place";
    case SkipReason::missed: return "it was later than its catch-up policy starts anything";
    case SkipReason::quota: return "more were missed than policies.catchup.maxRuns makes up for";
    case SkipReason::paused: return "the schedule was paused";
    case SkipReason::deleted: return "the schedule was deleted";
    case SkipReason::condition: return "its condition did not hold";
    case SkipReason::upstream: return "the schedule it waits for did not get there in time";
    case SkipReason::exhausted: return "a limit of the schedule was reached";
    case SkipReason::clock: return "the clock was wrong";
  }
  std::unreachable();
}

RunAnswer run_answer(RunRecordRow record, const RunIds& ids) {
  RunAnswer answer{.record = std::move(record), .id = {}, .name = {}, .error = {}, .why = {}};
  const QueuedRun& row = answer.record.row;
  answer.id = ids.id_of(row.seq);
  answer.name = name_of(answer.record);
  const auto& attempts = answer.record.attempts;
  if (const auto failed = std::ranges::find_if(attempts | std::views::reverse,
                                               [](const AttemptRecord& attempt) { return !attempt.error.empty(); });
      failed != std::ranges::rend(attempts))
    answer.error = failed->error;
  const Run& run = row.run;
  if (answer.has_run() && run.started_at) {
    answer.late = *run.started_at - row.due;
    if (run.ended_at) answer.duration = *run.ended_at - *run.started_at;
  }
  answer.why = sentence(answer);
  return answer;
}

}  // namespace carillon
