#pragma once

#include "service/caller.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace carillon {

/// Everything that can be asked of the application.
enum class OperationId : std::uint8_t {
  list_schedules,
  create_schedule,
  batch_delete_schedules,
  batch_schedules,
  preview_schedule,
  get_schedule,
  put_schedule,
  patch_schedule,
  delete_schedule,
  pause_schedule,
  resume_schedule,
  enable_schedule,
  disable_schedule,
  reset_schedule,
  trigger_schedule,
  cancel_schedule,
  list_next_runs,
  list_occurrences,
  explain_occurrence,
  list_revisions,
  get_revision,
  list_schedule_runs,
  preview_backfill,
  list_all_backfills,
  list_backfills,
  create_backfill,
  get_backfill,
  pause_backfill,
  resume_backfill,
  cancel_backfill,
  list_runs,
  get_run,
  cancel_run,
  retry_run,
  get_run_log,
  list_run_items,
  create_job,
  get_job,
  list_workers,
  open_worker,
  close_worker,
  claim_jobs,
  beat_worker,
  complete_job,
  fail_job,
  append_job_log,
  list_pipelines,
  validate_pipeline,
  list_upcoming,
  get_load,
  propose_spread,
  get_timeline,
  get_calendar,
  get_outcomes,
  list_queues,
  pause_queue,
  resume_queue,
  patch_queue,
  list_dead_letters,
  retry_dead_letter,
  discard_dead_letter,
  acquire_lock,
  extend_lock,
  release_lock,
  get_lock,
  list_tokens,
  create_token,
  revoke_token,
  create_session,
  get_session,
  close_session,
  create_session_link,
  list_audit,
  verify_audit,
  get_system,
  stream_events,
  get_index,
  get_livez,
  get_readyz,
  get_version,
  get_metrics,
  get_openapi,
};

/// One thing that can be asked of the application, whichever interface it is asked through. The table of operations is
/// the only place that says which scope an operation needs and how it is limited, repeated and tried.
struct Operation {
  OperationId id{};
  std::string_view name;  // in contracts/, in the audit log and in messages: `createSchedule`
  Scope scope = Scope::administer;
  bool is_write = false;           // changes something; only then may a request name itself by an idempotency key
  bool has_dry_run = false;        // can be asked what it would do
  bool has_secret = false;         // its answer holds a secret and is not kept to be repeated
  bool starts_run = false;         // counted against the starts of its caller
  bool has_preconditions = false;  // about one schedule, whose revision may be a condition
  bool finishes_work = false;      // ends or reports work that has begun: allowed while the server is stopping
};

/// All operations, in the order of their ids.
[[nodiscard]] std::span<const Operation> operations();

[[nodiscard]] const Operation& operation_of(OperationId id);

}  // namespace carillon
