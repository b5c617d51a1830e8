#!/bin/sh
# Our arithmetic and our client against the real genai-perf 0.0.8 with perf_analyzer 2.51.0, on a server of the runner
# triton-openvino. KEEP=FOLDER also records a small real export there (tests/measure/data holds such ones).
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build/default}
work=build/genai-perf
lock=tests/genai_perf/requirements.lock

scripts/install-packages.sh run test genai-perf
cmake -S . -B "$build" -G Ninja -DORCH_TESTS=ON >/dev/null
cmake --build "$build" --target orchestrate orch_truth test_measure

# The clients' environment is named by what is in it: made once, complete or not there.
python=/usr/bin/python3
digest=$( (cat "$lock"; "$python" --version) | sha256sum | cut -c1-12)
client=$work/client-$digest
if [ ! -e "$client/complete" ]; then
  rm -rf "$work"/client-*
  mkdir -p "$work"
  "$python" -m venv "$client"
  "$client/bin/python3" -m pip install --no-deps --only-binary :all: --require-hashes --no-input --disable-pip-version-check --quiet \
    --requirement "$lock" || { echo "test-genai-perf: pip could not install $lock (its reason stands above); check the network or the mirror that pip is configured for" >&2; exit 1; }
  touch "$client/complete"
fi

"$client/bin/python3" tests/genai_perf/export_test.py "$build/src/orchestrate" "$build/tests/orch_truth" "$work/export" || exported=1

"$build/src/orchestrate" run tests/genai_perf/matrix.yaml --store "$work/store" || {
  echo "test-genai-perf: the sweep that makes the server failed, see above" >&2; echo "0 passed, 1 failed"; exit 1; }

# Whatever ends this script ends the server with it.
"$client/bin/python3" tests/genai_perf/run.py "$build/src/orchestrate" "$work/store" "$build/tests/test_measure" "$work/run" ${KEEP:+"$KEEP"} &
runner=$!
trap 'kill -TERM "$runner" 2>/dev/null; wait "$runner"; exit 130' INT TERM HUP
wait "$runner"
exit "${exported:-0}"
