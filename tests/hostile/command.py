"""A command that is run to its end, and what its words may not have."""

import json
import re
import subprocess
import sys

# Runs a command, and prints its exit status, its peak memory in MiB and its words.
MEASURE = """import json, resource, subprocess, sys
done = subprocess.run(sys.argv[2:], capture_output=True, timeout=float(sys.argv[1]))
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
text = [stream.decode("latin-1") for stream in (done.stdout, done.stderr)]
print(json.dumps({"code": done.returncode, "peak": peak, "out": text[0], "err": text[1]}))
"""

# Bytes of UTF-8 read as Latin-1: C1 controls are C2 80 to C2 9F. Also marks of direction.
CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]"
)


def outcome_of(words, most_s, **how):
    """Its code, its peak in MiB, out and err (as Latin-1); or only err, if it did not end."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(most_s), *words], capture_output=True, text=True, **how
    )
    return json.loads(done.stdout) if done.returncode == 0 else {"err": done.stderr}


def control_in(said):
    """The first control character of SAID with the words around it; "" if there is none."""
    found = CONTROLS.search(said)
    if not found:
        return ""
    around = said[max(0, found.start() - 100) : found.end() + 100]
    return f"control character {found.group()!r} in its words: {around!r}"
