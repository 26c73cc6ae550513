#pragma once

#include "simulation/texts.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace carillon::simulation {

/// Situations that a simulation is made for. One that is never reached is tested by nobody.
enum class Sometimes {
  stale_commit_refused,
  unknown_commit_was_written,
  unknown_wish_was_granted,
  unknown_commit_was_not_written,
  crash_before_commit,
  crash_after_commit,
  paused_inside_commit,
  finish_raced_with_waiting,
  waiting_released,
  lost_claim_found,
  late_result_refused,
  repeated_result_refused,
  launch_refused_after_lease,
  killed_at_end_of_lease,
  attempt_lost,
  lost_attempt_retried,
  lost_command_not_retried,
  run_retried,
  run_timed_out,
  run_expired,
  stop_obeyed,
  stop_ignored,
  catchup_started,
  catchup_over_clock_change,
  skipped_overlap,
  skipped_buffer_full,
  skipped_superseded,
  skipped_missed,
  skipped_quota,
  skipped_paused,
  skipped_deleted,
  skipped_exhausted,
  range_written,
  pause_withdrew_queued,
  pause_held_back_queued,
  pause_found_it_claimed,
  pause_ended_by_itself,
  paused_on_failure,
  became_done,
  became_dead,
  left_done_or_dead,
  edited_at_the_boundary,
  deleted_with_running,
  tombstone_taken_up,
  created_beyond_tombstone,
  backfill_completed,
  backfill_over_a_crash,
  backfill_passed_over,
  backfill_waited_for_slot,
  backfill_gave_way,
  created_with_trigger,
  starts_used_up,
  void_written,
  clock_held,
  change_refused_by_held_clock,
  outage_written,
  skipped_outage,
  skipped_clock,
  batch_bisected,
  schedule_quarantined,
  quarantine_ended,
  zone_rules_adopted,
  claimed_inside_commit,
  decided_while_others_are_written,
  call_refused,
  call_unknown,
  call_repeated,
};
inline constexpr std::size_t sometimes_count = static_cast<std::size_t>(Sometimes::call_repeated) + 1;

/// How often each was reached.
class Tally {
 public:
  void add(Sometimes what, std::int64_t count = 1) { counts_[static_cast<std::size_t>(what)] += count; }
  void add(const Tally& other) {
    for (std::size_t i = 0; i < sometimes_count; ++i) counts_[i] += other.counts_[i];
  }
  [[nodiscard]] std::int64_t count(Sometimes what) const { return counts_[static_cast<std::size_t>(what)]; }

 private:
  std::array<std::int64_t, sometimes_count> counts_{};
};

[[nodiscard]] std::string_view to_text(Sometimes what);

}  // namespace carillon::simulation
