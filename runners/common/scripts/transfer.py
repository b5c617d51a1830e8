"""Brings files by HTTP over several connections: ranges of large files at once, resumed after
broken connections, and published only when their sums agree.

It does not know hubs or models. A file has `name`, `size`, `sum`, `kind` and `hasher()`.
"""
import collections
import functools
import os
import re
import threading
import zlib

import part_file
from part_file import PartFile
from web import Again, Pace, Patience, WebError, cut_short, length_of

READ = 1 << 18  # fits the caches of a core
SPAN = 64  # chunks that one request asks for, at most
LEAST_SPAN = 4


class Stale(Exception):
    """The try that this work belongs to has ended."""


class Unranged(Exception):
    """The server sends the whole file, whatever range is asked for."""


class Wrong(Exception):
    """The content differs from what is expected."""


class Pool:
    """Runs tasks on at most MOST threads; tasks may add tasks. The first failure ends the pool and
    is raised. BEAT is called from time to time."""

    def __init__(self, most, gone, beat=lambda: None):
        self.most = most
        self.gone = gone
        self.beat = beat
        self.waiting = collections.deque()
        self.open = 0
        self.error = None
        self.changed = threading.Condition()

    def add(self, *tasks):
        """TASKS come before those that wait, so that few files are open at a time."""
        with self.changed:
            self.waiting.extendleft(reversed(tasks))
            self.open += len(tasks)
            self.changed.notify_all()

    def run(self):
        """Returns when no task is left."""
        for _ in range(self.most):
            # A thread that hangs in a read must not keep the process alive.
            threading.Thread(target=self.work, daemon=True).start()
        try:
            while not self.is_over(part_file.BEAT_S):
                self.beat()
            if self.error:
                raise self.error
        except BaseException:
            self.gone.set()
            raise

    def is_over(self, within_s):
        with self.changed:
            return self.changed.wait_for(lambda: self.error or not self.open, within_s)

    def work(self):
        for task in iter(self.next, None):
            try:
                task()
            except BaseException as error:  # raised by the waiting thread
                self.end(error)
            else:
                self.end(None)

    def next(self):
        with self.changed:
            self.changed.wait_for(lambda: self.waiting or self.error or not self.open)
            return self.waiting.popleft() if self.waiting and not self.error else None

    def end(self, error):
        with self.changed:
            self.open -= 1
            self.error = self.error or error
            self.changed.notify_all()


class Try:
    """One try to bring a file: its part file, how much of it was hashed, and the bytes counted."""

    def __init__(self, file, folder, add):
        self.file = file
        self.part = PartFile(folder, file)
        self.add = add
        self.counted = 0
        self.left = 0  # ranges that have not arrived
        self.over = False
        self.lock = threading.Lock()
        self.hashing = threading.Lock()
        self.hasher = file.hasher()
        self.hashed = 0  # chunks

    def count(self, bytes_):
        with self.lock:
            self.counted += bytes_
        self.add(bytes_)

    def hash_on(self):
        """Hashes what is on disk as far as it has no gaps, unless another thread does."""
        if self.hashing.acquire(blocking=False):
            try:
                while self.hashed in self.part.done:
                    self.hash_chunk()
            finally:
                self.hashing.release()

    def forget(self, begin, end):
        """The bytes from BEGIN to END were those of another file."""
        with self.hashing:
            self.part.done -= set(range(begin // part_file.CHUNK, -(-end // part_file.CHUNK)))
            if self.hashed * part_file.CHUNK > begin:
                self.hasher, self.hashed = self.file.hasher(), 0
        self.count(begin - end)

    def hash_chunk(self):
        place, end = self.hashed * part_file.CHUNK, (self.hashed + 1) * part_file.CHUNK
        while place < min(end, self.file.size):
            some = os.pread(self.part.content, READ, place)
            if not some:
                raise Wrong("a file that is too short on disk")
            some = some[: min(end, self.file.size) - place]
            self.hasher.update(some)
            place += len(some)
        self.hashed += 1

    def sum(self):
        with self.hashing:
            while self.hashed < self.part.chunks:
                self.hash_chunk()
            return self.hasher.hexdigest()


class Transfer:
    """Brings FILE from URL to TARGET on the threads of POOL. ADD is called with the number of bytes
    that arrive, and with a negative one when bytes are discarded."""

    def __init__(self, web, url, file, folder, target, pool, add):
        self.web = web
        self.url = url
        self.file = file
        self.folder = folder
        self.target = target
        self.pool = pool
        self.add = add
        self.seen = []
        self.lock = threading.Lock()
        self.now = None

    def start(self):
        """The first try; it continues what earlier processes left."""
        self.now = Try(self.file, self.folder, self.add)
        taken = self.now.part.adopt()
        if taken:
            self.now.count(taken)
            print(
                f"{self.file.name}: {taken} of {self.file.size} bytes are here from an earlier"
                " attempt",
                flush=True,
            )
        self.ask_for(self.missing())

    def missing(self):
        """The ranges to ask for: all connections share a large file."""
        each = -(-self.now.part.chunks // self.pool.most)
        return self.now.part.missing(min(SPAN, max(LEAST_SPAN, each)))

    def beat(self):
        now = self.now
        if now:
            now.part.beat()

    def ask_for(self, ranges):
        self.now.left = len(ranges)
        tasks = [functools.partial(self.bring, self.now, *one) for one in ranges]
        self.pool.add(*(tasks or [functools.partial(self.finish, self.now)]))

    def bring(self, one, begin, end):
        try:
            Arriving(self, one, begin, end).receive()
            one.hash_on()
        except Stale:
            return
        except Wrong as wrong:
            return self.wrong(one, str(wrong))
        except Unranged:
            return self.restart(one)
        with one.lock:
            one.left -= 1
            if one.left:
                return
        self.finish(one)

    def finish(self, one):
        try:
            found = one.sum()
        except Wrong as wrong:
            return self.wrong(one, str(wrong))
        if found != self.file.sum:
            return self.wrong(one, found)
        one.over = True
        one.part.publish(self.target)
        self.now = None  # closes its files

    def wrong(self, one, found):
        """Fetches the file again, once."""
        with self.lock:
            if one.over:
                return
            self.seen.append(found)
            one.over = True
        self.drop(one)
        if len(self.seen) == 2:
            raise WebError(
                f"{self.file.name} of {self.web.source}: checksum mismatch: {self.web.names}"
                f" {self.file.kind} {self.file.sum}, {self.file.size} bytes; received"
                f" {' and then '.join(self.seen)}; {self.web.remedy}"
            )
        print(
            (
                f"{self.file.name}: the received file differs from {self.web.expected}; fetching it"
                " again"
            ),
            flush=True,
        )
        self.now = Try(self.file, self.folder, self.add)
        self.ask_for(self.missing())

    def restart(self, one):
        """Fetches the file in one piece."""
        with self.lock:
            if one.over:
                return
            one.over = True
        self.drop(one)
        self.now = Try(self.file, self.folder, self.add)
        self.ask_for([(0, self.file.size)])

    def drop(self, one):
        with one.lock:
            counted, one.counted = one.counted, 0
        self.add(-counted)
        one.part.discard()


class Arriving:
    """The range of a file from BEGIN to END, whose bytes before OFFSET are on disk."""

    def __init__(self, transfer, one, begin, end):
        self.web = transfer.web
        self.url = transfer.url
        self.file = transfer.file
        self.one = one
        self.begin = begin
        self.end = end
        self.offset = begin
        self.furthest = begin
        self.crc = 0
        self.etag = None

    def receive(self):
        patience = Patience(self.web, self.file.name)
        while self.offset < self.end:
            try:
                self.ask(patience)
            except Again as again:
                if again.status == 416:
                    self.begin_anew()
                patience.spend(again)

    def ask(self, patience):
        with self.web.open(self.url, self.range_wanted()) as response:
            end = self.end_of(response)
            pace = Pace(self.web, response.url)
            while self.offset < end:
                some = self.web.read(response, min(READ, end - self.offset))
                if not some:
                    raise cut_short(
                        f"{self.file.name} of {self.web.source}", self.offset, self.file.size
                    )
                self.keep(some)
                pace.got(len(some))
                # Only new bytes count as progress: a server that repeats the same bytes makes none.
                patience.got(max(0, self.offset - self.furthest))
                self.furthest = max(self.furthest, self.offset)

    def range_wanted(self):
        if self.offset == 0 and self.end == self.file.size:
            return {}
        wanted = {"Range": f"bytes={self.offset}-{self.end - 1}"}
        # A weak ETag may stay the same when bytes change, so If-Range does not allow it.
        if self.etag and self.etag.startswith('"'):
            wanted["If-Range"] = self.etag
        return wanted

    def end_of(self, response):
        """The end of what the response has; it starts at the offset, or at 0 if the server sends
        the whole file or a new one.
        """
        etag = response.headers.get("ETag")
        if response.status == 206:
            begin, end, size = self.part_of(response)
            if size != self.file.size:
                raise Wrong(f"{size} bytes")
            wanted = begin == self.offset and begin < end <= self.end
            if not wanted or (self.etag and etag and etag != self.etag):
                self.begin_anew()
                raise Again(
                    (
                        f"{self.file.name} of {self.web.source}: checksum mismatch between the"
                        " parts, which belong to different files"
                    ),
                    "another file than before",
                )
        else:
            stated = length_of(response)
            end = self.file.size if stated is None else stated
            if end != self.file.size:
                raise Wrong(f"{end} bytes")
            if (self.begin, self.end) != (0, self.file.size):
                raise Unranged
            self.begin_anew()
        self.etag = etag
        return end

    def part_of(self, response):
        match = re.fullmatch(
            r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18}|\*)",
            response.headers.get("Content-Range") or "",
        )
        if not match:
            return -1, -1, self.file.size
        return (
            int(match[1]),
            int(match[2]) + 1,
            self.file.size if match[3] == "*" else int(match[3]),
        )

    def begin_anew(self):
        if self.offset > self.begin:
            self.one.forget(self.begin, self.offset)
        self.offset = self.begin
        self.crc = 0
        self.etag = None

    def keep(self, some):
        if self.web.gone.is_set():
            raise WebError(f"{self.file.name}: given up")
        if self.one.over:
            raise Stale
        view = memoryview(some)
        while view:
            index = self.offset // part_file.CHUNK
            room = index * part_file.CHUNK + self.one.part.size_of(index) - self.offset
            now, view = view[:room], view[room:]
            self.one.part.write(self.offset, now)
            self.crc = zlib.crc32(now, self.crc)
            self.offset += len(now)
            self.one.count(len(now))
            if len(now) == room:
                self.one.part.finish(index, self.crc)
                self.crc = 0
