# What `cmake --install` copies, and the Debian package that CPack makes of it. The program finds
# share/orchestrate beside its own folder, so a prefix may be moved.
install(TARGETS orchestrate RUNTIME DESTINATION bin)

set(data share/orchestrate)
install(
  DIRECTORY runners templates experiments
  DESTINATION ${data}
  PATTERN "__pycache__" EXCLUDE
  PATTERN "*.pyc" EXCLUDE)
install(DIRECTORY tests/data DESTINATION ${data}/tests)  # the machines that experiments name

set(doc share/doc/orchestrate)
install(FILES README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md RELEASING.md LICENSE
        DESTINATION ${doc})
install(DIRECTORY docs DESTINATION ${doc})
foreach(district core os bench spec plan run results analysis app)
  install(FILES src/${district}/README.md DESTINATION ${doc}/src/${district})
endforeach()
# The documents link to these folders beside themselves.
foreach(folder runners templates experiments)
  file(CREATE_LINK ../../orchestrate/${folder} ${ORCH_PAGES}/${folder} SYMBOLIC)
  install(FILES ${ORCH_PAGES}/${folder} DESTINATION ${doc})
endforeach()

# Written by the program itself when it was linked: see src/CMakeLists.txt.
install(FILES ${ORCH_PAGES}/orchestrate.1 DESTINATION share/man/man1)
install(
  FILES ${ORCH_PAGES}/orchestrate.bash
  DESTINATION share/bash-completion/completions
  RENAME orchestrate)
install(
  FILES ${ORCH_PAGES}/orchestrate.zsh
  DESTINATION share/zsh/site-functions
  RENAME _orchestrate)
install(FILES ${ORCH_PAGES}/orchestrate.fish DESTINATION share/fish/vendor_completions.d)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME orchestrate)
set(CPACK_PACKAGE_VENDOR orchestrate)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/debian.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The maintainers of orchestrate <root@localhost>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "deployment orchestrator and experiment runner for LLM serving
Reads a matrix of serving configurations, plans the stages that they need,
builds, serves and measures them, and stores every measurement in an SQLite
database. A run that was interrupted continues where it stopped. The load
generator `orchestrate bench` works by itself, too.")

# The libraries that the program is linked with follow from it; the runners' scripts need Python.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3, python3-venv")
# The server of the runner triton-openvino is linked with libb64, its Python backend with libpython,
# that of llama-cpp with libgomp.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libb64-0d, libgomp1, ca-certificates")
execute_process(
  COMMAND /usr/bin/python3 -c "import sys; print('libpython%d.%d' % sys.version_info[:2])"
  OUTPUT_VARIABLE libpython OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
  RESULT_VARIABLE failed)
if(NOT failed)
  string(APPEND CPACK_DEBIAN_PACKAGE_RECOMMENDS ", ${libpython}")
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "sqlite3")
include(CPack)
