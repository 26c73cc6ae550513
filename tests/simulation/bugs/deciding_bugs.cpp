#include "simulation/bugs/bugs.hpp"
#include "simulation/bugs/spoiled_commits.hpp"
#include "simulation/draw.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>

// What a mistake in the engine would write.

namespace carillon::simulation {
namespace {

bool is_own(const Decision& decision) { return is_automatic(decision.source); }

// A few of the occurrences, always the same ones.
bool is_hit(Instant nominal, std::uint64_t every) {
  return hash_of(static_cast<std::uint64_t>(nominal.time_since_epoch().count())) % every == 0;
}

void clear_watched(Transition& transition) { transition.watched.clear(); }

void clear_listens(Transition& transition) { transition.next.listens = false; }

void move_cursor_to_now(Transition& transition) {
  transition.next.cursor = std::max(transition.next.cursor, transition.decided_at);
}

void drop_decision(Transition& transition) {
  auto& decisions = transition.decisions;
  if (!decisions.empty() && is_own(decisions.back()) && is_hit(decisions.back().nominal, 10)) decisions.pop_back();
}

void double_decision(Transition& transition) {
  auto& decisions = transition.decisions;
  if (!decisions.empty() && is_own(decisions.back()) && is_hit(decisions.back().nominal, 10)) {
    const Decision again = decisions.back();
    decisions.push_back(again);
  }
}

template <RunOrder::Kind... kinds>
void drop_orders(Transition& transition) {
  auto& orders = transition.orders;
  const auto rest =
      std::ranges::remove_if(orders, [](const RunOrder& order) { return ((order.kind == kinds) || ...); });
  orders.erase(rest.begin(), rest.end());
}

void forget_pause(Transition& transition) {
  ScheduleState& next = transition.next;
  if (next.status != ScheduleStatus::paused) return;
  next.status = ScheduleStatus::active;
  next.wake = transition.decided_at + std::chrono::minutes{1};
}

void miscount_range(Transition& transition) {
  for (SkippedRange& range : transition.ranges) ++range.count;
}

void forget_slot(Transition& transition) {
  for (Decision& decision : transition.decisions) decision.holds_slot = false;
}

void forget_waiting_of_deleted(Transition& transition) {
  if (transition.next.deleted_at) transition.resolutions.clear();
}

void lose_tombstone(Transition& transition) {
  if (transition.decided_from() == 0) transition.next.cursor = transition.decided_at;
}

void forget_skips(Transition& transition) {
  transition.next.counts.skipped[static_cast<std::size_t>(SkipReason::overlap)] = 0;
}

void call_outages_overlap(Transition& transition) {
  auto& skipped = transition.next.counts.skipped;
  for (Decision& decision : transition.decisions)
    if (auto* skips = std::get_if<Skips>(&decision.verdict); skips != nullptr && skips->reason == SkipReason::outage) {
      skips->reason = SkipReason::overlap;
      --skipped[static_cast<std::size_t>(SkipReason::outage)];
      ++skipped[static_cast<std::size_t>(SkipReason::overlap)];
    }
}

void count_twice(Transition& transition) { transition.counted.clear(); }

void lose_backfill_cursor(Transition& transition) {
  for (Backfill& backfill : transition.backfills)
    if (backfill.state == BackfillState::running)
      backfill.cursor = backfill.order == BackfillOrder::oldest_first ? backfill.from : backfill.to;
}

void void_started(Transition& transition) {
  const Instant nominal = transition.next.started_until;
  if (nominal > instant_min && is_hit(nominal, 20)) transition.voids.push_back({.from = nominal, .to = nominal});
}

void lose_resolutions(Transition& transition) {
  const auto starts = [](const Resolution& resolution) { return std::holds_alternative<Starts>(resolution.verdict); };
  const auto rest = std::ranges::remove_if(transition.resolutions, starts);
  transition.resolutions.erase(rest.begin(), rest.end());
}

void start_instead_of_skip(Transition& transition) {
  Starts starts;
  starts.revision = transition.decided_under;
  starts.queued_at = transition.decided_at;
  starts.queue = "default";
  for (Decision& decision : transition.decisions)
    if (is_own(decision) && std::holds_alternative<Skips>(decision.verdict)) {
      decision.verdict = starts;
      ++transition.next.counts.runs;
    }
}

void forget_starts(Transition& transition) { transition.next.counts.starts = 0; }

// What comes through the slot begins beside whoever has it.
void start_backfilled_at_once(Transition& transition) {
  for (Decision& decision : transition.decisions) {
    if (decision.backfill == 0 || !decision.overlap || !std::holds_alternative<Waits>(decision.verdict)) continue;
    Starts starts;
    starts.revision = transition.decided_under;
    starts.queued_at = transition.decided_at;
    starts.queue = "default";
    decision.verdict = starts;
    ++transition.next.counts.runs;
  }
}

// What was to be done with the creation is forgotten.
void drop_first_trigger(Transition& transition) {
  if (transition.decided_from() != 0) return;
  transition.next.counts.runs -= std::ssize(transition.decisions);
  transition.decisions.clear();
}

void wake_late(Transition& transition) {
  if (transition.next.wake) *transition.next.wake += std::chrono::minutes{2};
}

void never_expire(Transition& transition) {
  for (Decision& decision : transition.decisions)
    if (auto* starts = std::get_if<Starts>(&decision.verdict)) starts->expires_at.reset();
  for (Resolution& resolution : transition.resolutions)
    if (auto* starts = std::get_if<Starts>(&resolution.verdict)) starts->expires_at.reset();
}

void forget_jitter(Transition& transition) {
  for (Decision& decision : transition.decisions)
    if (is_own(decision)) decision.due = decision.nominal;
}

using Kind = RunOrder::Kind;

constexpr std::array bugs{
    Bug{"watched_cleared", "a finish between read and commit is missed", make_store<SpoiledCommits<clear_watched>>},
    Bug{"listens_cleared", "the end of a run wakes nobody", make_store<SpoiledCommits<clear_listens>>},
    Bug{"cursor_at_now", "the cursor moves by time instead of occurrences",
        make_store<SpoiledCommits<move_cursor_to_now>>},
    Bug{"decision_dropped", "the cursor moves on without a row", make_store<SpoiledCommits<drop_decision>>},
    Bug{"decision_doubled", "one occurrence gets two rows", make_store<SpoiledCommits<double_decision>>},
    Bug{"withdraw_dropped", "a pause leaves queued runs alone",
        make_store<SpoiledCommits<drop_orders<Kind::withdraw, Kind::hold_back>>>},
    Bug{"end_retries_dropped", "runs of a deleted schedule are retried",
        make_store<SpoiledCommits<drop_orders<Kind::end_retries>>>},
    Bug{"cancel_dropped", "nobody is asked to stop",
        make_store<SpoiledCommits<drop_orders<Kind::cancel, Kind::terminate>>>},
    Bug{"pause_forgotten", "a pause is written down but not kept", make_store<SpoiledCommits<forget_pause>>},
    Bug{"range_miscounted", "a range counts one too many", make_store<SpoiledCommits<miscount_range>>},
    Bug{"slot_forgotten", "runs do not hold their slot", make_store<SpoiledCommits<forget_slot>>},
    Bug{"deleted_leaves_waiting", "a deletion forgets waiting starts",
        make_store<SpoiledCommits<forget_waiting_of_deleted>>},
    Bug{"tombstone_cursor_lost", "a schedule that comes back forgets where it was",
        make_store<SpoiledCommits<lose_tombstone>>},
    Bug{"skips_not_counted", "a counter forgets", make_store<SpoiledCommits<forget_skips>>},
    Bug{"outage_called_overlap", "what came due in an outage is said to overlap with what started after it",
        make_store<SpoiledCommits<call_outages_overlap>>},
    Bug{"ends_counted_twice", "ended runs are counted again and again", make_store<SpoiledCommits<count_twice>>},
    Bug{"backfill_cursor_lost", "a backfill begins again", make_store<SpoiledCommits<lose_backfill_cursor>>},
    Bug{"void_of_a_start", "what has started is taken back", make_store<SpoiledCommits<void_started>>},
    Bug{"waiting_never_released", "the slot becomes free for nobody", make_store<SpoiledCommits<lose_resolutions>>},
    Bug{"policies_ignored", "everything starts", make_store<SpoiledCommits<start_instead_of_skip>>},
    Bug{"starts_not_counted", "maxStarts is never reached", make_store<SpoiledCommits<forget_starts>>},
    Bug{"backfill_ignores_slot", "a backfill through the slot does not wait for it",
        make_store<SpoiledCommits<start_backfilled_at_once>>},
    Bug{"first_trigger_dropped", "a creation forgets its trigger", make_store<SpoiledCommits<drop_first_trigger>>},
    Bug{"wakes_late", "schedules are looked at two minutes late", make_store<SpoiledCommits<wake_late>>},
    Bug{"never_expires", "runs that waited too long are performed", make_store<SpoiledCommits<never_expire>>},
    Bug{"jitter_forgotten", "the due time is the nominal one", make_store<SpoiledCommits<forget_jitter>>},
};

}  // namespace

std::span<const Bug> deciding_bugs() { return bugs; }

}  // namespace carillon::simulation
