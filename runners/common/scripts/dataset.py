"""dataset.py ORIGIN REVISION OUT [--files JSON] [--unpacker PROGRAM]: puts the rows of a dataset
into OUT/rows.

ORIGIN is hf:datasets/OWNER/NAME (a repository of a hub; REVISION is a commit, and the list FILES
names the files, whose rows are put together), url:URL (a file; REVISION is its sha256) or
local:PATH. Files packed by gzip or zstd are unpacked, those of zstd by `PROGRAM unpack FILE`. It
does not know forms of rows.
"""
import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import hub_file
import part_file
import url_source
from checkpoint_files import Wanted
from dataset_rows import ROWS, rows_in
from download import Bringing, Job, bring, parts_folder, require_space
from file_names import refuse_name
from hub import is_commit
from resolve import hub_of
from stage import Failed, run
from web import WebError

PACKED = (".gz", ".zst")
BAD_GZIP = getattr(gzip, "BadGzipFile", OSError)  # from Python 3.8 on
JSON_ENDINGS = tuple(one + packed for one in (".json", ".jsonl") for packed in ("", *PACKED))
OF_THE_HUB = ("dataset_info.json", "dataset_infos.json")


def chosen(names, wanted, where):
    """The names of the files to take."""
    missing = [name for name in wanted if name not in names]
    of_rows = [
        name
        for name in sorted(names)
        if name.endswith(JSON_ENDINGS) and name.rpartition("/")[2] not in OF_THE_HUB
    ]
    if wanted and not missing:
        return wanted
    if not wanted and len(of_rows) == 1:
        return of_rows
    listed = f"its files of JSON are {', '.join(of_rows[:20])}" if of_rows else "it has none"
    if missing:
        raise Failed(f"{where}: has no {missing[0]}; {listed}")
    if of_rows:
        raise Failed(f"{where}: which file? {listed}; name one in the matrix, files: NAME")
    parquet = any(name.endswith(".parquet") for name in names)
    raise Failed(
        f"{where}: has no file of JSON or JSON lines"
        + (", only Parquet" if parquet else "")
        + "; write its rows to a file of JSON lines and name it as local:PATH"
    )


def from_hub(source, commit, wanted, folder, job):
    """The paths of the downloaded files."""
    hub = hub_of(source)
    if not is_commit(commit):
        raise Failed(
            f"revision '{commit}' of {source} is not a commit; `resolve.py {source}"
            f" {commit or 'main'}` prints the commit"
        )
    files = hub_file.files_of(hub, commit, with_folders=True)
    names = chosen(files, wanted, source)
    bring(hub, commit, job, [files[name] for name in names])
    return [folder / name for name in names]


def from_url(place, sha256, folder, job):
    web, file = url_source.described(place, sha256)
    require_space(file.size, job.out)
    bringing = Bringing(web, job, file.size)
    bringing.run(lambda: bringing.fetch(file, place, folder / file.name))
    return [folder / file.name]


def from_file(path, folder):
    source = Path(path)
    if not source.is_file():
        raise Failed(f"local:{path}: no such file; local: takes the path of a prompt file")
    part_file.link_to(source, folder / source.name)
    return [folder / source.name]


def unpacked(path, unpacker):
    """The path of the plain text of PATH."""
    if path.suffix not in PACKED:
        return path
    plain = path.with_name(path.name + ".plain")
    with open(plain, "xb") as out:
        if path.suffix == ".gz":
            try:
                with gzip.open(path) as packed:
                    shutil.copyfileobj(packed, out, 1 << 20)
            except (EOFError, BAD_GZIP, ValueError) as error:
                raise Failed(f"{path.name}: not a file of gzip that can be read: {error}") from None
        else:
            ended = subprocess.run([unpacker, "unpack", path], stdout=out, check=False)
            if ended.returncode != 0:
                raise Failed(f"{path.name}: not a file of zstd that can be read")
    return plain


def put_together(paths, target):
    """Rows are read only where there are several files: a file alone stays as it is."""
    if len(paths) == 1:
        return os.replace(paths[0], target)
    with open(target, "x", encoding="utf-8") as out:
        for path in paths:
            for row in rows_in(path):
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
    return None


def names(text):
    listed = json.loads(text)
    for name in listed:
        refuse_name(name, "files")
    return listed


def main(arguments):
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("origin")
    parser.add_argument("revision")
    parser.add_argument("out", type=Path)
    parser.add_argument("--files", type=names, default=[])
    parser.add_argument("--unpacker", default="orchestrate")
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    kind, _, place = given.origin.partition(":")
    parts = parts_folder(given.out)
    with Job(given.out, parts, 4, Wanted()).scratch() as folder:
        job = Job(folder, parts, 4, Wanted())
        if kind == "hf":
            paths = from_hub(given.origin, given.revision, given.files, folder, job)
        elif kind == "url":
            paths = from_url(place, given.revision, folder, job)
        else:
            paths = from_file(place, folder)
        put_together([unpacked(path, given.unpacker) for path in paths], given.out / ROWS)
    part_file.remove_forgotten(parts)
    sys.stdout.flush()


if __name__ == "__main__":
    run(main, WebError)
