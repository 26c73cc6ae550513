#include "simulation/invariants/evidence.hpp"

#include <array>

// I21: the counters of a schedule are the rows of its ledger.

namespace carillon::simulation {
namespace {

struct Rows {
  std::int64_t runs = 0;
  std::int64_t successes = 0;
  std::int64_t errors = 0;
  std::array<std::int64_t, skip_reason_count> skipped{};
};

void count_end(const Evidence& evidence, const DecisionStory& decision, Rows& rows) {
  if (!decision.ended || decision.attempts.empty()) return;
  const AttemptState state = evidence.story.attempts[decision.attempts.back()].line.state;
  rows.successes += state == AttemptState::succeeded;
}

Rows rows_of(const Evidence& evidence, const Life& life) {
  Rows rows;
  for (const std::size_t index : life.decisions) {
    const DecisionStory& decision = evidence.story.decisions[index];
    if (decision.line.outcome == DecisionOutcome::started) {
      ++rows.runs;
      count_end(evidence, decision, rows);
    } else if (decision.line.outcome == DecisionOutcome::skipped && decision.line.reason) {
      ++rows.skipped[static_cast<std::size_t>(*decision.line.reason)];
    }
  }
  for (const RangeStory& range : life.ranges)
    rows.skipped[static_cast<std::size_t>(range.line.reason)] += range.line.count;
  return rows;
}

void compare(const Life& life, std::string_view what, std::int64_t counted, std::int64_t rows, Findings& findings) {
  findings.fact("I21");
  if (counted != rows)
    findings.violation("I21", life.schedule, "{} {} are counted, the ledger has {}", counted, what, rows);
}

}  // namespace

void check_counters(const Evidence& evidence, Findings& findings) {
  if (!evidence.is_final) return;
  const auto page = evidence.store.schedules.read_page(Uid{}, 1'000).value();
  for (const auto& [key, life] : evidence.story.lives) {
    const auto view = std::ranges::find(page.views, life.uid, [](const ScheduleView& v) { return v.state.uid; });
    if (view == page.views.end()) continue;
    const Counts counts = counted(*view);
    const Rows rows = rows_of(evidence, life);
    compare(life, "runs", counts.runs, rows.runs, findings);
    compare(life, "successes", counts.successes, rows.successes, findings);
    // Whether a voided skip is taken off its counter is left open.
    if (!life.voids.empty()) continue;
    for (std::size_t i = 0; i < skip_reason_count; ++i)
      compare(life, to_text(static_cast<SkipReason>(i)), counts.skipped[i], rows.skipped[i], findings);
  }
}

}  // namespace carillon::simulation
