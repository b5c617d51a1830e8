#!/bin/sh
# Builds everything and runs every test; ctest's own count is the last thing it prints.
set -eu
cd "$(dirname "$0")/.."
cmake --preset default -DORCH_TESTS=ON
cmake --build --preset default
exec ctest --preset default
