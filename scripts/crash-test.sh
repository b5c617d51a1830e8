#!/bin/sh
# Runs all crash tests: every kill point at every hit, a thousand kills at random moments and
# hundreds of double starts. `make test` runs a sample of them. It needs no GPU and no network, and
# takes at most 60 minutes. ORCH_CRASH_FOLDER may name a folder on a faster disk than that of /tmp.
set -eu
cd "$(dirname "$0")/.."
cmake --preset default -DORCH_TESTS=ON
cmake --build --preset default --target test_crash
ORCH_CRASH=full exec ctest --preset default --tests-regex '^crash: '
