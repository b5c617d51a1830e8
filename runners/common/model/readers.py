"""Reports to the engine's model whether a client still reads a stream.

The server notices that a client has disconnected, but an ensemble does not pass this on to a
running model: it only stops calling `postprocessing`. Therefore `postprocessing` counts each
streamed token that it has seen in a table that both processes map. A stream is abandoned when
its count does not change while tokens are outstanding. A stream that `postprocessing` never saw,
because a client calls the engine's model directly, is not watched.
"""
import mmap
import os
import time
from collections import deque

TABLE = "streams.table"  # in the working folder of the server, which is removed with it
SLOTS = 4096
UNWATCHED = -1
PATIENCE_S = 2.0


def table():
    descriptor = os.open(TABLE, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        os.ftruncate(descriptor, 4 * SLOTS)
        return memoryview(mmap.mmap(descriptor, 4 * SLOTS)).cast("I")
    finally:
        os.close(descriptor)


class Readers:
    """The writing side: one per engine."""

    def __init__(self):
        self._seen = table()
        # Slots are used in turn, so that a late count arrives in a slot that has been free for
        # long.
        self._free = deque(range(SLOTS))

    def watch(self):
        return Watch(self._seen, self._free)


class Watch:
    """One stream."""

    def __init__(self, seen, free):
        self._all_seen, self._free = seen, free
        self._sent = self._seen = 0
        self._since = 0.0
        try:
            self.slot = free.popleft()
            seen[self.slot] = 0
        except IndexError:
            self.slot = UNWATCHED

    def sent(self):
        if self.slot != UNWATCHED and self._all_seen[self.slot] >= self._sent:
            self._since = time.monotonic()  # nothing was outstanding until now
        self._sent += 1

    def abandoned(self):
        if self.slot == UNWATCHED:
            return False
        seen = self._all_seen[self.slot]
        if seen != self._seen:
            self._seen, self._since = seen, time.monotonic()
        return 0 < seen < self._sent and time.monotonic() - self._since > PATIENCE_S

    def close(self):
        if self.slot != UNWATCHED:
            self._free.append(self.slot)
            self.slot = UNWATCHED
