#!/bin/sh
# Builds everything and runs every test; the last line of the output is ctest's count.
set -eu
cd "$(dirname "$0")/.."
cmake --preset default -DORCH_TESTS=ON
cmake --build --preset default
exec ctest --preset default
