#include "run/script/shell_text.hpp"

#include <fmt/format.h>

namespace orch::script {

const std::string_view k_script_usage = R"BASH(#
# The steps of `orchestrate run` with an empty store, by hand: it makes every artifact, then starts, measures and stops
# one server after the other. All files go into the folder OUT, which must be new:
#
#   OUT=./by-hand bash {}
#
# It does not resume or retry: the first failure ends it. Whether a measurement is valid is recorded in its
# measurement.json. Requires bash 4.4, curl and GNU coreutils, findutils, sed and util-linux (setsid), and what the
# stages call: orchestrate itself and the scripts of the runner. On another machine set ORCHESTRATE and RUNNER to them.
# shellcheck disable=SC2016,SC2034  # '$' in a request may be literal, a variable may serve the reader only
set -euo pipefail

)BASH";

const std::string_view k_script_functions = "\n"
#include <embedded/functions.sh.inc>
    ;

std::string check_of_other_runner(const std::string& variable, const std::string& runner) {
  return fmt::format(
      R"BASH([[ -d ${0} ]] || fail "the folder ${0} of runner {1} is not here: set {0} to it"
[[ "${0}" != *[\"\\\&\|$'\n']* ]] || fail "a path contains one of \" \\ & | or a line end: use another folder")BASH",
      variable, runner);
}

}  // namespace orch::script
