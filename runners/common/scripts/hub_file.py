"""The files of a hub repository: what the hub lists, and what the cache of the hub's own tools has.

It does not know models or requests for files.
"""
import hashlib
import re
from pathlib import Path
from typing import NamedTuple

from file_names import refuse_name
from hub import cache_folder
from part_file import link_to
from web import WebError

READ = 1 << 20


class HubFile(NamedTuple):
    name: str
    size: int
    sum: str  # sha256 for files in git LFS, the git blob id for the others
    is_large: bool  # the file is in git LFS

    def hasher(self):
        return hashlib.sha256() if self.is_large else hashlib.sha1(b"blob %d\0" % self.size)

    @property
    def kind(self):
        return "sha256" if self.is_large else "git blob sum"


def files_of(hub, commit, with_folders=False):
    """HubFile by name; only those at the top unless WITH_FOLDERS."""
    files = (described(hub, entry) for entry in hub.listing(commit, with_folders))
    return {file.name: file for file in files if file and (with_folders or "/" not in file.name)}


def described(hub, entry):
    """None for a folder."""
    try:
        if entry["type"] != "file":
            return None
        lfs = entry.get("lfs")
        file = HubFile(
            entry["path"],
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
    except (KeyError, TypeError, ValueError):
        raise WebError(
            f"{hub.source}: the hub's listing has an unknown form; is HF_ENDPOINT a hub?"
        ) from None
    refuse_name(file.name, f"{hub.source}: the hub's listing")
    return file


def blob_in_cache(hub, file, environment):
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


def take_from_cache(hub, file, blob, target, add):
    """False if the content differs from the listing of the hub."""
    hasher = file.hasher()
    with open(blob, "rb") as content:
        for some in iter(lambda: content.read(READ), b""):
            hasher.update(some)
            if hub.gone.is_set():
                raise WebError(f"{file.name}: given up")
    if hasher.hexdigest() != file.sum:
        print(f"{file.name}: {blob} is damaged; fetching the file from the hub", flush=True)
        return False
    link_to(blob, target)
    add(file.size)
    return True
