#include "library/scheduler_history.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

namespace carillon {
namespace {

static_assert(static_cast<int>(RunRecord::State::expired) == static_cast<int>(RunState::expired));

constexpr std::int64_t step_min = 256;
constexpr std::int64_t step_max = 16'384;

/// The last seq of the ledger, by halves: a store tells only what comes after one.
Result<std::int64_t> find_end(ScheduleStore& store) {
  const auto has_more = [&](std::int64_t seq) -> Result<bool> { return !TRY(store.read_ledger(Seq{seq}, 1)).empty(); };
  std::int64_t above = 1'024;
  while (TRY(has_more(above))) above *= 2;
  std::int64_t below = 0;
  while (below < above) {
    const std::int64_t middle = below + (above - below) / 2;
    if (TRY(has_more(middle)))
      below = middle + 1;
    else
      above = middle;
  }
  return below;
}

/// What the ledger says of one schedule, gathered backwards.
class Gathering {
 public:
  Gathering(const ScheduleKey& key, std::size_t limit) : key_{key}, limit_{limit} {}

  /// Tells whether there is more to be had before this line.
  bool take(const LedgerRecord& record) {
    const LineHead* const head = head_of(record);
    if (!head || head->schedule != key_.id || head->name_space != key_.name_space) return true;
    if (const auto* attempt = std::get_if<AttemptLine>(&record); attempt != nullptr && !attempt->reason.empty())
      errors_.try_emplace(attempt->run, attempt->reason);
    if (const auto* decision = std::get_if<DecisionLine>(&record);
        decision != nullptr && decision->outcome == DecisionOutcome::started)
      starts_.push_back(*decision);
    const auto* change = std::get_if<ChangeLine>(&record);
    const bool is_beginning = change != nullptr && change->kind == ChangeKind::created;
    return !is_beginning && starts_.size() < limit_;
  }

  [[nodiscard]] const std::vector<DecisionLine>& starts() const { return starts_; }
  [[nodiscard]] std::string error_of(const std::string& run) const {
    const auto found = errors_.find(run);
    return found == errors_.end() ? std::string{} : found->second;
  }

 private:
  const ScheduleKey& key_;
  std::size_t limit_;
  std::vector<DecisionLine> starts_;           // newest first
  std::map<std::string, std::string> errors_;  // of the newest attempt, by the run's name
};

Result<Gathering> gather(ScheduleStore& store, const ScheduleKey& key, std::size_t limit) {
  Gathering gathering{key, limit};
  std::int64_t end = TRY(find_end(store));
  for (std::int64_t step = step_min; end > 0; step = std::min(2 * step, step_max)) {
    const std::int64_t begin = std::max<std::int64_t>(end - step, 0);
    const auto records = TRY(store.read_ledger(Seq{begin}, static_cast<std::size_t>(end - begin)));
    for (const LedgerRecord& record : records | std::views::reverse) {
      // Where numbers are missing the page reaches beyond its end.
      if (seq_of(record) > Seq{end}) continue;
      if (!gathering.take(record)) return gathering;
    }
    end = begin;
  }
  return gathering;
}

}  // namespace

Result<std::vector<RunRecord>> read_history(ScheduleStore& store, RunQueue& queue, const RunIds& run_ids,
                                            const ScheduleKey& key, std::size_t limit) {
  std::vector<RunRecord> history;
  if (limit == 0) return history;
  const Gathering gathering = TRY(gather(store, key, limit));
  std::vector<Seq> seqs;
  for (const DecisionLine& start : gathering.starts()) seqs.push_back(start.head.seq);
  const auto runs = TRY(queue.read_runs(seqs));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i]) continue;
    const DecisionLine& start = gathering.starts()[i];
    const Run& run = runs[i]->run;
    RunRecord record{.run_id = run_ids.id_of(seqs[i]),
                     .run_name = start.run.value_or(""),
                     .source = std::string{to_text(start.source)},
                     .nominal = start.nominal,
                     .due = start.due,
                     .state = static_cast<RunRecord::State>(run.state),
                     .attempt = run.attempt,
                     .error = gathering.error_of(start.run.value_or("")),
                     .result = TRY(queue.read_result(seqs[i]))};
    if (run.started_at) record.started_at = *run.started_at;
    if (run.ended_at) record.ended_at = *run.ended_at;
    history.push_back(std::move(record));
  }
  return history;
}

}  // namespace carillon
