#!/bin/sh
# What the load generator costs and how near to the truth it is, beside a raw epoll client, wrk and perf_analyzer, against a server that
# knows when it sent each token. BENCH_ROUNDS (5) and BENCH_ROWS (all) may be set; rows: rate stream timed shapes open few start memory.
set -eu
cd "$(dirname "$0")/.."
scripts/install-packages.sh run test bench
cmake --preset default -DORCH_TESTS=ON
cmake --build --preset default --target orchestrate orch_truth orch_raw

client=$(scripts/genai-perf-client.sh)
exec /usr/bin/python3 tests/speed/side_by_side.py --build build/default --perf-analyzer "$PWD/$client" --rounds "${BENCH_ROUNDS:-5}" ${BENCH_ROWS:+--only "$BENCH_ROWS"}
