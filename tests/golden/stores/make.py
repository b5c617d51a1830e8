#!/usr/bin/env python3
"""Makes the stores of this folder, each as NAME.tar.xz: `make.py ORCHESTRATE [NAME...]`.

Only for a new kind of store: those that are here show that a program reads what an earlier one has
written, so they are never made again.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
WAIT_S = 600


class Maker:
    """A copy of project/ in FOLDER, and the store that BINARY makes there."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        self.project, self.store = folder / "project", folder / "store"
        shutil.copytree(HERE / "project", self.project)
        # Neither the environments nor the settings of the user.
        self.variables = dict(
            os.environ, XDG_CACHE_HOME=str(folder / "cache"), XDG_CONFIG_HOME=str(folder / "config")
        )

    def start(self, *words):
        command = [self.binary, *map(str, words), "--store", str(self.store)]
        return subprocess.Popen(
            command, cwd=self.project, env=self.variables, stdin=subprocess.DEVNULL
        )

    def do(self, *words, code=0):
        got = self.start(*words).wait()
        if got != code:
            sys.exit(f"{' '.join(map(str, words))}: exit status {got}, not {code}")

    def run(self, matrix, *words, code=0):
        self.do("run", matrix, *words, code=code)

    def measured(self):
        query = ["query", "select count(*) from results_all", "--format", "csv"]
        said = subprocess.run(
            [self.binary, *query, "--store", self.store], capture_output=True, text=True
        )
        return int(said.stdout.split()[-1]) if said.returncode == 0 else 0

    def wait_until(self, condition, what):
        until = time.monotonic() + WAIT_S
        while not condition():
            if time.monotonic() > until:
                sys.exit(f"{what}: not within {WAIT_S} s")
            time.sleep(0.05)

    def processes(self):
        """The command lines of all processes of the store: guardians outlive an orchestrator."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes()
            except OSError:
                continue
            if str(self.folder).encode() in words and path.parent.name != str(os.getpid()):
                found.append(words)
        return found

    def kill_in_the_middle(self, matrix):
        run = self.start("run", matrix)
        self.wait_until(lambda: self.measured() >= 2, "two measurements")
        run.send_signal(signal.SIGKILL)
        run.wait()
        self.wait_until(lambda: not self.processes(), "the end of the guardians")


def quickstart(maker):
    matrix = ROOT / "experiments" / "quickstart.yaml"
    maker.run(matrix, "--where", "isl = 32 AND batch_size = 4")
    maker.do("gc", "--max-size", "0", "--apply")  # engines and models; no result is lost


def finished(maker):
    maker.run("finished.yaml")
    references = maker.folder / "references.jsonl"
    maker.do("score", "--where", "flavour = 'plain'", "--write-references", references)
    maker.do("score", "--references", references, "--scorer", "exact,f1")


def resumed(maker):
    maker.kill_in_the_middle("resumed.yaml")
    maker.run("resumed.yaml")


def interrupted(maker):
    maker.kill_in_the_middle("interrupted.yaml")


def failed(maker):
    maker.variables["TOY_KILLED_ONCE"] = str(maker.folder / "killed")
    maker.run("failed.yaml", code=1)


def imports(maker):
    samples = ROOT / "tests" / "fuzz" / "corpus" / "results"
    maker.do("import", samples, "--experiment", "imports")


def slurm(maker):
    local = ROOT / "tests" / "crash" / "slurm-local.sh"
    cluster = tempfile.mkdtemp(prefix="orch-slurm-", dir="/tmp")  # sockets have short names
    subprocess.run(["bash", local, "start", cluster], check=True)
    try:
        maker.variables["SLURM_CONF"] = f"{cluster}/etc/slurm.conf"
        maker.run("slurm.yaml", "--executor", "slurm")
    finally:
        subprocess.run(["bash", local, "stop", cluster], check=False)
        shutil.rmtree(cluster, ignore_errors=True)


def without_ballast(entry):
    """Without the file of random bytes that a store gives up when the disk is full."""
    return None if os.path.basename(entry.name) == "ballast" else entry


STORES = [quickstart, finished, resumed, interrupted, failed, imports, slurm]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for make in STORES:
        if make.__name__ not in (sys.argv[2:] or [one.__name__ for one in STORES]):
            continue
        with tempfile.TemporaryDirectory(prefix="orchestrate-stores-", dir="/tmp") as folder:
            maker = Maker(os.path.abspath(sys.argv[1]), pathlib.Path(folder))
            make(maker)
            with tarfile.open(HERE / f"{make.__name__}.tar.xz", "w:xz") as tar:
                tar.add(maker.store, make.__name__, filter=without_ballast)


if __name__ == "__main__":
    main()
