#include "run/script/job_functions.hpp"

namespace orch::script {

const std::string_view k_slurm_script_usage = R"BASH(#
# The steps of `orchestrate run` with an empty store as jobs of Slurm: a job for each task, and one for each server with
# its measurements. This script submits itself as each of them. A job starts when those that it needs have succeeded,
# and is cancelled when one of them fails. All files go into the folder OUT, which must be new, on a file system that
# all nodes share, as this script must be:
#
#   OUT=./by-hand bash {}
#
# It does not resume or retry. Whether a measurement is valid is recorded in its measurement.json. Requires bash 4.4,
# curl and GNU coreutils, findutils, sed and util-linux (setsid) on the nodes, and what the stages call: orchestrate
# itself and the scripts of the runner. On another cluster set ORCHESTRATE and RUNNER to them.
# shellcheck disable=SC2016,SC2034,SC2154  # '$' in a request may be literal, variables may serve jobs or the reader
set -euo pipefail

)BASH";

const std::string_view k_submit_usage = R"BASH(#
# The steps of `orchestrate run` with an empty store as jobs of Slurm: this script submits the files *.sub beside it. A
# job starts when those that it needs have succeeded, and is cancelled when one of them fails. All files go into the
# folder OUT, which must be new, on a file system that all nodes share, as this folder must be:
#
#   OUT=./by-hand bash submit.sh
#
# What Slurm and the jobs themselves say goes into the folder logs beside this script, and what their processes say
# into OUT/logs. NAME.sub has what a job requests and its steps, NAME.sh the command that it starts with srun. One job
# by itself: OUT=/shared/by-hand sbatch NAME.sub, in this folder.
# shellcheck disable=SC1091,SC2034,SC2154
)BASH";

const std::string_view k_functions_usage = R"BASH(#!/usr/bin/env bash
# What the jobs of this folder share: where files are, and functions. Requires bash 4.4, curl and GNU coreutils,
# findutils, sed and util-linux (setsid) on the nodes, and what the stages call: orchestrate itself and the scripts of
# the runner. On another cluster set ORCHESTRATE and RUNNER to them.
# shellcheck disable=SC2016,SC2034,SC2154  # variables serve the jobs
set -euo pipefail

)BASH";

const std::string_view k_job_functions = "\n"
#include <embedded/job_functions.sh.inc>
    ;

}  // namespace orch::script
