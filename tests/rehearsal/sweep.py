"""One sweep of an experiment that is killed with -9 again and again, beside one that is not: here,
with everything kept and with `keep: results`, and as jobs of Slurm. Prints a row for each:
makespan, kills, and what was lost or made twice."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import time
from contextlib import closing

import host as hosts
import yaml

KILLS = 10
PATIENCE_S = 900
ROWS = "SELECT point FROM results ORDER BY point"
TWICE = """SELECT s.name FROM attempt a JOIN stage s ON s.id = a.stage_id
           WHERE a.ok = 1 AND s.kind <> 'service' GROUP BY s.id HAVING count(*) > 1"""
ENDED = "SELECT count(*) FROM attempt WHERE ended_at IS NOT NULL"
KEPT = "SELECT count(*), coalesce(sum(bytes), 0) FROM artifact WHERE removed_at IS NULL"


class Sweep:
    """The runs of one matrix in one store."""

    def __init__(self, execution, store, *more, keep=None):
        self.execution, self.store = execution, store
        self.words = [execution.program, "run", *execution.words, "--store", store, *more]
        if keep:
            matrix = yaml.safe_load(execution.matrix.read_text("utf-8"))
            matrix["keep"] = keep
            path = execution.matrix.with_name(f"{keep}.yaml")
            path.write_text(json.dumps(matrix), encoding="utf-8")
            self.words[2] = str(path)
        self.started = time.monotonic()

    def start(self):
        execution = self.execution
        return subprocess.Popen(
            list(map(str, self.words)), cwd=execution.folder, user=hosts.USER, group=hosts.USER,
            env=execution.host.variables(**execution.variables), extra_groups=[],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    def ask(self, sql):
        database = self.execution.folder / self.store / "results.db"
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as opened:
            return opened.execute(sql).fetchall()

    def rows(self):
        """By the program, whose collations the view needs."""
        done = self.execution.orchestrate("query", "--store", self.store, "--json", ROWS)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return json.loads(done.stdout)

    def ended(self):
        try:
            return self.ask(ENDED)[0][0]
        except sqlite3.OperationalError:  # the store is being made
            return 0

    def kill_after(self, attempts):
        """Starts the sweep anew, and kills it once so many attempts have ended. False: it ended."""
        run = self.start()
        end = time.monotonic() + PATIENCE_S
        while run.poll() is None and self.ended() < attempts:
            if time.monotonic() > end:
                break
            time.sleep(0.02)
        killed = run.poll() is None
        if killed:
            os.kill(run.pid, signal.SIGKILL)
        run.communicate()
        return killed

    def finish(self):
        said = self.start().communicate(timeout=PATIENCE_S)[0]
        self.took_s = time.monotonic() - self.started
        return said


def compared(reference, sweep, kills):
    """(words, whether all is well) of SWEEP, which was killed KILLS times."""
    wanted, found = reference.rows(), sweep.rows()
    lost = [row for row in wanted if row not in found]
    twice = sweep.ask(TWICE)
    count, size = sweep.ask(KEPT)[0]
    verify = sweep.execution.orchestrate("verify", "--store", sweep.store)
    words = (f"{len(found)} rows, {sweep.took_s:.0f} s, killed {kills} times, {len(lost)} lost,"
             f" {len(twice)} made twice, {count} outputs remain ({size >> 20} MiB),"
             f" verify ended with {verify.returncode}")  # fmt: skip
    good = bool(found) and not lost and not twice and verify.returncode == 0
    return words, good and len(found) == len(wanted)


def rehearse(execution):
    """Prints a row for each sweep; True if all of them made the same."""
    reference = Sweep(execution, "undisturbed")
    said = reference.finish()
    words, good = compared(reference, reference, 0)
    print(f"sweep, undisturbed           {words}", flush=True)
    if not good:
        print(said[-2000:])
    attempts = reference.ended()
    sweeps = {
        "killed": ([], None),
        "killed, keep: results": ([], "results"),
        "killed, as jobs of Slurm": (["--executor", "slurm"], None),
    }
    for name, (more, keep) in sweeps.items():
        if more:
            execution.host.start_slurm()
        sweep = Sweep(execution, re.sub("[^a-z]+", "-", name.lower()), *more, keep=keep)
        kills = sum(sweep.kill_after(attempts * (k + 1) // (KILLS + 1)) for k in range(KILLS))
        said = sweep.finish()
        words, well = compared(reference, sweep, kills)
        well &= kills == KILLS
        if keep:
            well &= sweep.ask(KEPT)[0][0] < reference.ask(KEPT)[0][0]
        print(f"sweep, {name:24} {words}", flush=True)
        if not well:
            print(said[-2000:])
        good &= well
    return good
