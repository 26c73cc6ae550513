# Language, warnings, sanitizers, and where binaries go.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

# Paths are taken relative to the tree, so that a second clone and other build folders find what has been compiled before.
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=true
      CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=true ${CCACHE})
endif()

find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_compile_options(-Wall -Wextra -Wshadow -Wconversion)
# Not in the preset `release`: whoever only wants to run the program is not to be stopped by what another compiler thinks.
option(CARILLON_WERROR "Warnings are errors" ON)
if(CARILLON_WERROR)
  add_compile_options(-Werror)
endif()
# Assertions name files relative to the tree: a binary says nothing of where it was built.
add_compile_options(-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=)
# g++ 12 reports -Wrestrict on plain string concatenation when it inlines it.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-restrict)
endif()

# g++ collects its garbage from 128 MB on, which for units of this size takes a tenth of its time. Not in the build that
# people run: it is to get by with little memory.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  add_compile_options("SHELL:--param ggc-min-heapsize=1048576")
endif()

# What makes a fault in the program harder to use. All binaries: no function table that can be written to after the
# start, no stack that can be run. Release builds: checks of buffers and of the stack, addresses that differ at every
# start, and control flow that the processor guards where it can.
add_link_options(LINKER:-z,relro,-z,now,-z,noexecstack)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  include(CheckCXXCompilerFlag)
  # -Wno-unused-result: with _FORTIFY_SOURCE the C library wants every result looked at; ours are looked at in all
  # other builds.
  add_compile_options(-fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fPIE -Wno-unused-result)
  add_link_options(-pie)
  # All addresses are known before the program begins (-z now), so calls into libraries need no stub that looks them up.
  check_cxx_compiler_flag(-fno-plt CARILLON_HAS_NO_PLT)
  if(CARILLON_HAS_NO_PLT)
    add_compile_options(-fno-plt)
  endif()
  check_cxx_compiler_flag(-fcf-protection=full CARILLON_HAS_CF_PROTECTION)
  if(CARILLON_HAS_CF_PROTECTION)
    add_compile_options(-fcf-protection=full)
  endif()
  check_cxx_compiler_flag(-fstack-clash-protection CARILLON_HAS_STACK_CLASH_PROTECTION)
  if(CARILLON_HAS_STACK_CLASH_PROTECTION)
    add_compile_options(-fstack-clash-protection)
  endif()
endif()

set(CARILLON_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize: address,undefined or thread")
if(CARILLON_SANITIZE)
  add_compile_options(-fsanitize=${CARILLON_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CARILLON_SANITIZE})
  if(CARILLON_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)
  endif()
endif()

# g++ 12 believes, when it optimises well or adds sanitizers, that a variant which is moved may be unset. For the modules
# that hand transitions around.
set(CARILLON_VARIANT_MOVES $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)

# What runs once for each command that a person types, once at the start of a server or in the build alone, or waits for
# others most of the time, is compiled with light optimisation in a release too: that takes a third less time
# (docs/decisions/0025).
set(CARILLON_COLD $<$<CONFIG:Release>:-O1>)

# Most tests are over in an instant: what counts is how long they take to compile, and that is mostly the optimiser.
set(CARILLON_TEST_OPTIONS $<$<NOT:$<CONFIG:Release>>:-O0>)
