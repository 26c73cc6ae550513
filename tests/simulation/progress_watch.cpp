#include "simulation/progress_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace carillon::simulation {
namespace {

using std::chrono::seconds;

// A heartbeat, and what a run does that does not listen.
constexpr Duration stop_patience = seconds{90};
constexpr Duration lease_patience = seconds{90};
// A schedule that was set aside is looked at again after a while.
constexpr Duration quarantine_patience = seconds{90};

}  // namespace

const Revision* ProgressWatch::definition_of(const ScheduleState& state) const {
  for (const auto& [key, life] : chronicle_.story().lives)
    if (life.uid == state.uid) return life.definition(state.revision);
  return nullptr;
}

void ProgressWatch::pending(const std::string& what, const std::string& schedule, Duration patience) {
  const auto before = since_.find(what);
  // Troubled times do not count.
  const Instant since = std::max(before == since_.end() ? world_.now() : before->second, calm_since_);
  seen_.emplace(what, since);
  if (world_.now() - since > patience)
    findings_.violation("I17", schedule, "{} since {}, and nothing happens", what, to_text(since));
}

void ProgressWatch::look(Instant calm_since, bool has_room) {
  calm_since_ = calm_since;
  const auto page = store_.schedules.read_page(Uid{}, 1'000).value();
  for (const ScheduleView& view : page.views) {
    findings_.fact("I17");
    look_at(view, page.store_now, has_room);
  }
  since_ = std::exchange(seen_, {});
}

void ProgressWatch::look_at(const ScheduleView& view, Instant store_now, bool has_room) {
  const std::string id = chronicle_.id_of(view.state.uid);
  look_at_runs(view, id, store_now, has_room);
  const bool is_set_aside = store_.schedules.read_quarantine(view.state.uid).value().has_value();
  if (is_set_aside && world_.now() - calm_since_ < quarantine_patience) return;
  look_at_backfills(view, id);
  if (view.state.status != ScheduleStatus::active) return;
  look_at_replaced(view, id);
  const Revision* const revision = definition_of(view.state);
  if (revision == nullptr || revision->depends_on_edition()) return;
  const auto next = revision->timetable().next(view.state.cursor);
  if (next && revision->due(*next) <= store_now) pending(fmt::format("{} of {} is due", to_text(*next), id), id);
}

void ProgressWatch::look_at_runs(const ScheduleView& view, const std::string& id, Instant store_now, bool has_room) {
  const bool is_slot_taken =
      std::ranges::any_of(view.live, [](const LiveRun& run) { return is_open(run) && run.holds_slot; });
  std::vector<Seq> seqs;
  bool is_first = true;  // of those that wait: the others have their turn later
  for (const LiveRun& run : view.live) {
    const bool may_start = view.state.status == ScheduleStatus::active || !is_automatic(run.source);
    if (is_waiting(run) && !is_slot_taken && may_start && std::exchange(is_first, false))
      pending(fmt::format("line {} of {} waits before a free slot", static_cast<std::int64_t>(run.seq), id), id);
    if (is_open(run)) seqs.push_back(run.seq);
  }
  if (!has_room) return;
  const auto rows = store_.runs.read_runs(seqs).value();
  for (const auto& row : rows) {
    if (!row) continue;
    const auto number = static_cast<std::int64_t>(row->seq);
    if (row->run.state != RunState::running && row->run.claimable_from <= store_now)
      pending(fmt::format("line {} of {} is {} after attempt {} and may be claimed", number, id,
                          to_text(row->run.state), row->run.attempt),
              id);
  }
  for (const auto& row : rows)
    if (row && row->run.state == RunState::running && row->run.stop != Stop::none)
      pending(fmt::format("line {} of {} was asked to stop", static_cast<std::int64_t>(row->seq), id), id,
              stop_patience);
  // Everybody's lease is renewed or over by now: a run whose session is over must have been given up.
  if (world_.now() - calm_since_ < lease_patience) return;
  const auto all_lost = store_.runs.read_lost(100).value();
  for (const QueuedRun& lost : all_lost)
    if (lost.uid == view.state.uid)
      pending(fmt::format("line {} of {} has lost its worker", static_cast<std::int64_t>(lost.seq), id), id);
}

void ProgressWatch::look_at_replaced(const ScheduleView& view, const std::string& id) {
  for (const LiveRun& waiting : view.live) {
    const DecisionStory* const decision = chronicle_.story().decision(waiting.seq);
    if (!is_waiting(waiting) || waiting.is_held_back || decision == nullptr) continue;
    const Revision* const revision = chronicle_.story().life_of(*decision).definition(decision->first().revision);
    if (revision == nullptr) continue;
    const OverlapPolicy policy = waiting.overlap.value_or(revision->document.policies.overlap);
    if (policy != OverlapPolicy::cancel_other && policy != OverlapPolicy::terminate_other) continue;
    for (const LiveRun& run : view.live)
      if (is_open(run) && run.holds_slot && !run.is_stopping && run.seq < waiting.seq)
        pending(fmt::format("line {} of {} is in the way of line {}", static_cast<std::int64_t>(run.seq), id,
                            static_cast<std::int64_t>(waiting.seq)),
                id);
  }
}

void ProgressWatch::look_at_backfills(const ScheduleView& view, const std::string& id) {
  // An exclusive one has its turn when nobody else waits for the slot.
  const bool is_slot_wanted = std::ranges::any_of(
      view.live, [](const LiveRun& run) { return is_waiting(run) || (is_open(run) && run.holds_slot); });
  for (const BackfillView& backfill : view.backfills) {
    const Backfill& record = backfill.record;
    if (record.state != BackfillState::running || (record.is_exclusive && is_slot_wanted)) continue;
    // Through the slot its runs may wait, and with buffer_all it waits for a place among those of others too.
    const bool is_through_slot = record.overlap.has_value();
    const auto is_its_run = [&](const LiveRun& run) {
      const bool is_own = run.backfill == record.number;
      if (is_through_slot && is_waiting(run)) return is_own || record.overlap == OverlapPolicy::buffer_all;
      return is_own && is_open(run);
    };
    if (std::ranges::none_of(view.live, is_its_run))
      pending(fmt::format("backfill {} of {} has nothing to wait for after {}", record.id, id, record.done), id);
  }
}

}  // namespace carillon::simulation
