# Third-party libraries, all from Debian's packages.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(yaml-cpp REQUIRED)
find_package(absl REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(PostgreSQL REQUIRED)
find_package(CURL REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(Protobuf REQUIRED)
find_package(ZLIB REQUIRED)

# Debian ships nghttp2 without a CMake package.
find_path(NGHTTP2_INCLUDE nghttp2/nghttp2.h REQUIRED)
find_library(NGHTTP2_LIBRARY nghttp2 REQUIRED)
add_library(nghttp2 INTERFACE)
target_include_directories(nghttp2 SYSTEM INTERFACE ${NGHTTP2_INCLUDE})
target_link_libraries(nghttp2 INTERFACE ${NGHTTP2_LIBRARY})

# Debian ships PCRE2 without a CMake package.
find_path(PCRE2_INCLUDE pcre2.h REQUIRED)
find_library(PCRE2_LIBRARY pcre2-8 REQUIRED)
add_library(pcre2 INTERFACE)
target_include_directories(pcre2 SYSTEM INTERFACE ${PCRE2_INCLUDE})
target_link_libraries(pcre2 INTERFACE ${PCRE2_LIBRARY})

# Debian ships FarmHash without a CMake package.
find_path(FARMHASH_INCLUDE farmhash.h REQUIRED)
find_library(FARMHASH_LIBRARY farmhash REQUIRED)
add_library(farmhash INTERFACE)
target_include_directories(farmhash SYSTEM INTERFACE ${FARMHASH_INCLUDE})
target_link_libraries(farmhash INTERFACE ${FARMHASH_LIBRARY})

if(CARILLON_TESTS OR NOT DEFINED CARILLON_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  include(GoogleTest)
endif()
