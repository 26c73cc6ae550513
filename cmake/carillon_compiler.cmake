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
    ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=true ${CCACHE})
endif()

find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Werror)
# g++ 12 reports -Wrestrict on plain string concatenation when it inlines it.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-restrict)
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
