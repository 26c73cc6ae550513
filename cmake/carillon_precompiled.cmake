# Half of the time that a unit takes to compile goes into the same few large headers, so they are compiled once.
option(CARILLON_PRECOMPILED "Compile the headers that most files include once for all" ${CARILLON_UNITY})

# Targets that are compiled without the definitions of Boost.JSON, which the precompiled header has been made with.
set(CARILLON_WITHOUT_JSON carillon_base carillon_files carillon_grpc_wire base_test files_test grpc_wire_test)
# Targets that are compiled with another level of optimisation: the compiler crashes over the header of the others.
set(CARILLON_OTHERWISE_OPTIMISED simulate)

if(CARILLON_PRECOMPILED)
  set(header ${CMAKE_SOURCE_DIR}/cmake/precompiled.hpp)
  set(source ${CMAKE_BINARY_DIR}/precompiled.cpp)
  if(NOT EXISTS ${source})
    file(WRITE ${source} "")
  endif()
  add_library(carillon_precompiled OBJECT ${source})
  target_link_libraries(carillon_precompiled PRIVATE Boost::json fmt::fmt)
  target_precompile_headers(carillon_precompiled PRIVATE ${header})

  # The compiler writes another file every time. ccache is told what the file stands for, so that a second clone finds
  # what has been compiled with its own one.
  file(SHA256 ${header} digest)
  set(versions "")
  foreach(library boost/version.hpp fmt/core.h)
    find_file(version_file ${library} NO_CACHE)
    file(SHA256 ${version_file} version)
    string(APPEND versions "${version}\n")
    unset(version_file)
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/CMakeFiles/carillon_precompiled.dir/cmake_pch.hxx.gch.sum
    CONTENT "${digest}\n${versions}${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_BUILD_TYPE} ${CMAKE_CXX_FLAGS} ${CARILLON_SANITIZE}\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
endif()

# carillon_precompiled(TARGET): after the target has its libraries.
function(carillon_precompiled target)
  if(CARILLON_PRECOMPILED AND NOT target IN_LIST CARILLON_WITHOUT_JSON AND NOT target IN_LIST CARILLON_OTHERWISE_OPTIMISED)
    target_precompile_headers(${target} REUSE_FROM carillon_precompiled)
  endif()
endfunction()
