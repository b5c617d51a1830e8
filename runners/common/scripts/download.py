"""download.py SOURCE REVISION OUT [OPTIONS]: puts the files of a checkpoint that engines and their
converters read into OUT.

SOURCE is hf:OWNER/NAME (a repository of a hub; REVISION is a commit), git:URL (REVISION is a
commit), url:URL (a file or a tar archive; REVISION is its sha256), local:PATH (a folder) or
generate:SIZE (random weights). It exits with 0 only when all files are complete and verified. It
does not know engines.
"""
import argparse
import contextlib
import os
import shutil
import tempfile
import threading
import time
from pathlib import Path

import checkpoint_files
import git_source
import hub_file
import part_file
import url_source
from checkpoint_files import Wanted
from hub import Hub, is_commit
from stage import Failed, run
from transfer import Pool, Transfer

GIB = 1 << 30
MIB = 1 << 20
REPORT_S = 5
RATE_OVER_REPORTS = 6


class Progress:
    """Prints the progress from time to time."""

    def __init__(self, total, clock=time.monotonic):
        self.total = total
        self.clock = clock
        self.done = 0
        self.arrived = [(clock(), 0)]  # (time, bytes) pairs
        self.lock = threading.Lock()

    def add(self, count):
        with self.lock:
            self.done += count
            now = self.clock()
            if now - self.arrived[-1][0] < REPORT_S:
                return
            self.arrived = [*self.arrived[-RATE_OVER_REPORTS:], (now, self.done)]
            print(self.line(), flush=True)

    def line(self):
        (first_s, first), (last_s, last) = self.arrived[0], self.arrived[-1]
        rate = max(0, last - first) / (last_s - first_s)
        left = (
            f"about {max(1, round((self.total - last) / rate / 60))} min left"
            if rate > 0
            else "no data arrives"
        )
        return f"{last / GIB:.1f} of {self.total / GIB:.1f} GiB, {rate / MIB:.0f} MiB/s, {left}"


def require_space(size, out):
    free = shutil.disk_usage(out).free
    if size > free:
        raise Failed(
            f"not enough free disk space in {out}: {size / GIB:.1f} GiB are needed,"
            f" {free / GIB:.1f} GiB are free; make room and run it again"
        )


def is_linkable(path, out):
    return os.stat(path).st_dev == os.stat(out).st_dev


class Job:
    """Where files go, which of them, and how."""

    def __init__(self, out, parts, connections, wanted):
        self.out = out
        self.parts = parts  # what is not complete stays here for the next attempt
        self.connections = connections
        self.wanted = wanted

    @contextlib.contextmanager
    def scratch(self):
        """A folder that is removed afterwards."""
        self.parts.mkdir(parents=True, exist_ok=True)
        folder = tempfile.mkdtemp(dir=str(self.parts))
        try:
            yield Path(folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def target(self, name):
        target = self.out / name
        target.parent.mkdir(parents=True, exist_ok=True)
        return target


class Bringing:
    """Files that are being downloaded."""

    def __init__(self, web, job, size):
        self.web = web
        self.job = job
        self.progress = Progress(size)
        self.transfers = []
        self.pool = Pool(job.connections, web.gone, self.beat)

    def fetch(self, file, url, target):
        transfer = Transfer(
            self.web, url, file, self.job.parts, target, self.pool, self.progress.add
        )
        self.transfers.append(transfer)
        transfer.start()

    def beat(self):
        for transfer in list(self.transfers):
            transfer.beat()

    def run(self, *tasks):
        self.pool.add(*tasks)
        self.pool.run()


def bring(hub, commit, job, files):
    """Downloads FILES of a hub, the largest first; what its cache has is not downloaded."""
    blobs = {file.name: hub_file.blob_in_cache(hub, file, os.environ) for file in files}
    linked = [file for file in files if blobs[file.name] and is_linkable(blobs[file.name], job.out)]
    require_space(sum(file.size for file in files) - sum(file.size for file in linked), job.out)
    bringing = Bringing(hub, job, sum(file.size for file in files))

    def bring_one(file):
        blob, target = blobs[file.name], job.target(file.name)
        add = bringing.progress.add
        if not (blob and hub_file.take_from_cache(hub, file, blob, target, add)):
            bringing.fetch(file, hub.file_url(commit, file.name), target)

    ordered = sorted(files, key=lambda file: -file.size)
    bringing.run(*(lambda file=file: bring_one(file) for file in ordered))


def from_hub(source, commit, job):
    hub = Hub(source)
    if not is_commit(commit):
        raise Failed(
            f"revision '{commit}' of {source} is not a commit; `resolve.py"
            f" {source} {commit or 'main'}` prints the commit"
        )
    files = hub_file.files_of(hub, commit, job.wanted.with_folders)
    chosen = checkpoint_files.choose(files, source, job.wanted)
    # Before the weights: errors in these files are known within seconds.
    bring(hub, commit, job, [files[name] for name in chosen.first])
    checkpoint_files.check_config(job.out / "config.json", source)
    weights = weights_of(chosen, job.out, files, source)
    size = sum(files[name].size for name in weights)
    print(f"{len(weights)} files of weights, {size / GIB:.1f} GiB", flush=True)
    bring(hub, commit, job, [files[name] for name in weights])


def weights_of(chosen, folder, names, where):
    if chosen.index:
        return checkpoint_files.shards(folder / chosen.index, names, where)
    return chosen.weights


def from_git(url, commit, job):
    if not is_commit(commit):
        raise Failed(
            f"revision '{commit}' of git:{url} is not a commit; `resolve.py git:{url}"
            f" {commit or 'HEAD'}` prints the commit"
        )
    with job.scratch() as folder:
        git_source.check_out(url, commit, folder)
        take_files(folder, f"git:{url}", job)


def from_url(place, sha256, job):
    web, file = url_source.described(place, sha256)
    if job.wanted.require and not url_source.is_archive(file.name):
        raise Failed(
            f"url:{place}: is one file, and {', '.join(job.wanted.require)} is needed beside it;"
            f" name an archive of the model's files ({', '.join(url_source.ARCHIVES)})"
        )
    require_space(file.size, job.out)
    bringing = Bringing(web, job, file.size)
    if not url_source.is_archive(file.name):
        target = job.target(file.name)
        return bringing.run(lambda: bringing.fetch(file, place, target))
    with job.scratch() as folder:
        archive = folder / "archive"
        bringing.run(lambda: bringing.fetch(file, place, archive))
        (folder / "files").mkdir()
        unpacked = url_source.unpack(archive, folder / "files", f"url:{place}")
        take_files(unpacked, f"url:{place}", job)


def from_folder(path, job):
    source = Path(path).expanduser()
    if not source.is_dir():
        raise Failed(
            f"local:{path}: not a folder; local: takes the path of a folder with config.json and"
            " *.safetensors"
        )
    if not (source / "config.json").exists() and (source / "snapshots").is_dir():
        raise Failed(
            f"local:{path}: a folder of a Hugging Face cache; name one of its snapshots,"
            f" local:{path}/snapshots/COMMIT"
        )
    take_files(source, f"local:{path}", job)


def names_in(folder, with_folders):
    if not with_folders:
        return {entry.name for entry in os.scandir(folder) if not entry.is_dir()}
    return {
        os.path.relpath(os.path.join(where, name), folder)
        for where, _, names in os.walk(folder)
        for name in names
    }


def take_files(source, where, job):
    """Takes the files of a folder, by links where that is possible."""
    names = names_in(source, job.wanted.with_folders)
    chosen = checkpoint_files.choose(names, where, job.wanted)
    taken = [*chosen.first, *weights_of(chosen, source, names, where)]
    for file in (source / name for name in taken):
        if not file.is_file():  # a snapshot in a cache consists of links to the blobs of the cache
            raise Failed(
                f"{file}: a link to {os.path.realpath(file)}, which is not a file; download the"
                " checkpoint again"
            )
        checkpoint_files.check_whole(file)
    checkpoint_files.check_config(source / "config.json", where)
    copied = [one for one in taken if not is_linkable(source / one, job.out)]
    require_space(sum((source / one).stat().st_size for one in copied), job.out)
    for name in taken:
        part_file.link_to(source / name, job.target(name))


def generated(size, job):
    from generate import SHAPES, generate  # needs packages, which the other sources do not

    if size not in SHAPES:
        raise Failed(f"generate:{size}: no such size; choose {', '.join(SHAPES)}")
    generate(size, Path(__file__).with_name("corpus.txt"), job.out)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Failed(f"{message}; usage: download.py SOURCE REVISION OUT [OPTIONS]")


def number_of_connections(text):
    if not text.isdigit() or not 1 <= int(text) <= 64:
        raise argparse.ArgumentTypeError("must be 1 to 64")
    return int(text)


def parse(arguments):
    parser = Parser(add_help=False)
    parser.add_argument("source")
    parser.add_argument("revision")
    parser.add_argument("out", type=Path)
    parser.add_argument("--parts", type=Path)
    parser.add_argument("--connections", type=number_of_connections, default=4)
    parser.add_argument("--allow", action="append", default=[])
    parser.add_argument("--ignore", action="append", default=[])
    parser.add_argument("--gguf", default="")
    parser.add_argument("--require", action="append", default=[])
    return parser.parse_args(arguments)


def parts_folder(out):
    """Where parts survive the attempt: `downloads` of the store in whose attempts or artifacts OUT
    lies, else a folder beside OUT."""
    out = out.resolve()
    for folder in list(out.parents)[:3]:
        if folder.name in ("attempts", "artifacts"):
            return folder.parent / "downloads"
    return out.with_name(out.name + ".parts")


def main(arguments):
    given = parse(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    parts = given.parts or parts_folder(given.out)
    wanted = Wanted(given.allow, given.ignore, given.gguf, given.require)
    job = Job(given.out, parts, given.connections, wanted)
    kind, _, place = given.source.partition(":")
    if kind == "hf":
        from_hub(given.source, given.revision, job)
    elif kind == "git":
        from_git(place, given.revision, job)
    elif kind == "url":
        from_url(place, given.revision, job)
    elif kind == "local":
        from_folder(place, job)
    elif kind == "generate":
        generated(place, job)
    else:
        raise Failed(
            f"source '{given.source}': unknown kind '{kind}'; write hf:OWNER/NAME, git:URL,"
            " url:URL, local:PATH or generate:SIZE"
        )
    part_file.remove_forgotten(parts)


if __name__ == "__main__":
    run(main)
