#!/bin/sh
# Runs the unit tests and the tests on fakes under the address, undefined-behaviour and thread
# sanitizers. Tests labelled `real` (a real server, a real engine) run without sanitizers only.
set -eu
cd "$(dirname "$0")/.."
scripts/install-packages.sh run test
for preset in asan tsan; do
  cmake --preset "$preset"
  cmake --build --preset "$preset"
  ctest --preset "$preset"
done
