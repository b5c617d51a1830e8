#!/bin/sh
# Every kill point at every hit, a thousand kills at random moments, hundreds of double starts: what `make test` takes a
# sample of. Needs no GPU and no network; 60 minutes at most. ORCH_CRASH_FOLDER names a folder on a faster disk than /tmp's.
set -eu
cd "$(dirname "$0")/.."
cmake --preset default -DORCH_TESTS=ON
cmake --build --preset default --target test_crash
ORCH_CRASH=full exec ctest --preset default --tests-regex '^crash: '
