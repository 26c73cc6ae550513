# carillon_module(NAME USES modules… SOURCES files… LIBRARIES targets… TESTS files…)
#
# One folder, one library. USES is the architecture: the modules whose headers this one may include,
# compared with the #include lines by tools/check_layers. LIBRARIES are third-party targets.
function(carillon_module name)
  cmake_parse_arguments(PARSE_ARGV 1 module "" "" "USES;SOURCES;LIBRARIES;TESTS")
  list(TRANSFORM module_USES PREPEND carillon_ OUTPUT_VARIABLE uses)

  if(module_SOURCES)
    add_library(carillon_${name} STATIC ${module_SOURCES})
    target_include_directories(carillon_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(carillon_${name} PUBLIC ${uses} ${module_LIBRARIES})
    carillon_unity(carillon_${name})
  else()
    add_library(carillon_${name} INTERFACE)
    target_include_directories(carillon_${name} INTERFACE ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(carillon_${name} INTERFACE ${uses} ${module_LIBRARIES})
  endif()

  if(module_TESTS AND CARILLON_TESTS)
    carillon_test(${name}_test SOURCES ${module_TESTS} USES ${name})
  endif()
endfunction()

# carillon_test(NAME [OPTIMISED] [COST seconds] SOURCES files… USES modules… LIBRARIES targets…): a GoogleTest program whose
# tests ctest knows one by one. OPTIMISED: it goes through so many cases that its own code counts. COST: of its longest
# test; what takes long begins first, so that nobody waits for it alone at the end.
function(carillon_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "OPTIMISED" "COST" "SOURCES;USES;LIBRARIES")
  if(NOT test_COST)
    set(test_COST 0)
  endif()
  list(TRANSFORM test_USES PREPEND carillon_ OUTPUT_VARIABLE uses)
  add_executable(${name} ${test_SOURCES})
  target_link_libraries(${name} PRIVATE ${uses} ${test_LIBRARIES} GTest::gmock GTest::gtest_main rapidcheck)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  if(test_OPTIMISED)
    carillon_unity(${name})
  else()
    target_compile_options(${name} PRIVATE ${CARILLON_TEST_OPTIONS})
    carillon_unity(${name} carillon_precompiled_tests)
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600 COST ${test_COST})
endfunction()
