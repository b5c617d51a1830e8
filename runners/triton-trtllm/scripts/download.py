"""download.py SOURCE REVISION OUT [FILES_AT_ONCE]: puts the files of a checkpoint that a conversion
to TensorRT-LLM reads into OUT.

SOURCE is hf:OWNER/NAME (a repository of a hub; REVISION is a commit) or local:PATH (a folder).
It exits with 0 only when all files are complete and verified. It does not know engines.
"""
import os
import queue
import shutil
import threading
import time
from pathlib import Path

import checkpoint_files
import hub_file
from hub import Hub, is_commit
from stage import Failed, run

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


def all_at_once(work, items, most, gone):
    """Calls WORK with each item on at most MOST threads. The first failure is raised at once;
    GONE tells the threads to stop.
    """
    todo = queue.SimpleQueue()
    ended = queue.SimpleQueue()
    for item in items:
        todo.put(item)

    def loop():
        while not gone.is_set():
            try:
                item = todo.get_nowait()
            except queue.Empty:
                return
            try:
                work(item)
                ended.put(None)
            except BaseException as error:  # raised by the waiting thread
                ended.put(error)
                return

    for _ in range(min(most, len(items))):
        threading.Thread(
            target=loop, daemon=True
        ).start()  # a thread that hangs in a read must not keep the process alive
    try:
        for _ in items:
            error = ended.get()
            if error is not None:
                raise error
    except BaseException:
        gone.set()
        raise


def require_space(size, out):
    free = shutil.disk_usage(out).free
    if size > free:
        raise Failed(
            f"not enough free disk space in {out}: {size / GIB:.1f} GiB are needed,"
            f" {free / GIB:.1f} GiB are free; make room and run it again"
        )


def is_linkable(path, out):
    return os.stat(path).st_dev == os.stat(out).st_dev


class Download:
    """The files of one commit while they are downloaded into OUT."""

    def __init__(self, hub, commit, out, at_once):
        self.hub = hub
        self.commit = commit
        self.out = out
        self.at_once = at_once

    def bring(self, files):
        blobs = {file.name: hub_file.blob_in_cache(self.hub, file) for file in files}
        require_space(
            sum(
                file.size
                for file in files
                if not (blobs[file.name] and is_linkable(blobs[file.name], self.out))
            ),
            self.out,
        )
        progress = Progress(sum(file.size for file in files))

        def bring_one(file):
            blob = blobs[file.name]
            if not (
                blob and hub_file.take_from_cache(self.hub, file, blob, self.out, progress.add)
            ):
                hub_file.fetch(self.hub, self.commit, file, self.out, progress.add)

        all_at_once(
            bring_one, sorted(files, key=lambda file: -file.size), self.at_once, self.hub.gone
        )


def from_hub(source, commit, out, at_once):
    hub = Hub(source)
    if not is_commit(commit):
        raise Failed(
            f"revision '{commit}' of {source} is not a commit; `resolve.py"
            f" {source} {commit or 'main'}` prints the commit"
        )
    files = hub_file.files_at_the_top(hub, commit)
    chosen = checkpoint_files.choose(files, source)
    download = Download(hub, commit, out, at_once)
    # Before the weights: errors in these files are known within seconds.
    download.bring([files[name] for name in (*chosen.small, *filter(None, [chosen.index]))])
    checkpoint_files.check_config(out / "config.json", source)
    weights = (
        checkpoint_files.shards(out / chosen.index, files, source)
        if chosen.index
        else chosen.weights
    )
    size = sum(files[name].size for name in weights)
    print(f"{len(weights)} files of weights, {size / GIB:.1f} GiB", flush=True)
    download.bring([files[name] for name in weights])


def from_folder(path, out):
    source = Path(path).expanduser()
    if not source.is_dir():
        raise Failed(
            f"local:{path}: not a folder; local: takes the path of a folder with config.json and"
            " *.safetensors"
        )
    names = {entry.name for entry in os.scandir(source) if not entry.is_dir()}
    if "config.json" not in names and (source / "snapshots").is_dir():
        raise Failed(
            f"local:{path}: a folder of a Hugging Face cache; name one of its snapshots,"
            f" local:{path}/snapshots/COMMIT"
        )
    chosen = checkpoint_files.choose(names, f"local:{path}")
    weights = (
        checkpoint_files.shards(source / chosen.index, names, f"local:{path}")
        if chosen.index
        else chosen.weights
    )
    taken = [source / name for name in (*chosen.small, *filter(None, [chosen.index]), *weights)]
    for file in taken:
        if not file.is_file():  # a snapshot in a cache consists of links to the blobs of the cache
            raise Failed(
                f"{file}: a link to {os.path.realpath(file)}, which is not a file; download the"
                " checkpoint again"
            )
        checkpoint_files.check_whole(file)
    checkpoint_files.check_config(source / "config.json", f"local:{path}")
    require_space(sum(file.stat().st_size for file in taken if not is_linkable(file, out)), out)
    for file in taken:
        hub_file.take(file, out / file.name)


def main(arguments):
    if len(arguments) not in (3, 4) or not all(
        one.isdigit() and 1 <= int(one) <= 64 for one in arguments[3:]
    ):
        raise Failed(
            "usage: download.py hf:OWNER/NAME|local:PATH REVISION OUT [FILES_AT_ONCE, 1 to 64]"
        )
    source, revision, out = arguments[0], arguments[1], Path(arguments[2])
    out.mkdir(parents=True, exist_ok=True)
    kind, _, path = source.partition(":")
    if kind == "hf":
        from_hub(source, revision, out, int(arguments[3]) if arguments[3:] else 4)
    elif kind == "local":
        from_folder(path, out)
    else:
        raise Failed(f"source '{source}': unknown kind '{kind}'; write hf:OWNER/NAME or local:PATH")


if __name__ == "__main__":
    run(main)
