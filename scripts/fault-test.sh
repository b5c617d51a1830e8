#!/bin/sh
# Runs all fault tests: every call of the orchestrator, of guardians and of `bench --db` that fails,
# once and for ever, disks that are small, read-only or without power, and 10,000 random schedules of
# power cuts on a model of a disk. `make test` runs a sample
# of them. It needs no GPU and no network, and takes at most 60 minutes. Where mounting is not
# permitted, the tests of real disks are skipped. ORCH_CRASH_FOLDER may name a folder on a faster
# disk than that of /tmp.
set -eu
cd "$(dirname "$0")/.."
cmake --preset default -DORCH_TESTS=ON
cmake --build --preset default --target test_faults test_store
ORCH_SCHEDULES=10000 build/default/tests/test_store --gtest_filter='Power.*' --gtest_brief=1
ORCH_CRASH=full exec ctest --preset default --verbose --label-regex '^fault$'
