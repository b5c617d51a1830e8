"""Downloads one file of a hub repository into a folder, whole or not at all: from the cache of the
hub's own tools, or by HTTP, resuming after a broken connection.

It does not know models. A file gets its name only after its checksum was verified.
"""
import hashlib
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from hub import Again, HubError, Patience, cache_folder, cut_short

CHUNK = 1 << 20
PART = (
    32 << 30
)  # largest range of one request: the CDN of the public hub rejects requests of 50 GB or more


@dataclass(frozen=True)
class HubFile:
    name: str
    size: int
    sum: str  # sha256 for files in git LFS, the git blob id for the others
    is_large: bool  # the file is in git LFS

    def hasher(self):
        return hashlib.sha256() if self.is_large else hashlib.sha1(b"blob %d\0" % self.size)

    @property
    def kind(self):
        return "sha256" if self.is_large else "git blob sum"


def files_at_the_top(hub, commit):
    """HubFile by name."""
    return {
        file.name: file for file in (described(hub, entry) for entry in hub.listing(commit)) if file
    }


def described(hub, entry):
    """None for a folder or a file inside one."""
    try:
        name = entry["path"]
        if entry["type"] != "file" or "/" in name:
            return None
        lfs = entry.get("lfs")
        file = HubFile(
            name,
            lfs["size"] if lfs else entry["size"],
            lfs["oid"] if lfs else entry["oid"],
            bool(lfs),
        )
        if (
            not isinstance(file.size, int)
            or file.size < 0
            or not re.fullmatch(r"[0-9a-f]{64}" if lfs else r"[0-9a-f]{40}", file.sum)
        ):
            raise ValueError
        return file
    except (KeyError, TypeError, ValueError):
        raise HubError(
            f"{hub.source}: the hub's listing has an unknown form; is HF_ENDPOINT a hub?"
        ) from None


class Wrong(Exception):
    """The content differs from the listing of the hub."""


def fetch(hub, commit, file, folder, add):
    """Calls ADD with the number of bytes that arrive, and with a negative number when bytes are
    discarded.
    """
    target = Path(folder) / file.name
    part = Path(folder) / (file.name + ".part")
    seen = []
    while True:
        try:
            receive(hub, commit, file, part, add)
            os.replace(part, target)
            return
        except Wrong as wrong:
            part.unlink()
            seen.append(str(wrong))
        if len(seen) == 2:
            raise HubError(
                f"{file.name} of {hub.source}: checksum mismatch: the hub lists"
                f" {file.kind} {file.sum}, {file.size} bytes; received"
                f" {' and then '.join(seen)}; check the disk, the proxy and HF_ENDPOINT"
            )
        print(
            (
                f"{file.name}: the received file differs from the listing of the hub; fetching it"
                " again"
            ),
            flush=True,
        )


def receive(hub, commit, file, part, add):
    remove(part)
    with open(part, "xb") as out:
        arriving = Arriving(hub, file, out, add)
        patience = Patience(hub, file.name)
        while arriving.offset < file.size:
            try:
                arriving.ask(hub.file_url(commit, file.name), patience)
            except Again as again:
                if again.status == 416:
                    arriving.begin_anew()
                patience.spend(again)
        arriving.check()


class Arriving:
    """A file whose first OFFSET bytes are present."""

    def __init__(self, hub, file, out, add):
        self.hub = hub
        self.file = file
        self.out = out
        self.add = add
        self.offset = 0
        self.furthest = 0
        self.etag = None
        self.hasher = file.hasher()

    def ask(self, url, patience):
        with self.hub.open(url, self.range_wanted()) as response:
            end = self.end_of(response)
            while self.offset < end:
                some = self.hub.read(response, min(CHUNK, end - self.offset))
                if not some:
                    raise cut_short(
                        f"{self.file.name} of {self.hub.source}", self.offset, self.file.size
                    )
                self.keep(some)
                # Only new bytes count as progress: a server that repeats the same bytes makes none.
                patience.got(max(0, self.offset - self.furthest))
                self.furthest = max(self.furthest, self.offset)

    def range_wanted(self):
        end = min(self.file.size, self.offset + PART)
        if self.offset == 0 and end == self.file.size:
            return {}
        wanted = {"Range": f"bytes={self.offset}-{end - 1}"}
        # A weak ETag may stay the same when bytes change, so If-Range does not allow it.
        if self.etag and self.etag.startswith('"'):
            wanted["If-Range"] = self.etag
        return wanted

    def end_of(self, response):
        """The end of the response range; it starts at the offset, or at 0 if the server sends
        the whole file or a new one.
        """
        etag = response.headers.get("ETag")
        if response.status == 206:
            begin, end, size = self.part_of(response)
            if size != self.file.size:
                raise self.wrong_size(size)
            if begin != self.offset or end <= begin or (self.etag and etag and etag != self.etag):
                self.begin_anew()
                raise Again(
                    (
                        f"{self.file.name} of {self.hub.source}: checksum mismatch between the"
                        " parts, which belong to different files"
                    ),
                    "another file than before",
                )
        else:
            end = self.size_of(response)
            if end != self.file.size:
                raise self.wrong_size(end)
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

    def size_of(self, response):
        return int(response.headers.get("Content-Length") or self.file.size)

    def wrong_size(self, size):
        self.begin_anew()
        return Wrong(f"{size} bytes")

    def begin_anew(self):
        if self.offset > 0:
            self.add(-self.offset)
            self.out.seek(0)
            self.out.truncate()
        self.offset = 0
        self.etag = None
        self.hasher = self.file.hasher()

    def keep(self, some):
        if self.hub.gone.is_set():
            raise HubError(f"{self.file.name}: given up")
        self.out.write(some)
        self.hasher.update(some)
        self.offset += len(some)
        self.add(len(some))

    def check(self):
        found = self.hasher.hexdigest()
        if found != self.file.sum:
            self.begin_anew()
            raise Wrong(found)


def blob_in_cache(hub, file, environment=os.environ):
    """The path of this file in the cache of the hub's own tools, if one of that name and size
    exists; its content is not read.
    """
    blob = (
        Path(cache_folder(environment))
        / ("models--" + hub.repo.replace("/", "--"))
        / "blobs"
        / file.sum
    )
    try:
        return blob if blob.is_file() and blob.stat().st_size == file.size else None
    except OSError:
        return None


def take_from_cache(hub, file, blob, folder, add):
    """False if the content differs from the listing of the hub."""
    hasher = file.hasher()
    with open(blob, "rb") as content:
        while some := content.read(CHUNK):
            hasher.update(some)
            if hub.gone.is_set():
                raise HubError(f"{file.name}: given up")
    if hasher.hexdigest() != file.sum:
        print(f"{file.name}: {blob} is damaged; fetching the file from the hub", flush=True)
        return False
    take(blob, Path(folder) / file.name)
    add(file.size)
    return True


def take(source, target):
    """A hard link where the file system allows it (weights are large), else a copy; never a
    symbolic link."""
    real = os.path.realpath(source)
    if os.path.exists(target) and not os.path.islink(target) and os.path.samefile(real, target):
        return
    part = f"{target}.part"
    remove(part)
    try:
        os.link(real, part)
    except OSError:
        shutil.copyfile(real, part)
    os.replace(part, target)


def remove(path):
    """A file left by a killed attempt may be a hard link to a file of another owner, so it must
    not be written to.
    """
    if os.path.lexists(path):
        os.unlink(path)
