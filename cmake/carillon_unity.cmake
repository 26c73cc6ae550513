# Most of the time of a compiler goes into headers that every file includes again, so the files of a target are compiled
# in a few units: a third of the work (docs/decisions/0025). The preset `clang` compiles each file alone, which shows a
# missing include.
option(CARILLON_UNITY "Compile several files of a target as one" ON)

# How many files are one unit: more would leave cores idle at the end of a build, and make small changes dear. Whoever
# changes files all day builds with fewer.
set(CARILLON_UNIT_SIZE 30 CACHE STRING "How many files are compiled as one")

# Files with a file-local name that another file of their target has too. They are compiled in units of their own, apart
# from the others: those of the first list together, those of the second, and each of the third by itself. Rather than
# adding to these lists, give the name a second word.
set(CARILLON_APART_1
  src/api/http/http_server_stream_test.cpp
  src/base/loop_monitor_test.cpp
  src/calendar/budget_test.cpp
  src/calendar/interval_source.cpp
  src/calendar/lint/lint_clock_changes.cpp
  src/calendar/lint/lint_days.cpp
  src/calendar/lint/lint_test.cpp
  src/calendar/wall_rule.cpp
  src/calendar/zone_advice.cpp
  src/cli/commands/schedule_state_commands_test.cpp
  src/cli/watch/watch_test.cpp
  src/definitions/lint_action_test.cpp
  src/definitions/schedule_problems_test.cpp
  src/definitions/secret_references_test.cpp
  src/document/yaml_test.cpp
  src/engine/run_test.cpp
  src/executors/http/http_executor_egress_test.cpp
  src/executors/http/http_request_test.cpp
  src/executors/process/lease_test.cpp
  src/executors/secrets/resolving_executor_test.cpp
  src/library/handler_executor.cpp
  src/library/scheduler_runs_test.cpp
  src/main/service_manager_test.cpp
  src/stores/logs/log_text_test.cpp
  src/stores/sqlite/refusals_test.cpp
  src/stores/sqlite/write_queue_test.cpp
  tests/api/events_test.cpp
  tests/api/repeating_test.cpp
  tests/conformance/audit_test.cpp
  tests/conformance/creating_test.cpp
  tests/conformance/model_comparison.cpp
  tests/conformance/query_comparison.cpp
  tests/conformance/sessions_test.cpp
  tests/conformance/sqlite_plug_in.cpp
  tests/oracle/source.cpp
  tests/runtime/worker_test.cpp
  tests/schedule_machine/deleting_test.cpp
  tests/schedule_machine/limits_test.cpp
  tests/schedule_machine/temporal_rows_test.cpp
  tests/schedule_machine/triggering_test.cpp
  tests/service/schedules_test.cpp
  tests/simulation/bugs/deciding_bugs.cpp
  tests/simulation/invariants/completeness.cpp
  tests/simulation/invariants/reasons.cpp
  tests/simulation/simulation.cpp
)
set(CARILLON_APART_2
  src/calendar/timetable_test.cpp
  src/calendar/zone.cpp
  src/definitions/short_form_test.cpp
  src/executors/http/http_executor_limits_test.cpp
  src/executors/process/surroundings_test.cpp
  src/stores/logs/tail_ring_test.cpp
  src/stores/sqlite/schema_test.cpp
  tests/api/limits_test.cpp
  tests/conformance/run_comparison.cpp
  tests/schedule_machine/editing_test.cpp
  tests/simulation/bugs/running_bugs.cpp
)
set(CARILLON_ALONE
  src/calendar/zone_names_test.cpp
  src/executors/http/http_executor_test.cpp
  src/executors/http/http_executor_tls_test.cpp
  tests/api/security_test.cpp
  tests/schedule_machine/pausing_test.cpp
  tests/simulation/invariants/backfills.cpp
)

# carillon_unity(TARGET [PRECOMPILED]): after the target has its sources, in the folder that made it.
function(carillon_unity target)
  set(header carillon_precompiled ${ARGN})
  list(GET header -1 header)
  carillon_precompiled(${target} ${header})
  if(NOT CARILLON_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # Names of one file may hide those of another there.
  target_compile_options(${target} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  get_target_property(sources ${target} SOURCES)
  foreach(kind together apart_1 apart_2)
    set(count_${kind} 0)
  endforeach()
  foreach(source ${sources})
    get_filename_component(path ${source} ABSOLUTE)
    file(RELATIVE_PATH file ${CMAKE_SOURCE_DIR} ${path})
    if(file IN_LIST CARILLON_ALONE)
      continue()
    elseif(file IN_LIST CARILLON_APART_2)
      set(kind apart_2)
    elseif(file IN_LIST CARILLON_APART_1)
      set(kind apart_1)
    else()
      set(kind together)
    endif()
    math(EXPR unit "${count_${kind}} / ${CARILLON_UNIT_SIZE}")
    math(EXPR count_${kind} "${count_${kind}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${kind}_${unit})
  endforeach()
endfunction()
