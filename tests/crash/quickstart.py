#!/usr/bin/env python3
"""The real quickstart killed ten times: `quickstart.py ORCHESTRATE [--kills N] [--seed S] [--keep
FOLDER] [--matrix FILE --server PROGRAM]`, also with another matrix.

First an undisturbed sweep, then one whose orchestrator, guardians and servers are killed at seeded
random moments, and which the same command resumes. Both must end with the same points, all valid.
Server starts are counted in the store; a server that was alive when only the orchestrator was
killed must not have been started again.
"""

import argparse
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUN_LIMIT_S = 900
VICTIMS = ["orchestrator", "server", "guardian", "orchestrator", "both"]

# The machine is busy with kills, so the wake-up lag of the client is not meaningful.
MATRIX = """base: {base}
name: killed
measure:
  limits: {{wake_lag_ms: 1000, client_cpu_share: 1000}}
"""


class Sweep:
    """A store and the run on it."""

    def __init__(self, orchestrate, matrix, store, server):
        self.server = server
        self.command = [orchestrate, "run", str(matrix), "--store", str(store)]
        self.store = store
        self.run = None

    def start(self):
        self.log = open(f"{self.store}.log", "a")
        self.run = subprocess.Popen(
            self.command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log
        )

    def ended(self, within_s):
        try:
            return self.run.wait(within_s)
        except subprocess.TimeoutExpired:
            return None

    def rows(self, sql):
        try:
            database = sqlite3.connect(
                f"file:{self.store}/results.db?mode=ro", uri=True, timeout=10
            )
        except sqlite3.OperationalError:
            return []
        try:
            return database.execute(sql).fetchall()
        except sqlite3.OperationalError:  # the first run has not created its tables yet
            return []
        finally:
            database.close()

    def points(self):
        return sorted(row[0] for row in self.rows("SELECT point FROM results"))

    def server_starts(self):
        return self.rows(
            "SELECT count(*) FROM attempt a JOIN stage s ON s.id = a.stage_id WHERE s.kind ="
            " 'service' AND a.spawned_at IS NOT NULL"
        )[0][0]

    def servers_up(self):
        """Attempts of servers that are ready and have no recorded end."""
        return {
            row[0]
            for row in self.rows(
                "SELECT a.token FROM attempt a JOIN service_session x ON x.attempt_id = a.id WHERE"
                " x.ready_at IS NOT NULL AND a.ended_at IS NULL"
            )
        }


def processes():
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                yield int(entry.name), entry.joinpath("cmdline").read_bytes().split(
                    b"\0"
                ), os.readlink(entry / "cwd"), entry.joinpath("stat").read_text()
            except OSError:
                continue


def guardians(orchestrator):
    return [
        pid
        for pid, words, _, stat in processes()
        if words[1:2] == [b"guardian"] and int(stat.rsplit(")", 1)[1].split()[1]) == orchestrator
    ]


def servers_of(sweep):
    """The processes of the server, or of the interpreter whose script it is."""
    return [
        pid
        for pid, words, cwd, _ in processes()
        if any(word.endswith(sweep.server.encode()) for word in words[:2])
        and cwd.startswith(str(sweep.store))
    ]


def left_of(store):
    return [pid for pid, _, cwd, _ in processes() if cwd.startswith(str(store))]


def end(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def wait_for(condition, at_most_s):
    until = time.monotonic() + at_most_s
    while not (found := condition()) and time.monotonic() < until:
        time.sleep(0.05)
    return found


def kill(sweep, victim, moment_s):
    """Kills VICTIM after MOMENT_S; returns the processes, or None when the sweep had ended."""
    if victim == "server":
        wait_for(lambda: sweep.servers_up() or sweep.run.poll() is not None, RUN_LIMIT_S)
    if sweep.ended(moment_s) is not None:
        return None
    up, pid = sweep.servers_up(), sweep.run.pid
    servers, own_guardians = servers_of(sweep), guardians(pid)
    if victim in ("server", "guardian"):
        for one in (servers if victim == "server" else own_guardians)[:1]:
            end(one)
    else:
        end(pid)
        for guardian in own_guardians if victim == "both" else []:
            end(guardian)
        sweep.run.wait()
    return up


def adopted(sweep, up):
    """Whether the newest run adopted a server, or one of UP has ended."""
    newest = "(SELECT max(id) FROM run)"
    events = f"SELECT 1 FROM event WHERE kind = 'adopted' AND run_id = {newest}"
    return not up <= sweep.servers_up() or bool(sweep.rows(events))


def kill_many(sweep, count, seed, wall_s):
    """One line per kill. Empty faults: every server that lived when only the orchestrator was
    killed was adopted."""
    chance = random.Random(seed)
    victims = [VICTIMS[i % len(VICTIMS)] for i in range(count)]
    chance.shuffle(victims)
    faults, number = [], 0
    print(
        "| kill | victim | after s | servers up | starts so far |\n| ---: | --- | ---: | ---: |"
        " ---: |"
    )
    sweep.start()
    for victim in victims:
        # Assumes that all work happens between the kills; if it ends sooner, there is nothing left
        # to kill.
        moment_s = (
            chance.uniform(0.1, 3) if victim == "server" else chance.uniform(0.5, wall_s / count)
        )
        up = kill(sweep, victim, moment_s)
        if up is None:
            print("the sweep had ended")
            break
        number += 1
        print(
            f"| {number} | {victim} | {moment_s:.1f} | {len(up)} | {sweep.server_starts()} |",
            flush=True,
        )
        if sweep.run.poll() is None:
            continue
        sweep.start()
        if victim == "orchestrator" and up:
            if not wait_for(lambda: adopted(sweep, up), 30) or not up & sweep.servers_up():
                faults.append(f"kill {number}: the running server was not adopted")
    return number, faults


def finish(sweep):
    code = sweep.ended(RUN_LIMIT_S)
    for _ in range(3):  # a kill uses the retry budget, which the next run renews
        if code == 0:
            break
        sweep.start()
        code = sweep.ended(RUN_LIMIT_S)
    return code


def faults_of(sweep, expected):
    """Completes a killed SWEEP; yields what is wrong with it. EXPECTED: the points it must have."""
    code = finish(sweep)
    if code != 0:
        yield f"the killed sweep ended with exit status {code}: see {sweep.store}.log"
    if sweep.points() != expected:
        yield f"other points: {set(expected) ^ set(sweep.points())}"
    twice = sweep.rows(
        "SELECT stage_id FROM measurement WHERE valid = 1 AND superseded = 0 GROUP BY stage_id,"
        " ordinal HAVING count(*) > 1"
    )
    if twice:
        yield f"{len(twice)} points have two valid measurements"
    if not wait_for(lambda: not left_of(sweep.store), 10):
        yield f"left behind: {left_of(sweep.store)}"


def prepared(options, prefix):
    """The folder of the stores, with a matrix in it that measures whatever the machine does."""
    folder = pathlib.Path(options.keep or tempfile.mkdtemp(prefix=prefix)).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    matrix = folder / "matrix.yaml"
    matrix.write_text(MATRIX.format(base=os.path.relpath(options.matrix, folder)))
    return folder, matrix


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("orchestrate")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument(
        "--keep", help="folder in which both stores are kept, for inspection or to continue"
    )
    quickstart = ROOT / "experiments" / "quickstart.yaml"
    parser.add_argument("--matrix", default=quickstart, help="what is run")
    parser.add_argument("--server", default="tritonserver", help="program or script of its servers")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.randrange(1 << 30)
    folder, matrix = prepared(options, "orchestrate-quickstart-")
    orchestrate = os.path.abspath(options.orchestrate)
    print(f"seed {seed}, folder {folder}", flush=True)

    undisturbed = Sweep(orchestrate, matrix, folder / "undisturbed", options.server)
    undisturbed.start()
    if undisturbed.ended(RUN_LIMIT_S) != 0:
        sys.exit(f"the undisturbed sweep failed: see {undisturbed.store}.log")
    wall_s = undisturbed.rows("SELECT ended_at - started_at FROM run ORDER BY id LIMIT 1")[0][
        0
    ]  # of an earlier run with --keep
    print(
        (
            f"undisturbed: {len(undisturbed.points())} points, {undisturbed.server_starts()} server"
            f" starts, {wall_s:.0f} s\n"
        ),
        flush=True,
    )

    killed = Sweep(orchestrate, matrix, folder / "killed", options.server)
    begun = time.monotonic()
    count, faults = kill_many(killed, options.kills, seed, wall_s)
    faults += faults_of(killed, undisturbed.points())
    print(
        f"\nkilled {count} times: {len(killed.points())} points, {killed.server_starts()} server"
        f" starts, {time.monotonic() - begun:.0f} s"
    )
    for fault in faults:
        print(f"FAULT {fault}")
    if not options.keep and not faults:
        shutil.rmtree(folder)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
