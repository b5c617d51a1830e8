#!/bin/sh
# Compares our metrics and our client with the real genai-perf 0.0.8 and perf_analyzer 2.51.0 on a
# server of the runner triton-openvino. KEEP=FOLDER also records a small real export there;
# tests/bench/measure/data holds such exports.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build/default}
work=build/genai-perf

scripts/install-packages.sh run test genai-perf
cmake -S . -B "$build" -G Ninja -DORCH_TESTS=ON >/dev/null
cmake --build "$build" --target orchestrate orch_truth test_measure

client=$(scripts/genai-perf-client.sh)

"$client/bin/python3" tests/genai_perf/export_test.py "$build/src/orchestrate" \
  "$build/tests/orch_truth" "$work/export" || exported=1

"$build/src/orchestrate" run tests/genai_perf/matrix.yaml --store "$work/store" || {
  echo "test-genai-perf: the run that starts the server failed, see above" >&2
  echo "0 passed, 1 failed"
  exit 1
}

# The trap below ends the server with this script.
"$client/bin/python3" tests/genai_perf/run.py "$build/src/orchestrate" "$work/store" \
  "$build/tests/test_measure" "$work/run" ${KEEP:+"$KEEP"} &
runner=$!
trap 'kill -TERM "$runner" 2>/dev/null; wait "$runner"; exit 130' INT TERM HUP
wait "$runner"
exit "${exported:-0}"
