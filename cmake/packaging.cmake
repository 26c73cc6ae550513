# The server as it is installed, and Debian's package of it (tools/package).
#
#   component server   what is good anywhere: the program, completions, manual page, examples
#   component service  what belongs to a machine: the systemd unit, its user, /etc/carillon. Its places do not depend on
#                      the prefix, so it is installed only when asked for by name.
set(CARILLON_DEBIAN_VERSION ${PROJECT_VERSION}-1)
set(packaging ${CMAKE_SOURCE_DIR}/packaging)
set(made ${CMAKE_BINARY_DIR}/packaging)
file(MAKE_DIRECTORY ${made})

# What the program says about itself. A target `man` makes a better manual page, where there is one.
set(carillon_run $<TARGET_FILE:carillon>)
foreach(shell bash zsh fish)
  add_custom_command(
    OUTPUT ${made}/completion.${shell}
    COMMAND ${carillon_run} completion ${shell} > ${made}/completion.${shell}
    DEPENDS carillon)
  list(APPEND made_files ${made}/completion.${shell})
endforeach()
if(TARGET man)
  set(manual_page ${CMAKE_BINARY_DIR}/man/carillon.1.gz)
else()
  set(manual_page ${made}/carillon.1.gz)
  add_custom_command(
    OUTPUT ${manual_page}
    COMMAND ${packaging}/man_page ${carillon_run} ${PROJECT_VERSION} > ${made}/carillon.1
    COMMAND gzip -9nf ${made}/carillon.1
    DEPENDS carillon ${packaging}/man_page)
  list(APPEND made_files ${manual_page})
endif()
# What the program is made of, for those who compare that with lists of vulnerabilities.
add_custom_command(
  OUTPUT ${made}/carillon.spdx.json
  COMMAND ${CMAKE_SOURCE_DIR}/tools/sbom ${carillon_run} --version ${PROJECT_VERSION} > ${made}/carillon.spdx.json
  DEPENDS carillon ${CMAKE_SOURCE_DIR}/tools/sbom ${CMAKE_SOURCE_DIR}/tools/packages)
add_custom_target(sbom DEPENDS ${made}/carillon.spdx.json)
list(APPEND made_files ${made}/carillon.spdx.json)
configure_file(${packaging}/debian/changelog.in ${made}/changelog.Debian @ONLY)
configure_file(${CMAKE_SOURCE_DIR}/CHANGELOG.md ${made}/changelog COPYONLY)
foreach(changelog changelog changelog.Debian)
  add_custom_command(
    OUTPUT ${made}/${changelog}.gz
    COMMAND gzip -9nc ${made}/${changelog} > ${made}/${changelog}.gz
    DEPENDS ${made}/${changelog})
  list(APPEND made_files ${made}/${changelog}.gz)
endforeach()

# tests/packages makes a package of what has been built.
set(in_all "")
if(CARILLON_TESTS AND NOT CARILLON_SANITIZE)
  set(in_all ALL)
endif()
add_custom_target(package_files ${in_all} DEPENDS ${made_files})
if(TARGET man)
  add_dependencies(package_files man)
endif()

set(share ${CMAKE_INSTALL_DATADIR})
install(TARGETS carillon RUNTIME COMPONENT server)
install(FILES ${made}/completion.bash DESTINATION ${share}/bash-completion/completions RENAME carillon
        COMPONENT server EXCLUDE_FROM_ALL)
install(FILES ${made}/completion.zsh DESTINATION ${share}/zsh/vendor-completions RENAME _carillon
        COMPONENT server EXCLUDE_FROM_ALL)
install(FILES ${made}/completion.fish DESTINATION ${share}/fish/vendor_completions.d RENAME carillon.fish
        COMPONENT server EXCLUDE_FROM_ALL)
install(FILES ${manual_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT server EXCLUDE_FROM_ALL)
install(FILES ${made}/carillon.spdx.json ${CMAKE_SOURCE_DIR}/SECURITY.md DESTINATION ${share}/doc/carillon
        COMPONENT server EXCLUDE_FROM_ALL)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples/schedules DESTINATION ${share}/doc/carillon/examples
        COMPONENT server EXCLUDE_FROM_ALL)

set(system_folder /usr/lib)
install(FILES ${packaging}/carillon.service DESTINATION ${system_folder}/systemd/system
        COMPONENT service EXCLUDE_FROM_ALL)
install(FILES ${packaging}/carillon.sysusers DESTINATION ${system_folder}/sysusers.d RENAME carillon.conf
        COMPONENT service EXCLUDE_FROM_ALL)
install(FILES ${packaging}/carillon.tmpfiles DESTINATION ${system_folder}/tmpfiles.d RENAME carillon.conf
        COMPONENT service EXCLUDE_FROM_ALL)
install(DIRECTORY ${packaging}/drop_ins/ DESTINATION /usr/share/doc/carillon/examples
        COMPONENT service EXCLUDE_FROM_ALL)
install(FILES ${packaging}/debian/copyright ${made}/changelog.Debian.gz ${made}/changelog.gz
        DESTINATION /usr/share/doc/carillon COMPONENT service EXCLUDE_FROM_ALL)
install(FILES ${packaging}/debian/lintian_overrides DESTINATION /usr/share/lintian/overrides RENAME carillon
        COMPONENT service EXCLUDE_FROM_ALL)
# It may hold secrets, and is read by systemd alone.
install(FILES ${packaging}/carillon.conf DESTINATION /etc/carillon PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ
        COMPONENT service EXCLUDE_FROM_ALL)
install(DIRECTORY DESTINATION /etc/carillon/schedules COMPONENT service EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_NAME carillon)
set(CPACK_PACKAGE_VENDOR carillon)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "durable scheduler for commands and HTTP requests")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"carillon starts commands and HTTP requests when they are due: by cron
expressions, intervals and calendars, in any time zone and through clock
changes. Every due time is started once, or skipped for a reason that is
written down; retries, overlap and catching up after downtime are rules of
each schedule. It keeps its state in one folder, goes on after a crash where
it was, and is spoken to over a REST API.")
set(CPACK_COMPONENTS_ALL server service)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
# Without it files whose place does not depend on the prefix would be installed on the machine that makes the package.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "carillon developers <carillon@localhost>")
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# Of libraries CPack asks dpkg-shlibdeps. useradd is for machines without systemd-sysusers.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "tzdata, passwd")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "systemd, ca-certificates")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    ${packaging}/debian/conffiles ${packaging}/debian/postinst ${packaging}/debian/prerm ${packaging}/debian/postrm)
include(CPack)
