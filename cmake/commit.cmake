# cmake -D SOURCE=DIR -D OUT=FILE.cpp -P commit.cmake: writes a source file that names the commit of
# DIR and its date. An unchanged file is not touched, so that nothing is compiled again.
set(commit "unknown")
file(TIMESTAMP ${SOURCE}/CHANGELOG.md date "%Y-%m-%d" UTC)
# An unpacked archive may lie in a repository that is not its own.
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(
    COMMAND ${GIT} describe --always --dirty --tags --abbrev=12
    WORKING_DIRECTORY ${SOURCE}
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
    RESULT_VARIABLE failed)
  execute_process(
    COMMAND ${GIT} log -1 --format=%cs
    WORKING_DIRECTORY ${SOURCE}
    OUTPUT_VARIABLE committed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    set(commit ${described})
    set(date ${committed})
  endif()
endif()

set(text
    "// Written by cmake/commit.cmake.
#include \"app/cli/help.hpp\"

namespace orch::cli {

std::string_view built_commit() { return \"${commit}\"; }
std::string_view built_date() { return \"${date}\"; }

}  // namespace orch::cli
")
set(before "")
if(EXISTS ${OUT})
  file(READ ${OUT} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${OUT} "${text}")
endif()
