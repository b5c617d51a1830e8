#!/usr/bin/env python3
"""What `run --executor slurm` adds to Slurm: `slurm_cost.py ORCHESTRATE [N,N...] [ROUNDS]`.

N trivial stages (copy one byte) on a cluster of two nodes on this machine (slurm-local.sh), beside
N calls of sbatch, one after the other, and one array of N. The three take turns in ROUNDS rounds,
and the order changes from round to round. A benchmark, not a test.

- submission: from the first submission to the last. Of sbatch, from the start of the first call to
  the end of the last. Of `orchestrate`, from before the script of the first array is written to
  the end of the last call of sbatch.
- launches: of `orchestrate`, the same from the first launch that the scheduler hands over: it also
  has the files that the jobs read, and commits to the journal.
- completion: from the start of the command to the last end of a stage. For `orchestrate` that is
  the end on record, after the output was checked and published; for others, the copied byte.
"""

import os
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

import engines

LIMIT_S = 1800
LOCAL = pathlib.Path(__file__).with_name("slurm-local.sh")
WORDS = "--nodes=1 --ntasks=1 --time=5"

RUNNER = """
runner: copy
parameters:
  number: {type: integer, default: 1}
stages:
  copy:
    kind: task
    reads: [number]
    argv: [/bin/cp, @byte@, "{out}/done"]
    outputs: [done]
""" + engines.never_started(
    "copy"
)


class Cluster:
    """A Slurm of two nodes in a temporary folder, for as long as a `with` lasts."""

    def __enter__(self):
        # Sockets have short names.
        self.folder = tempfile.mkdtemp(prefix="orch-cost-", dir="/tmp")
        # Finished jobs of earlier turns would slow the controller down, for all alike.
        environment = dict(os.environ, SL_MIN_JOB_AGE="5")
        subprocess.run(["bash", LOCAL, "start", self.folder], env=environment, check=True)
        self.variables = dict(os.environ, SLURM_CONF=f"{self.folder}/etc/slurm.conf")
        return self

    def __exit__(self, *_):
        subprocess.run(["bash", LOCAL, "stop", self.folder], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def jobs(self, *words):
        return subprocess.run(
            ["squeue", "--noheader", "--me", *words],
            env=self.variables,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()

    def wait_until_empty(self):
        until = time.monotonic() + LIMIT_S
        while self.jobs():
            if time.monotonic() > until:
                sys.exit("jobs stay in the queue: " + "; ".join(self.jobs()[:3]))
            time.sleep(0.5)

    def forget(self):
        """Until the controller has forgotten the jobs of the last turn."""
        while self.jobs("--states=all"):
            time.sleep(1)


class Turn:
    """One engine's times in one round, in seconds."""

    def __init__(self, submission, completion, launches=0.0, command=0.0):
        self.submission, self.completion = submission, completion
        self.launches, self.command = launches, command


def script_of(folder, index):
    (folder / "byte").write_text("x")
    (folder / "out").mkdir()
    script = folder / "job.sh"
    script.write_text(f"#!/bin/sh\nexec /bin/cp {folder}/byte {folder}/out/{index}\n")
    return script


def last_output(folder, count):
    until = time.monotonic() + 10  # a job may leave the queue ahead of its output
    while len(outputs := list(os.scandir(folder / "out"))) != count and time.monotonic() < until:
        time.sleep(0.1)
    if len(outputs) != count:
        sys.exit(f"{len(outputs)} of {count} jobs have copied their byte")
    return max(entry.stat().st_mtime for entry in outputs)


def submit(cluster, folder, count, command):
    """Runs COMMAND, which submits COUNT jobs, and waits for their ends."""
    begun = time.time()
    subprocess.run(
        command, cwd=folder, env=cluster.variables, stdout=subprocess.DEVNULL, check=True
    )
    submitted = time.time()
    cluster.wait_until_empty()
    return Turn(submitted - begun, last_output(folder, count) - begun)


def one_each(cluster, folder, count):
    script = script_of(folder, "$SLURM_JOB_ID")
    line = f"sbatch --parsable --output=/dev/null {WORDS} {script}"
    loop = f"i=0; while [ $i -lt {count} ]; do i=$((i+1)); {line} || exit; done"
    return submit(cluster, folder, count, ["sh", "-c", loop])


def one_array(cluster, folder, count):
    script = script_of(folder, "$SLURM_ARRAY_TASK_ID")
    line = f"sbatch --parsable --output={folder}/said.%a {WORDS} --array=0-{count - 1} {script}"
    return submit(cluster, folder, count, line.split())


def note_submissions(cluster, folder):
    """The variables with which each end of an sbatch is a line of FOLDER/accepted."""
    shim = folder / "bin" / "sbatch"
    shim.parent.mkdir()
    real = shutil.which("sbatch", path=cluster.variables["PATH"])
    shim.write_text(
        f'#!/bin/sh\n{real} "$@"\ncode=$?\ndate +%s.%N >>{folder}/accepted\nexit $code\n'
    )
    shim.chmod(0o755)
    return {**cluster.variables, "PATH": f"{shim.parent}:{cluster.variables['PATH']}"}


def orchestrate(cluster, folder, count):
    runner = folder / "runners" / "copy"
    runner.mkdir(parents=True)
    (folder / "byte").write_text("x")
    (runner / "runner.yaml").write_text(RUNNER.replace("@byte@", f"{folder}/byte"))
    numbers = ", ".join(str(number) for number in range(1, count + 1))
    (folder / "copy.yaml").write_text(f"name: copy\nrunner: copy\naxes:\n  number: [{numbers}]\n")
    variables = note_submissions(cluster, folder)
    begun = time.time()
    with open(folder / "log", "w") as log:
        code = subprocess.run(
            [sys.argv[1], "run", "copy.yaml", "--executor", "slurm", "--until", "copy"],
            cwd=folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            timeout=LIMIT_S,
        ).returncode
    exited = time.time()
    if code != 0:
        sys.exit(f"exit status {code}: " + (folder / "log").read_text()[-2000:])
    store = sqlite3.connect(folder / "results" / "results.db")
    first, last, done = store.execute(
        "SELECT min(spawned_at), max(ended_at), count(*) FROM attempt WHERE ok = 1"
    ).fetchone()
    store.close()
    if done != count:
        sys.exit(f"{done} of {count} stages are done")
    batches = list(folder.glob("results/slurm/batches/*"))
    begun_to_submit = min((batch / "tokens").stat().st_mtime for batch in batches)
    accepted = float((folder / "accepted").read_text().split()[-1])
    cluster.wait_until_empty()
    return Turn(accepted - begun_to_submit, last - begun, accepted - first, exited - begun)


ENGINES = {"sbatch each": one_each, "one array": one_array, "orchestrate": orchestrate}


def spread(values, form):
    return f"{form(statistics.median(values))} ({form(min(values))} to {form(max(values))})"


def measure(cluster, count, rounds):
    turns = {name: [] for name in ENGINES}
    for number in range(rounds):
        names = list(ENGINES)
        names = names[number % len(names) :] + names[: number % len(names)]
        for name in names:
            cluster.forget()
            with tempfile.TemporaryDirectory(
                prefix="orchestrate-cost-", dir=os.environ.get("ORCH_CRASH_FOLDER", "/tmp")
            ) as folder:
                turns[name].append(ENGINES[name](cluster, pathlib.Path(folder), count))
    return turns


def show(count, rounds, turns):
    def seconds(values):
        return spread(values, lambda value: f"{value:.3g} s")

    def ratios(above, below):
        return spread([a / b for a, b in zip(above, below)], lambda value: f"{value:.3g}")

    print(
        f"\n{count} stages, {rounds} rounds in turn: median (least to most)\n\n"
        "| | submission | completion |\n| --- | ---: | ---: |"
    )

    def column(name, member):
        return [getattr(turn, member) for turn in turns[name]]

    for name in ENGINES:
        submission, completion = column(name, "submission"), column(name, "completion")
        print(f"| {name} | {seconds(submission)} | {seconds(completion)} |")
    print(f"| ... with its launches | {seconds(column('orchestrate', 'launches'))} | |")
    print(f"| ... until it exits | | {seconds(column('orchestrate', 'command'))} |")
    each = column("sbatch each", "submission")
    print(
        "\nsubmission, sbatch each / orchestrate:",
        ratios(each, column("orchestrate", "submission")),
    )
    print("... with its launches:", ratios(each, column("orchestrate", "launches")))
    array = column("one array", "completion")
    print(
        "completion, orchestrate / one array:", ratios(column("orchestrate", "completion"), array)
    )
    sys.stdout.flush()


def main():
    if not 2 <= len(sys.argv) <= 4:
        sys.exit("usage: slurm_cost.py ORCHESTRATE [N,N...] [ROUNDS]")
    sys.argv[1] = os.path.abspath(sys.argv[1])
    counts = [int(word) for word in (sys.argv[2] if len(sys.argv) > 2 else "200,1000").split(",")]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    with Cluster() as cluster:
        for count in counts:
            show(count, rounds, measure(cluster, count, rounds))


if __name__ == "__main__":
    main()
