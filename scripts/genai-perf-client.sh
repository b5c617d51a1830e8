#!/bin/sh
# Makes the environment of genai-perf 0.0.8 with perf_analyzer 2.51.0 once and prints its folder.
exec "$(dirname "$0")/locked-client.sh" tests/genai_perf/requirements.lock build/genai-perf
