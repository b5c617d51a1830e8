#!/bin/sh
# `fuzz.sh [RUNS]` fuzzes the readers of matrices, manifests, templates, events, server responses and
# result files under the sanitizers, with RUNS inputs each (default: a million).
# Inputs that reach new code stay in build/fuzz/corpus; a failing input is left as
# build/fuzz/crash-*.
set -eu
cd "$(dirname "$0")/.."
runs=${1:-1000000}
scripts/install-packages.sh run fuzz
cmake --preset fuzz
cmake --build --preset fuzz

fuzz() { # NAME SEEDS...
  name=$1
  shift
  found=build/fuzz/corpus/$name
  mkdir -p "$found"
  find "$@" \( -name '*.yaml' -o -name '*.pbtxt' -o -name '*.txt' -o -name '*.bytes' \) \
    -exec sh -c 'cp "$1" "$0/seed-$(echo "$1" | tr / -)"' "$found" {} \;
  echo "== $name: $runs runs" >&2
  # Under the sanitizers an input may take at most five seconds and two gigabytes.
  build/fuzz/tests/fuzz/fuzz_"$name" -runs="$runs" -max_len=4096 -timeout=5 -rss_limit_mb=2048 \
    -dict=tests/fuzz/"$name".dict -artifact_prefix=build/fuzz/ -print_final_stats=1 \
    "$found" >build/fuzz/"$name".log 2>&1 || {
    tail -40 build/fuzz/"$name".log >&2
    echo "fuzz_$name failed on an input: see build/fuzz/crash-* and build/fuzz/$name.log" >&2
    exit 1
  }
  grep -E 'stat::(number_of_executed_units|average_exec_per_sec|peak_rss_mb)' build/fuzz/"$name".log
}

fuzz matrix experiments tests/golden tests/fuzz/corpus/matrix
fuzz manifest runners tests/golden tests/fuzz/corpus/manifest
fuzz template templates tests/fuzz/corpus/template
fuzz events tests/fuzz/corpus/events
fuzz tensors tests/fuzz/corpus/tensors
fuzz http tests/fuzz/corpus/http
fuzz grpc tests/fuzz/corpus/grpc
fuzz results tests/fuzz/corpus/results
echo "8 passed, 0 failed"
