#!/bin/sh
# `lint.sh [FILE...]` runs clang-tidy with the checks of .clang-tidy, two processes at a time; by
# default over every source file of src/. Every finding is an error. All files take 14 minutes of
# CPU.
set -eu
cd "$(dirname "$0")/.."
scripts/install-packages.sh run lint
cmake --preset lint
cmake --build --preset lint # generated headers
# shellcheck disable=SC2046 # no name has a blank
[ "$#" -gt 0 ] || set -- $(find src -name '*.cpp' | sort)

# clang-tidy counts what it suppressed in system headers: those lines are not findings.
# shellcheck disable=SC2016 # the inner shell expands it
printf '%s\n' "$@" | xargs -P 2 -n 4 sh -c '
  found=$(clang-tidy-14 -p build/lint --quiet "$@" 2>&1 |
    grep -v "warnings\? .*generated\.$" || true)
  [ -z "$found" ] || { printf "%s\n" "$found"; exit 1; }' lint || {
  echo "lint: clang-tidy has findings" >&2
  exit 1
}
echo "lint: $# files, no findings"
