#!/bin/sh
# Runs other people's load generators as measure stages on one server of the runner triton-openvino,
# kills and resumes that run, imports what they wrote, and imports 5,221 measurements of real GPUs.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build/default}
work=build/tools

scripts/install-packages.sh run test genai-perf
cmake -S . -B "$build" -G Ninja -DORCH_TESTS=ON >/dev/null
cmake --build "$build" --target orchestrate

mkdir -p "$work"
python3 tests/tools/silicon_test.py "$build/src/orchestrate"
exec python3 tests/tools/tools_test.py "$build/src/orchestrate" experiments/tools.yaml "$work"
