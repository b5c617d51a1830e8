"""A command that is run to its end, and what its words may not have."""

import os
import re
import subprocess
import tempfile
import threading

# Bytes of UTF-8 read as Latin-1: C1 controls are C2 80 to C2 9F. Also marks of direction.
CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]"
)


def outcome_of(words, most_s, **how):
    """Its code, its peak in MiB, out and err (as Latin-1); or only err, if it did not end.

    The peak is at least the memory of this process, from which the command starts."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        command = subprocess.Popen(words, stdout=out, stderr=err, **how)
        late = threading.Event()
        limit = threading.Timer(most_s, lambda: (late.set(), command.kill()))
        limit.start()
        _, status, used = os.wait4(command.pid, 0)
        limit.cancel()
        command.returncode = os.waitstatus_to_exitcode(status)
        said = []
        for stream in (out, err):
            stream.seek(0)
            said.append(stream.read().decode("latin-1"))
    if late.is_set():
        return {"err": said[1]}
    peak = used.ru_maxrss // 1024
    return {"code": command.returncode, "peak": peak, "out": said[0], "err": said[1]}


def control_in(said):
    """The first control character of SAID with the words around it; "" if there is none."""
    found = CONTROLS.search(said)
    if not found:
        return ""
    around = said[max(0, found.start() - 100) : found.end() + 100]
    return f"control character {found.group()!r} in its words: {around!r}"
