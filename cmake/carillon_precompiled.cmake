# Half of the time that a unit takes to compile goes into the same few large headers, so they are compiled once.
option(CARILLON_PRECOMPILED "Compile the headers that most files include once for all" ${CARILLON_UNITY})

# Targets that are compiled without the definitions of Boost.JSON, which the precompiled header has been made with.
set(CARILLON_WITHOUT_JSON carillon_base carillon_files carillon_grpc_wire base_test files_test grpc_wire_test)
# Targets that are compiled with another level of optimisation: the compiler crashes over the header of the others.
set(CARILLON_OTHERWISE_OPTIMISED simulate)

# carillon_precompiled_header(LIBRARY HEADER OPTIONS LIBRARIES targets…): compiles HEADER for targets with these options.
function(carillon_precompiled_header library header options)
  cmake_parse_arguments(PARSE_ARGV 3 header "" "" "LIBRARIES")
  set(source ${CMAKE_BINARY_DIR}/${library}.cpp)
  if(NOT EXISTS ${source})
    file(WRITE ${source} "")
  endif()
  add_library(${library} OBJECT ${source})
  target_link_libraries(${library} PRIVATE ${header_LIBRARIES})
  target_compile_options(${library} PRIVATE ${options})
  target_precompile_headers(${library} PRIVATE ${header})

  # The compiler writes another file every time. ccache is told what the file stands for, so that a second clone finds
  # what has been compiled with its own one.
  set(digests "")
  foreach(file ${CMAKE_SOURCE_DIR}/cmake/precompiled.hpp ${header})
    file(SHA256 ${file} digest)
    string(APPEND digests "${digest}\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  foreach(version_header boost/version.hpp fmt/core.h)
    find_file(version_file ${version_header} NO_CACHE)
    file(SHA256 ${version_file} version)
    string(APPEND digests "${version}\n")
    unset(version_file)
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/CMakeFiles/${library}.dir/cmake_pch.hxx.gch.sum
    CONTENT "${digests}${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_BUILD_TYPE} ${CMAKE_CXX_FLAGS} ${CARILLON_SANITIZE} ${options}\n")
endfunction()

if(CARILLON_PRECOMPILED)
  carillon_precompiled_header(carillon_precompiled ${CMAKE_SOURCE_DIR}/cmake/precompiled.hpp "" LIBRARIES Boost::json fmt::fmt)
  if(CARILLON_TESTS OR NOT DEFINED CARILLON_TESTS)
    carillon_precompiled_header(carillon_precompiled_tests ${CMAKE_SOURCE_DIR}/cmake/precompiled_tests.hpp
      "${CARILLON_TEST_OPTIONS}" LIBRARIES Boost::json fmt::fmt GTest::gmock)
  endif()
endif()

# carillon_precompiled(TARGET HEADER): after the target has its libraries.
function(carillon_precompiled target header)
  if(CARILLON_PRECOMPILED AND NOT target IN_LIST CARILLON_WITHOUT_JSON AND NOT target IN_LIST CARILLON_OTHERWISE_OPTIMISED)
    target_precompile_headers(${target} REUSE_FROM ${header})
  endif()
endfunction()
