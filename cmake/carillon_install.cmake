# libcarillon as other programs use it: one archive, the public headers, and a CMake package.
#
#   find_package(carillon REQUIRED)
#   target_link_libraries(program PRIVATE carillon::carillon)
#
# cmake --install BUILD --component library installs nothing but that.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(objects "")
foreach(module base files document calendar calendar_description calendar_lint definitions engine scheduling pipeline
               service runtime zones stores_logs stores_memory stored_rows stores_sqlite executors_process executors_pipeline
               data_folder packages library)
  list(APPEND objects $<TARGET_OBJECTS:carillon_${module}>)
endforeach()

add_library(carillon_archive STATIC ${objects})
add_library(carillon::carillon ALIAS carillon_archive)
set_target_properties(carillon_archive PROPERTIES
  EXPORT_NAME carillon
  LINKER_LANGUAGE CXX
  OUTPUT_NAME carillon)
target_compile_features(carillon_archive INTERFACE cxx_std_23)
target_include_directories(carillon_archive INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src/library/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# What carillonConfig.cmake.in finds again.
target_link_libraries(carillon_archive PRIVATE
  Threads::Threads fmt::fmt Boost::json yaml-cpp absl::time SQLite::SQLite3 CURL::libcurl OpenSSL::Crypto
  $<BUILD_INTERFACE:pcre2> $<INSTALL_INTERFACE:carillon::pcre2>
  $<BUILD_INTERFACE:farmhash> $<INSTALL_INTERFACE:carillon::farmhash>)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/carillon)
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/carillonConfig.cmake.in ${CMAKE_BINARY_DIR}/carillonConfig.cmake
  INSTALL_DESTINATION ${package_folder})
# Until 1.0 a new minor version may change the headers.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/carillonConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS carillon_archive EXPORT carillonTargets ARCHIVE COMPONENT library)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/src/library/include/ TYPE INCLUDE COMPONENT library)
install(EXPORT carillonTargets NAMESPACE carillon:: DESTINATION ${package_folder} COMPONENT library)
install(FILES ${CMAKE_BINARY_DIR}/carillonConfig.cmake ${CMAKE_BINARY_DIR}/carillonConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT library)
