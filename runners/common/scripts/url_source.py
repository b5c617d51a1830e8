"""One file at an address of the web, whose sha256 is known: a file of a model, or a tar archive of
its files. It does not know models.
"""
import hashlib
import re
import tarfile
import urllib.parse
from typing import NamedTuple

from file_names import refuse_name
from stage import Failed
from web import Again, Patience, Web, WebError, plain

ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2")


class UrlFile(NamedTuple):
    name: str
    size: int
    sum: str
    kind: str = "sha256"

    def hasher(self):
        return hashlib.sha256()


def described(place, sha256):
    """(Web, UrlFile) of the address PLACE."""
    parts = urllib.parse.urlsplit(place)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise Failed(
            f"source 'url:{plain_place(parts)}': not an address of the web; write"
            " url:https://HOST/PATH, without a password or token"
        )
    if not re.fullmatch(r"[0-9a-f]{64}", sha256):
        raise Failed(f"revision '{sha256}' of url:{place} is not a sha256; write that of the file")
    name = urllib.parse.unquote(parts.path.rpartition("/")[2])
    refuse_name(name, f"url:{place}")
    web = Web(f"url:{place}")
    return web, UrlFile(name, size_of(web, place), sha256)


def plain_place(parts):
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def size_of(web, place):
    patience = Patience(web, web.source)
    while True:
        try:
            with web.open(place, {"Range": "bytes=0-0"}) as response:
                whole = (response.headers.get("Content-Range") or "").rpartition("/")[2]
                size = whole if response.status == 206 else response.headers.get("Content-Length")
        except Again as again:
            if again.status == 416:  # an empty file has no first byte
                return 0
            patience.spend(again)
            continue
        if not re.fullmatch(r"\d{1,18}", size or ""):
            raise WebError(f"{web.source}: the server does not say how long the file is")
        return int(size)


def is_archive(name):
    return name.endswith(ARCHIVES)


def unpack(archive, folder, where):
    """Unpacks regular files only: no links, devices or owners. Returns the folder that has them:
    FOLDER, or the single one in it."""
    try:
        with tarfile.open(archive) as content:
            for member in content:
                if not member.isreg():
                    continue
                name = member.name[2:] if member.name.startswith("./") else member.name
                refuse_name(name, where)
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                write(content.extractfile(member), target)
    except (tarfile.TarError, EOFError, ValueError) as error:
        raise Failed(f"{where}: not a tar archive that can be read: {plain(str(error))}") from None
    inner = list(folder.iterdir())
    return inner[0] if len(inner) == 1 and inner[0].is_dir() else folder


def write(content, target):
    with open(target, "xb") as file:
        for some in iter(lambda: content.read(1 << 20), b""):
            file.write(some)
