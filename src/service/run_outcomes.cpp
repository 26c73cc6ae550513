#include "service/run_outcomes.hpp"

#include "definitions/words.hpp"
#include "engine/run.hpp"
#include "service/runs.hpp"

#include <algorithm>
#include <chrono>

namespace carillon {
namespace {

constexpr std::size_t outcome_bucket_count_max = 1'500;

std::int64_t OutcomeBucket::* member_of(const RunRecordRow& row) {
  if (row.outcome == DecisionOutcome::skipped) return &OutcomeBucket::skipped;
  if (row.outcome == DecisionOutcome::waiting || !is_terminal(row.run.state)) return &OutcomeBucket::open;
  if (row.run.state == RunState::succeeded) return &OutcomeBucket::succeeded;
  return row.run.state == RunState::cancelled ? &OutcomeBucket::skipped : &OutcomeBucket::failed;
}

}  // namespace

Served<OutcomesAnswer> Runs::outcomes(const Caller& caller, const std::optional<std::string>& name_space, Instant from,
                                      Instant to, Duration bucket) {
  if (from >= to) return refuse(Refusal::Kind::invalid, "invalid", "to must be after from");
  if (bucket < std::chrono::seconds{1})
    return refuse(Refusal::Kind::invalid, "invalid", "a bucket must be at least 1s");
  const std::int64_t count = ((to - from) + bucket - Duration{1}) / bucket;
  if (count > static_cast<std::int64_t>(outcome_bucket_count_max))
    return refuse(Refusal::Kind::invalid, "invalid", "{} buckets are more than the limit of {}", count,
                  outcome_bucket_count_max);
  OutcomesAnswer answer;
  answer.buckets.resize(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < answer.buckets.size(); ++i)
    answer.buckets[i].from = from + bucket * static_cast<std::int64_t>(i);
  RunListRequest request{
      .filter = {.name_space = TRY(caller.namespace_to_list(name_space)), .since = from, .until = to}};
  request.filter.with_decisions = true;
  request.count_max = outcome_count_max;
  const RunList list = TRY(parts_.store.queries.list_runs(request));
  answer.is_partial = list.next.has_value();
  for (const RunRecordRow& row : list.items) {
    const std::int64_t place = (row.decided_at - from) / bucket;
    OutcomeBucket& counted = answer.buckets[static_cast<std::size_t>(std::clamp<std::int64_t>(place, 0, count - 1))];
    ++(counted.*member_of(row));
    if (row.reason) ++answer.reasons[std::string{to_text(*row.reason)}];
  }
  return answer;
}

}  // namespace carillon
