#include "scheduling/run_finisher.hpp"

#include "base/mix.hpp"
#include "base/utf8.hpp"
#include "engine/lane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

// Between any two tries somebody has changed the run; its stop and its right to retries change once each.
constexpr int try_count_max = 5;
/// So many unreadable definitions are reported; then it is known that something is wrong.
constexpr std::size_t reported_max = 1'000;

std::uint64_t seed_of(Seq seq, std::int64_t attempt) {
  return spread(static_cast<std::uint64_t>(seq)) + static_cast<std::uint64_t>(attempt);
}

// Every way to end an attempt comes through here, so that no worker's text grows without bound.
RunUpdate update_of(const QueuedRun& row, Run next, AttemptEnd end) {
  end.error = shortened(std::move(end.error), attempt_error_size_max);
  return {.seq = row.seq,
          .attempt = row.run.attempt,
          .session = row.session,
          .state = row.run.state,
          .stop = row.run.stop,
          .may_retry = row.run.may_retry,
          .next = std::move(next),
          .end = std::move(end)};
}

Result<Run> finished(const QueuedRun& row, const Finish& finish_, const RunRules& rules, Instant now) {
  const std::int64_t attempt = finish_.run.run.attempt;
  Run run = row.run;
  if (finish_.end.launched_at && run.attempt_state == AttemptState::claimed)
    run = TRY(launch(run, attempt, *finish_.end.launched_at));
  // The store knows of a launch that whoever gives it back has not heard of.
  const bool is_launched = run.attempt_state == AttemptState::launched;
  const auto outcome =
      finish_.end.outcome == AttemptOutcome::released && is_launched ? AttemptOutcome::lost : finish_.end.outcome;
  return finish(run, attempt, outcome, rules, now, seed_of(row.seq, attempt), finish_.end.retry_after);
}

/// For a run of which nobody knows how often it may be tried.
RunRules no_retries() {
  RunRules rules;
  rules.retry.attempt_count_max = 1;
  return rules;
}

bool is_same_attempt(const QueuedRun& claimed, const QueuedRun& now) {
  return now.run.state == RunState::running && now.run.attempt == claimed.run.attempt && now.session == claimed.session;
}

}  // namespace

RunFinisher::RunFinisher(RunQueue& queue, DefinitionCache& definitions) : queue_{queue}, definitions_{definitions} {}

Result<RunRules> RunFinisher::rules_of(const QueuedRun& row) {
  if (row.rules) return *row.rules;
  return TRY(definitions_.get({row.uid, row.revision}))->rules;
}

void RunFinisher::note_unreadable(const QueuedRun& row, const Error& error) {
  const DefinitionName name{row.uid, row.revision};
  if (reported_.size() < reported_max && reported_.insert(name).second)
    unreadable_.push_back({.name = name, .error = error.message});
}

Result<RunUpdate> RunFinisher::update_for(const QueuedRun& row, const Finish& told, Instant now) {
  const auto rules = rules_of(row);
  // Not the definition's fault: the store could not be asked.
  if (!rules && rules.error().code == ErrorCode::unavailable) return std::unexpected(rules.error());
  const Run next = TRY(finished(row, told, rules ? *rules : no_retries(), now));
  AttemptEnd end = told.end;
  end.ended_at = now;
  if (!rules) note_unreadable(row, rules.error());
  if (!rules && is_terminal(next.state) && end.outcome != AttemptOutcome::succeeded) {
    if (!end.error.empty()) end.error += "; ";
    end.error += fmt::format("not retried: its definition cannot be read: {}", rules.error().message);
  }
  return update_of(row, next, std::move(end));
}

Result<std::vector<RunWritten>> RunFinisher::finish(std::span<const Finish> finishes) {
  std::vector<RunWritten> outcomes(finishes.size(), RunWritten::refused);
  std::vector<OpenFinish> open;
  open.reserve(finishes.size());
  for (std::size_t i = 0; i < finishes.size(); ++i) open.push_back({i, &finishes[i].run});
  std::vector<std::optional<QueuedRun>> seen;  // what `open` refers to after the first try

  for (int i = 0; i < try_count_max && !open.empty(); ++i) {
    const Instant now = TRY(queue_.store_now());
    std::vector<OpenFinish> sent;
    std::vector<RunUpdate> updates;
    sent.reserve(open.size());
    updates.reserve(open.size());
    for (const OpenFinish& one : open) {
      auto update = update_for(*one.run, finishes[one.index], now);
      if (!update && update.error().code != ErrorCode::conflict) return std::unexpected(std::move(update).error());
      // An end that the run's state contradicts changes nothing, and holds up no other.
      if (!update) continue;
      updates.push_back(*std::move(update));
      sent.push_back(one);
    }
    const auto written = TRY(queue_.write(updates));
    std::vector<OpenFinish> refused;
    for (std::size_t k = 0; k < sent.size(); ++k) {
      if (written[k] == RunWritten::written) {
        outcomes[sent[k].index] = RunWritten::written;
      } else {
        refused.push_back(sent[k]);
      }
    }
    seen = TRY(read_again(refused));
    open.clear();
    for (std::size_t k = 0; k < refused.size(); ++k)
      if (seen[k]) open.push_back({refused[k].index, &*seen[k]});
  }
  return outcomes;
}

// Those that are still the attempt that has ended, with what has changed about them.
Result<std::vector<std::optional<QueuedRun>>> RunFinisher::read_again(std::span<const OpenFinish> refused) {
  if (refused.empty()) return {};
  std::vector<Seq> seqs;
  for (const OpenFinish& one : refused) seqs.push_back(one.run->seq);
  auto runs = TRY(queue_.read_runs(seqs));
  for (std::size_t i = 0; i < refused.size(); ++i)
    if (runs[i] && !is_same_attempt(*refused[i].run, *runs[i])) runs[i].reset();
  return runs;
}

Result<std::size_t> RunFinisher::end_lost(std::size_t count_max, std::span<const std::string> spared_queues) {
  std::vector<Finish> finishes;
  for (QueuedRun& row : TRY(queue_.read_lost(count_max))) {
    if (std::ranges::find(spared_queues, queue_of_lane(row.queue)) != spared_queues.end()) continue;
    finishes.push_back({.run = std::move(row),
                        .end = {.outcome = AttemptOutcome::lost,
                                .error = "the worker was lost during this attempt; its outcome is unknown"}});
  }
  if (finishes.empty()) return 0;
  const auto outcomes = TRY(finish(finishes));
  return static_cast<std::size_t>(std::ranges::count(outcomes, RunWritten::written));
}

Result<std::size_t> RunFinisher::end_expired(std::size_t count_max) {
  const auto rows = TRY(queue_.read_expired(count_max));
  if (rows.empty()) return 0;
  const Instant now = TRY(queue_.store_now());
  std::vector<RunUpdate> updates;
  for (const QueuedRun& row : rows)
    if (const auto expired = expire(row.run, now)) updates.push_back(update_of(row, *expired, {}));
  if (updates.empty()) return 0;
  const auto written = TRY(queue_.write(updates));
  return static_cast<std::size_t>(std::ranges::count(written, RunWritten::written));
}

}  // namespace carillon
