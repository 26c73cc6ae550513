#include "library/scheduler_answers.hpp"
#include "library/scheduler_failure.hpp"
#include "library/scheduler_parts.hpp"

#include <algorithm>
#include <chrono>

namespace carillon {
namespace {

constexpr std::size_t occurrence_count_max = 10'000;
constexpr std::size_t log_page_size = 1024 * 1024;
constexpr std::size_t log_page_count_max = 4;

Instant bounded(TimePoint time) { return std::clamp(std::chrono::floor<Duration>(time), instant_min, instant_max); }

}  // namespace

Expected<RunRecord> Scheduler::run(std::string_view run_id) const {
  const auto answer = parts_->core.runs.get(parts_->core.caller, std::string{run_id}, std::nullopt);
  if (!answer) return std::unexpected(failure_of(answer.error()));
  return run_record(*answer);
}

Expected<RunRecord> Scheduler::wait(std::string_view run_id, std::chrono::microseconds timeout) const {
  const auto answer = parts_->core.wait(std::string{run_id}, timeout, parts_->life.was_stopped());
  if (!answer) return std::unexpected(failure_of(answer.error()));
  return run_record(*answer);
}

Expected<std::string> Scheduler::run_log(std::string_view run_id, std::optional<std::int64_t> attempt) const {
  std::string text;
  LogQuery query{.attempt = attempt, .count_max = log_page_size};
  for (std::size_t page = 0; page < log_page_count_max; ++page) {
    const auto answer = parts_->core.runs.log(parts_->core.caller, std::string{run_id}, std::nullopt, query);
    if (!answer) return std::unexpected(failure_of(answer.error()));
    text += answer->page.bytes;
    if (answer->page.bytes.empty() || answer->page.next_offset <= query.offset) break;
    query.offset = answer->page.next_offset;
  }
  return text;
}

Expected<std::vector<OccurrenceRecord>> Scheduler::occurrences(std::string_view id, TimePoint from, TimePoint to,
                                                               std::size_t limit) const {
  const auto found = parts_->core.queries.occurrences(parts_->core.caller, {.id = std::string{id}}, bounded(from),
                                                      bounded(to), std::min(limit, occurrence_count_max));
  if (!found) return std::unexpected(failure_of(found.error()));
  std::vector<OccurrenceRecord> records;
  for (const OccurrenceAnswer& occurrence : *found) records.push_back(occurrence_record(occurrence));
  return records;
}

Expected<Explanation> Scheduler::why(std::string_view id, TimePoint at) const {
  const auto answer = parts_->core.queries.why(parts_->core.caller, {.id = std::string{id}}, bounded(at));
  if (!answer) return std::unexpected(failure_of(answer.error()));
  return explanation(*answer);
}

}  // namespace carillon
