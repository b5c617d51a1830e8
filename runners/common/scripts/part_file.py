"""A file that is being downloaded: a private file that takes chunks in any order, and a list of the
chunks that it has. It gets its name in one step, when it is whole.

A writer may die at any moment; the next one takes over the chunks of its list. No lock protects a
file, because locks do nothing on some file systems: each writer has files of its own and copies the
chunks of others, each checked by its CRC. No writer writes into the file of another. This module
does not know where bytes come from.
"""
import os
import re
import secrets
import shutil
import time
import weakref
import zlib
from pathlib import Path

CHUNK = 4 << 20  # what a killed process loses of each of its connections
ENTRY = re.compile(rb"([0-9a-f]{8}) ([0-9a-f]{8})\n")
BEAT_S = 10  # a living writer touches its list at least this often
DEAD_S = 60  # a list that was not touched for so long has no writer
FORGOTTEN_S = 14 * 24 * 3600


class PartFile:
    """Lies in FOLDER, best on the file system of the target. FILE has `size` and `sum`."""

    def __init__(self, folder, file):
        self.file = file
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.key = f"{file.sum}-{file.size}-{CHUNK}"
        stem = self.folder / f"{self.key}.{secrets.token_hex(8)}"
        self.path, self.list_path = Path(f"{stem}.part"), Path(f"{stem}.list")
        self.done = set()
        self.content = self.opened(self.path)
        self.list = self.opened(self.list_path)

    def opened(self, path):
        """A new file. It is closed when no thread uses this part file any more."""
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        weakref.finalize(self, os.close, descriptor)
        return descriptor

    @property
    def chunks(self):
        return -(-self.file.size // CHUNK)

    def write(self, offset, some):
        """Writes all of SOME."""
        view = memoryview(some)
        while view:
            written = os.pwrite(self.content, view, offset)
            view, offset = view[written:], offset + written

    def finish(self, index, crc):
        """Chunk INDEX is complete."""
        self.done.add(index)
        os.write(self.list, b"%08x %08x\n" % (index, crc))

    def size_of(self, index):
        return min(CHUNK, self.file.size - index * CHUNK)

    def missing(self, most):
        """The ranges of bytes that are missing, (begin, end), of at most MOST chunks each."""
        ranges = []
        for index in (one for one in range(self.chunks) if one not in self.done):
            begin, end = index * CHUNK, index * CHUNK + self.size_of(index)
            if ranges and ranges[-1][1] == begin and begin - ranges[-1][0] < most * CHUNK:
                ranges[-1] = (ranges[-1][0], end)
            else:
                ranges.append((begin, end))
        return ranges

    def adopt(self):
        """Copies the chunks that earlier writers of the same file finished. Returns their bytes."""
        taken = 0
        for listed in sorted(self.folder.glob(f"{self.key}.*.list")):
            if listed == self.list_path:
                continue
            try:
                with open(listed.with_suffix(".part"), "rb", buffering=0) as content:
                    entries = ENTRY.findall(listed.read_bytes())
                    taken += sum(self.copy(content, *entry) for entry in entries)
            except FileNotFoundError:  # its writer has published it, or another one has removed it
                pass
            self.remove_if_dead(listed)
        return taken

    def copy(self, content, index, crc):
        index, crc = int(index, 16), int(crc, 16)
        if index in self.done or index >= self.chunks:
            return 0
        some = os.pread(content.fileno(), self.size_of(index), index * CHUNK)
        if len(some) != self.size_of(index) or zlib.crc32(some) != crc:
            return 0
        self.write(index * CHUNK, some)
        self.finish(index, crc)
        return len(some)

    def remove_if_dead(self, listed):
        try:
            # By the clock of the file system, which is that of all writers.
            if os.stat(self.list_path).st_mtime - os.stat(listed).st_mtime > DEAD_S:
                remove(listed.with_suffix(".part"))
                remove(listed)
        except FileNotFoundError:
            pass

    def beat(self):
        try:
            os.utime(self.list_path)
        except FileNotFoundError:  # it has just been published
            pass

    def publish(self, target):
        """The content is whole and verified: it gets its name. It may still be lost in a power
        failure until the stage is published, which waits for the disk."""
        try:
            move(self.path, target)
        except FileNotFoundError:  # another writer took this one for dead, and removed its files
            with open(os.dup(self.content), "rb") as content:
                content.seek(0)
                copy_to(content, target)
        self.beat()
        for listed in self.folder.glob(f"{self.key}.*.list"):
            if listed != self.list_path:
                self.remove_if_dead(listed)
        self.discard()

    def discard(self):
        remove(self.path)
        remove(self.list_path)


def remove_forgotten(folder):
    """Removes what writers left that nobody continued."""
    now = time.time()
    for path in Path(folder).glob("*"):
        try:
            if path.is_file() and now - path.stat().st_mtime > FORGOTTEN_S:
                remove(path)
        except FileNotFoundError:
            pass


def move(source, target):
    """TARGET appears in one step, also on another file system."""
    try:
        return os.replace(source, target)
    except FileNotFoundError:
        raise
    except OSError:
        with open(source, "rb") as content:
            copy_to(content, target)
        remove(source)


def copy_to(content, target):
    private = f"{target}.{secrets.token_hex(8)}.part"
    try:
        with open(private, "xb") as file:
            shutil.copyfileobj(content, file, 1 << 20)
        os.replace(private, target)
    finally:
        remove(private)


def link_to(source, target):
    """A hard link where the file system allows it (weights are large), else a copy; never a
    symbolic link."""
    real = os.path.realpath(source)
    if os.path.exists(target) and not os.path.islink(target) and os.path.samefile(real, target):
        return
    private = f"{target}.{secrets.token_hex(8)}.part"
    try:
        os.link(real, private)
    except OSError:
        with open(real, "rb") as content:
            return copy_to(content, target)
    os.replace(private, target)
    remove(private)  # it still exists if both are links to one file


def remove(path):
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
