# Most of the time of a compiler goes into headers that every file includes again, so several files of a target are
# compiled as one unit: a third of the work. The preset `clang` compiles each file alone, which shows a missing include.
option(CARILLON_UNITY "Compile several files of a target as one" ON)

# Files with a file-local name that a neighbour has too.
set(CARILLON_ALONE
  src/api/http/http_server_stream_test.cpp
  src/api/rest/schedule_routes.cpp
  src/base/loop_monitor.cpp
  src/base/loop_monitor_test.cpp
  src/base/secret_mask.cpp
  src/base/utf8.cpp
  src/calendar/budget_test.cpp
  src/calendar/interval_source.cpp
  src/calendar/lint/lint_clock_changes.cpp
  src/calendar/lint/lint_days.cpp
  src/calendar/lint/lint_test.cpp
  src/calendar/timetable_test.cpp
  src/calendar/zone.cpp
  src/calendar/zone_names_test.cpp
  src/cli/command_line/argument_values.cpp
  src/cli/commands/backfill_commands.cpp
  src/cli/commands/config_command.cpp
  src/cli/commands/describe_command.cpp
  src/cli/commands/doctor_command.cpp
  src/cli/commands/import_crontab_command.cpp
  src/cli/user_definitions/loaded_spec.cpp
  src/cli/commands/next_command.cpp
  src/cli/commands/occurrences.cpp
  src/cli/commands/run_list_command.cpp
  src/cli/commands/schedule_state_commands_test.cpp
  src/cli/commands/serve_command.cpp
  src/cli/commands/system_command.cpp
  src/cli/commands/token_commands.cpp
  src/cli/commands/trigger_command.cpp
  src/cli/commands/upcoming_command.cpp
  src/cli/command_line/verbs.cpp
  src/document/to_yaml.cpp
  src/document/yaml.cpp
  src/document/yaml_builder.cpp
  src/document/yaml_scalar.cpp
  src/document/yaml_test.cpp
  src/library/handler_executor.cpp
  src/server/server.cpp
  src/definitions/action_checks.cpp
  src/engine/generating.cpp
  src/definitions/lint_action.cpp
  src/definitions/lint_action_test.cpp
  src/engine/run_test.cpp
  src/definitions/schedule_problems_test.cpp
  src/definitions/secret_references.cpp
  src/definitions/secret_references_test.cpp
  src/definitions/short_form_test.cpp
  src/executors/http/http_executor_test.cpp
  src/executors/http/http_executor_tls_test.cpp
  src/executors/http/http_request_test.cpp
  src/executors/process/detached_launches.cpp
  src/executors/process/launcher_lock.cpp
  src/executors/process/make_program.cpp
  src/executors/process/resource_limits.cpp
  src/executors/process/spawn.cpp
  src/executors/secrets/resolving_executor_test.cpp
  src/executors/secrets/secret_directory.cpp
  src/executors/secrets/secret_source.cpp
  src/main/service_manager_test.cpp
  src/runtime/sweeper.cpp
  src/scheduling/scheduling.cpp
  src/service/run_ids.cpp
  src/service/schedules.cpp
  src/service/system.cpp
  src/stores/logs/file_log_store.cpp
  src/stores/logs/log_text_test.cpp
  src/stores/logs/tail_ring_test.cpp
  tests/api/events_test.cpp
  tests/api/limits_test.cpp
  tests/api/repeating_test.cpp
  tests/api/security_test.cpp
  tests/conformance/query_comparison.cpp
  tests/conformance/model_comparison.cpp
  tests/conformance/run_comparison.cpp
  tests/conformance/sqlite_plug_in.cpp
  tests/schedule_machine/deleting_test.cpp
  tests/schedule_machine/editing_test.cpp
  tests/schedule_machine/limits_test.cpp
  tests/schedule_machine/pausing_test.cpp
  tests/schedule_machine/temporal_rows_test.cpp
  tests/schedule_machine/triggering_test.cpp
)

# carillon_unity(TARGET): after the target has its sources, in the folder that made it.
function(carillon_unity target)
  if(NOT CARILLON_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
  # Names of one file may hide those of another there.
  target_compile_options(${target} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  foreach(file ${CARILLON_ALONE})
    set_source_files_properties(${CMAKE_SOURCE_DIR}/${file} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endfunction()
