#include "library/scheduler_answers.hpp"
#include "library/scheduler_failure.hpp"
#include "library/scheduler_parts.hpp"

#include <algorithm>
#include <chrono>

namespace carillon {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t occurrence_count_max = 10'000;
/// Whoever waits looks at least this often: the store may not tell of every change.
constexpr auto wait_look = std::chrono::seconds{1};
constexpr std::chrono::microseconds wait_max = std::chrono::days{3'650};
constexpr std::size_t log_page_size = 1024 * 1024;
constexpr std::size_t log_page_count_max = 4;

Instant bounded(TimePoint time) { return std::clamp(std::chrono::floor<Duration>(time), instant_min, instant_max); }

}  // namespace

Expected<RunRecord> Scheduler::run(std::string_view run_id) const {
  const auto answer = parts_->runs.get(parts_->caller, std::string{run_id}, std::nullopt);
  if (!answer) return std::unexpected(failure_of(answer.error()));
  return run_record(*answer);
}

Expected<RunRecord> Scheduler::wait(std::string_view run_id, std::chrono::microseconds timeout) const {
  const auto end = steady_clock::now() + std::clamp(timeout, std::chrono::microseconds{0}, wait_max);
  for (;;) {
    // Before the run is read: what is written after that is one more.
    const std::uint64_t known = parts_->changes.count();
    const bool is_stopped = parts_->was_stopped;
    auto record = run(run_id);
    const auto now = steady_clock::now();
    if (!record || record->has_ended() || is_stopped || now >= end) return record;
    parts_->changes.wait_beyond(known, std::min<steady_clock::time_point>(end, now + wait_look));
  }
}

Expected<std::string> Scheduler::run_log(std::string_view run_id, std::optional<std::int64_t> attempt) const {
  std::string text;
  LogQuery query{.attempt = attempt, .count_max = log_page_size};
  for (std::size_t page = 0; page < log_page_count_max; ++page) {
    const auto answer = parts_->runs.log(parts_->caller, std::string{run_id}, std::nullopt, query);
    if (!answer) return std::unexpected(failure_of(answer.error()));
    text += answer->page.bytes;
    if (answer->page.bytes.empty() || answer->page.next_offset <= query.offset) break;
    query.offset = answer->page.next_offset;
  }
  return text;
}

Expected<std::vector<OccurrenceRecord>> Scheduler::occurrences(std::string_view id, TimePoint from, TimePoint to,
                                                               std::size_t limit) const {
  const auto found = parts_->queries.occurrences(parts_->caller, {.id = std::string{id}}, bounded(from), bounded(to),
                                                 std::min(limit, occurrence_count_max));
  if (!found) return std::unexpected(failure_of(found.error()));
  std::vector<OccurrenceRecord> records;
  for (const OccurrenceAnswer& occurrence : *found) records.push_back(occurrence_record(occurrence));
  return records;
}

Expected<Explanation> Scheduler::why(std::string_view id, TimePoint at) const {
  const auto answer = parts_->queries.why(parts_->caller, {.id = std::string{id}}, bounded(at));
  if (!answer) return std::unexpected(failure_of(answer.error()));
  return explanation(*answer);
}

}  // namespace carillon
