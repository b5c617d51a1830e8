#!/usr/bin/env python3
"""ninja, GNU parallel and `orchestrate run` after the same kill: `side_by_side.py ORCHESTRATE`.

Four jobs, two at a time. Each writes "half", waits for a signal file, and appends "full". When two
have begun, the engine alone gets SIGKILL and the same command is run again at once. Prints the jobs
alive after the kill, the copies of one job that ran at once, the starts for four jobs, the exit
status, and whether every output is half, full.
"""

import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import engines

JOBS = 4
PATIENCE_S = 60
SETTLE_S = 3  # the time that a second run has to start its jobs

# Arguments: the number of a job, its output, and the folder in which it notes its start and waits
# for the file `go`.
JOB = """import fcntl, os, sys, time
number, output, notes = sys.argv[1:]
lock = open(f"{notes}/lock{number}", "w")
try:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    twin = ""
except BlockingIOError:
    twin = " twin"
with open(f"{notes}/starts", "a") as starts:
    starts.write(f"{number} {os.getpid()}{twin}\\n")
with open(output, "a") as file:
    file.write("half\\n")
until = time.monotonic() + 60
while not os.path.exists(f"{notes}/go") and time.monotonic() < until:
    time.sleep(0.01)
with open(output, "a") as file:
    file.write("full\\n")
"""

RUNNER = """
runner: jobs
parameters:
  number: {type: integer, default: 1}
stages:
  job:
    kind: task
    reads: [number]
    argv: [/usr/bin/python3, "{file:job.py}", "{number}", "{out}/output", "@notes@"]
    outputs: [output]
""" + engines.never_started(
    "job"
)


class Place:
    """A folder with the job script and the notes of its jobs."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.notes = self.folder / "notes"
        self.notes.mkdir()
        (self.folder / "out").mkdir()
        (self.folder / "job.py").write_text(JOB)

    def starts(self):
        path = self.notes / "starts"
        return [line.split() for line in path.read_text().splitlines()] if path.exists() else []

    def alive(self):
        return sum(1 for start in self.starts() if self.lives(int(start[1])))

    def lives(self, pid):
        try:
            return b"job.py" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return False

    def release(self):
        (self.notes / "go").touch()


def wait_for(condition, at_most_s):
    until = time.monotonic() + at_most_s
    while not condition() and time.monotonic() < until:
        time.sleep(0.01)
    return condition()


def ninja(place):
    text = f"rule job\n  command = /usr/bin/python3 job.py $number $out {place.notes}\n"
    for number in range(1, JOBS + 1):
        text += f"build out/{number}: job\n  number = {number}\n"
    (place.folder / "build.ninja").write_text(text)
    return ["ninja", "-j2"], lambda number: place.folder / "out" / str(number)


def parallel(place):
    command = [
        "parallel",
        "--will-cite",
        "-j2",
        "--joblog",
        "joblog",
        "--resume",
        f"/usr/bin/python3 job.py {{}} out/{{}} {place.notes}",
        ":::",
    ]
    return command + [
        str(number) for number in range(1, JOBS + 1)
    ], lambda number: place.folder / "out" / str(number)


def orchestrate(place):
    runner = place.folder / "runners" / "jobs"
    runner.mkdir(parents=True)
    (runner / "runner.yaml").write_text(RUNNER.replace("@notes@", str(place.notes)))
    shutil.copy(place.folder / "job.py", runner / "job.py")
    (place.folder / "jobs.yaml").write_text(
        f"name: jobs\nrunner: jobs\naxes: {{number: {list(range(1, JOBS + 1))}}}\n"
    )

    def output(number):
        found = [
            path
            for path in place.folder.glob("results/artifacts/job-*/out/output")
            if owner(path) == number
        ]
        return found[0] if found else place.folder / "missing"

    def owner(path):
        stage = path.parent.parent.name
        database = sqlite3.connect(place.folder / "results" / "results.db")
        row = database.execute(
            (
                "SELECT json_extract(s.parameters, '$.number') FROM run_stage rs JOIN stage s ON"
                " s.id = rs.stage_id WHERE rs.plan_id = ?"
            ),
            (stage,),
        ).fetchone()
        database.close()
        return row and int(row[0])

    return [sys.argv[1], "run", "jobs.yaml", "--jobs", "2", "--until", "job"], output


def measure(name, prepare):
    with tempfile.TemporaryDirectory(prefix="orchestrate-side-") as folder:
        place = Place(folder)
        command, output = prepare(place)
        log = open(place.folder / "log", "w")
        first = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
        if not wait_for(lambda: len(place.starts()) >= 2, PATIENCE_S):
            first.kill()
            first.wait()
            sys.exit(f"{name}: two jobs did not begin: " + (place.folder / "log").read_text())
        first.send_signal(signal.SIGKILL)
        first.wait()
        alive = place.alive()
        second = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
        wait_for(lambda: len(place.starts()) >= 4 or second.poll() is not None, SETTLE_S)
        place.release()
        try:
            code = second.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            second.kill()
            code = "stuck"
        wait_for(lambda: place.alive() == 0, PATIENCE_S)
        starts = place.starts()
        contents = [
            output(number).read_text().split() if output(number).exists() else []
            for number in range(1, JOBS + 1)
        ]
        wrong = [
            " ".join(content) or "missing" for content in contents if content != ["half", "full"]
        ]
        return {
            "engine": name,
            "alive after the kill": alive,
            "copies at once": 2 if any("twin" in start for start in starts) else 1,
            "starts": len(starts),
            "exit status": code,
            "content": "right" if not wrong else f"{len(wrong)} wrong: {wrong[0]}",
        }


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: side_by_side.py ORCHESTRATE")
    sys.argv[1] = os.path.abspath(sys.argv[1])
    engines = {"ninja": ninja, "parallel": parallel, "orchestrate": orchestrate}
    rows = [
        measure(name, prepare)
        for name, prepare in engines.items()
        if name == "orchestrate" or shutil.which(name)
    ]
    head = list(rows[0])
    print("| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for row in rows:
        print("| " + " | ".join(str(row[column]) for column in head) + " |")
    own_row = rows[-1]
    good = (
        own_row["copies at once"] == 1
        and own_row["starts"] == JOBS
        and own_row["exit status"] == 0
        and own_row["content"] == "right"
    )
    sys.exit(0 if good else "orchestrate started a job twice, lost one, or left a wrong output")


if __name__ == "__main__":
    main()
