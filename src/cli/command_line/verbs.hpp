#pragma once

#include "cli/command_line/arguments.hpp"

namespace carillon::cli {

// Each is defined beside the function that performs it.

// Time: no server is needed.
extern const Verb next_verb;
extern const Verb describe_verb;
extern const Verb lint_verb;
extern const Verb zones_verb;

// Schedules of a server.
extern const Verb list_verb;
extern const Verb status_verb;
extern const Verb history_verb;
extern const Verb why_verb;
extern const Verb explain_verb;
extern const Verb upcoming_verb;
extern const Verb load_verb;
extern const Verb trigger_verb;
extern const Verb pause_verb;
extern const Verb resume_verb;
extern const Verb cancel_verb;
extern const Verb enable_verb;
extern const Verb disable_verb;
extern const Verb reset_verb;
extern const Verb delete_verb;
extern const Verb add_verb;
extern const Verb edit_verb;
extern const Verb apply_verb;
extern const Verb diff_verb;
extern const Verb export_verb;
extern const Verb import_crontab_verb;
extern const Verb import_crontab_short_verb;
extern const Verb backfill_create_verb;
extern const Verb backfill_list_verb;
extern const Verb backfill_show_verb;
extern const Verb backfill_pause_verb;
extern const Verb backfill_resume_verb;
extern const Verb backfill_cancel_verb;

// Runs.
extern const Verb failures_verb;
extern const Verb run_list_verb;
extern const Verb run_show_verb;
extern const Verb run_logs_verb;
extern const Verb run_retry_verb;
extern const Verb run_cancel_verb;
extern const Verb run_wait_verb;
extern const Verb pipeline_items_verb;
extern const Verb logs_verb;
extern const Verb queue_list_verb;
extern const Verb queue_pause_verb;
extern const Verb queue_resume_verb;
extern const Verb queue_drain_verb;
extern const Verb queue_limit_verb;
extern const Verb queue_dead_verb;
extern const Verb watch_verb;
extern const Verb top_verb;

// Pipeline packages: no server is needed.
extern const Verb pipeline_validate_verb;
extern const Verb pipeline_run_verb;

// The server.
extern const Verb serve_verb;
extern const Verb worker_verb;
extern const Verb start_verb;
extern const Verb stop_verb;
extern const Verb ledger_verb;
extern const Verb store_copy_verb;
extern const Verb store_migrate_verb;
extern const Verb system_verb;
extern const Verb events_verb;
extern const Verb token_create_verb;
extern const Verb token_list_verb;
extern const Verb token_revoke_verb;
extern const Verb audit_verb;
extern const Verb audit_verify_verb;

// The command line itself.
extern const Verb init_verb;
extern const Verb doctor_verb;
extern const Verb open_verb;
extern const Verb config_show_verb;
extern const Verb config_get_verb;
extern const Verb config_set_verb;
extern const Verb config_unset_verb;
extern const Verb config_path_verb;
extern const Verb context_list_verb;
extern const Verb context_show_verb;
extern const Verb context_use_verb;
extern const Verb context_add_verb;
extern const Verb context_remove_verb;
extern const Verb version_verb;
extern const Verb completion_verb;
extern const Verb help_verb;

}  // namespace carillon::cli
