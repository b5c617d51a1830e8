#!/bin/sh
# Makes the environment of aiperf 0.13.0 once and prints its folder.
exec "$(dirname "$0")/locked-client.sh" tests/genai_perf/aiperf.lock build/aiperf
