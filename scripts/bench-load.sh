#!/bin/sh
# Measures the cost and the accuracy of the load generator beside a raw epoll client, wrk and
# perf_analyzer, against a server that records when it sent each token.
# BENCH_ROUNDS (default 5) sets the rounds. BENCH_ROWS selects rows (default: all of them):
# rate stream timed shapes open few start memory.
# BENCH_AIPERF=1 adds aiperf to the rows rate, timed and open. It installs 1.2 GB, and each of its
# runs takes 10 s or more.
set -eu
cd "$(dirname "$0")/.."
scripts/install-packages.sh run test bench
cmake --preset default -DORCH_TESTS=ON
cmake --build --preset default --target orchestrate orch_truth orch_raw

client=$(scripts/genai-perf-client.sh)
set -- --build build/default --perf-analyzer "$PWD/$client"
if [ "${BENCH_AIPERF:-0}" = 1 ]; then
  aiperf=$(scripts/aiperf-client.sh)
  set -- "$@" --aiperf "$PWD/$aiperf"
fi
exec /usr/bin/python3 tests/speed/side_by_side.py "$@" --rounds "${BENCH_ROUNDS:-5}" \
  ${BENCH_ROWS:+--only "$BENCH_ROWS"}
