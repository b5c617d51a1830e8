#!/usr/bin/env python3
"""pack.py STAGE ARCH FOLDER: the installed tree STAGE as a tarball and as a wheel in FOLDER.

Both are the same bytes for the same tree: entries in order, times of SOURCE_DATE_EPOCH, no owners.
A wheel of programs has no Python modules: bin/ becomes its scripts, the rest its data.
"""

import base64
import hashlib
import io
import lzma
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import time
import zipfile

PROJECT = "orchestrate_llm"
GLIBC = "2_28"
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))

METADATA = """Metadata-Version: 2.1
Name: orchestrate-llm
Version: {version}
Summary: Deployment orchestrator and experiment runner for LLM serving
License: Apache-2.0
Requires-Python: >=3.6
Description-Content-Type: text/markdown

{readme}"""

WHEEL = """Wheel-Version: 1.0
Generator: orchestrate
Root-Is-Purelib: false
Tag: {tag}
"""


def files_of(stage):
    """(path below STAGE, bytes, mode) of every file. A link to a folder is left out: wheels have
    none, and documents find runners, templates and experiments in share/orchestrate."""
    for path in sorted(stage.rglob("*")):
        within = [stage / up for up in [path.relative_to(stage), *path.relative_to(stage).parents]]
        if path.is_file() and not any(up.is_symlink() for up in within[:-1]):
            mode = 0o755 if os.access(path, os.X_OK) else 0o644
            yield path.relative_to(stage), path.read_bytes(), mode


def write_tarball(stage, folder, name):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(stage.rglob("*")):
            entry = tar.gettarinfo(str(path), f"{name}/{path.relative_to(stage)}")
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            entry.mtime = EPOCH
            entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
            with open(path, "rb") if entry.isreg() else io.BytesIO() as data:
                tar.addfile(entry, data if entry.isreg() else None)
    packed = lzma.compress(raw.getvalue(), preset=9)
    (folder / f"{name}.tar.xz").write_bytes(packed)


def write_wheel(stage, folder, version, arch):
    tag = f"py3-none-manylinux_{GLIBC}_{arch}"
    info = f"{PROJECT}-{version}.dist-info"
    data = f"{PROJECT}-{version}.data"
    readme = (stage / "share/doc/orchestrate/README.md").read_text()
    entries = []
    for path, content, mode in files_of(stage):
        kind, inner = ("scripts", path.name) if path.parts[0] == "bin" else ("data", path)
        entries.append((f"{data}/{kind}/{inner}", content, mode))
        if "licences" in path.parts:
            entries.append((f"{info}/licenses/{path.name}", content, 0o644))
    metadata = METADATA.format(version=version, readme=readme)
    entries.append((f"{info}/METADATA", metadata.encode(), 0o644))
    entries.append((f"{info}/WHEEL", WHEEL.format(tag=tag).encode(), 0o644))
    record = "".join(
        f"{name},sha256={digest(content)},{len(content)}\n" for name, content, _ in entries
    )
    entries.append((f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode(), 0o644))
    when = time.gmtime(max(EPOCH, 315532800))[:6]  # ZIP begins in 1980
    with zipfile.ZipFile(folder / f"{PROJECT}-{version}-{tag}.whl", "w") as wheel:
        for name, content, mode in entries:
            entry = zipfile.ZipInfo(name, when)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content, compresslevel=9)


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def version_of(stage):
    """As the manual page has it: a program of another processor does not run here."""
    page = (stage / "share/man/man1/orchestrate.1").read_text()
    return re.search(r'"orchestrate ([^"]+)"', page).group(1)


def main(stage, arch, folder):
    stage, folder = pathlib.Path(stage), pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    version = version_of(stage)
    write_tarball(stage, folder, f"orchestrate-{version}-linux-{arch}")
    write_wheel(stage, folder, version, arch)
    subprocess.run(["sha256sum", *sorted(p.name for p in folder.iterdir())], cwd=folder, check=True)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: pack.py STAGE ARCH FOLDER")
    main(*sys.argv[1:])
