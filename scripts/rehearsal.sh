#!/bin/sh
# Executes every experiment in three ways on an eight-GPU host in a box, and every trait that makes a
# stage fail: tests/rehearsal/rehearse.py, whose options choose among them. `make test` runs a sample.
# It needs root for a mount namespace, no GPU and no network.
set -eu
cd "$(dirname "$0")/.."
cmake --preset default -DORCH_TESTS=ON
cmake --build --preset default --target orchestrate orch_fake_nvml
[ "$#" -gt 0 ] || set -- --sweep qwen2-deploy
exec /usr/bin/python3 tests/rehearsal/rehearse.py "$@"
