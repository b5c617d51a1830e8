#!/bin/sh
# The environment of aiperf 0.13.0, made once; prints its folder.
exec "$(dirname "$0")/locked-client.sh" tests/genai_perf/aiperf.lock build/aiperf
