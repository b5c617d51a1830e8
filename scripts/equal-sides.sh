#!/bin/sh
# Measures 36 sessions of one real server (9 minutes on 2 cores) and compares random sessions of
# them with each other, 2,000 times for each metric and number of sessions: every claimed difference
# is a false alarm. Fails outside of 3 to 7 %, or above 8 % with a lent spread.
set -eu
cd "$(dirname "$0")/.."
scripts/install-packages.sh run test
cmake --preset default -DORCH_TESTS=ON
cmake --build --preset default --target orchestrate test_statistics_simulation

program=build/default/src/orchestrate
"$program" run experiments/equal-sides.yaml
"$program" query --format csv "
  SELECT r.session, r.point, x.name AS metric, x.value
  FROM results_all r JOIN (
    SELECT measurement_id, name, mean AS value FROM metric
    UNION ALL SELECT measurement_id, name || '_p90', p90 FROM metric
    UNION ALL SELECT measurement_id, name || '_p99', p99 FROM metric
  ) x ON x.measurement_id = r.measurement
  WHERE r.experiment = 'equal-sides' AND r.valid AND x.name IN ('output_tps', 'itl_ms', 'ttft_ms',
    'ttft_ms_p90', 'ttft_ms_p99', 'request_latency_ms', 'request_latency_ms_p90',
    'request_latency_ms_p99')
  ORDER BY r.session, r.point, metric" > build/equal-sides.csv
ORCH_SWEEPS=2000 ORCH_AA_CSV="$PWD/build/equal-sides.csv" \
  build/default/tests/test_statistics_simulation \
  --gtest_filter='Resampler.HasFiveFalseAlarmsInAHundredForTheSessionsOfAFile'
