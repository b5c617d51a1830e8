#!/bin/sh
# `lint.sh [FILE...]` runs clang-tidy with the checks of .clang-tidy, two processes at a time. Without
# FILE it takes every source file of src/ (14 minutes of CPU), compiles each header by itself, and
# checks the scripts. Every finding is an error.
set -eu
cd "$(dirname "$0")/.."
scripts/install-packages.sh run lint
cmake --preset lint
cmake --build --preset lint # generated headers
if [ "$#" -eq 0 ]; then
  # shellcheck disable=SC2046 # no name has a blank
  set -- $(find src -name '*.cpp' | sort)
  scripts/check-style.sh shell
  scripts/check-style.sh pythons
  scripts/check-style.sh javascript
  find src -name '*.hpp' ! -name precompiled.hpp | sort | xargs -P 2 -n 1 \
    clang++-14 -std=c++20 -fsyntax-only -DFMT_SHARED -Wno-pragma-once-outside-header \
    -Isrc -isystem build/lint/src -x c++ || {
    echo "lint: a header does not compile by itself; it must include what it names" >&2
    exit 1
  }
fi

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
