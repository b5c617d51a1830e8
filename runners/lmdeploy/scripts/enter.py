"""enter.py ENVIRONMENT PROGRAM WORD...: replaces itself with lmdeploy, python or tritonserver of the
installation that environment.py recorded in ENVIRONMENT, if its version is still the same.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

from stage import Failed, run

ASK = "import importlib.metadata; print(importlib.metadata.version('lmdeploy'))"


def main(arguments):
    if len(arguments) < 2:
        raise Failed("usage: enter.py ENVIRONMENT PROGRAM WORD...")
    folder, name, *words = arguments
    environment = json.loads((Path(folder) / "environment.json").read_text("utf-8"))
    programs = environment["programs"]
    if name not in programs:
        raise Failed(f"{name} is none of {', '.join(programs)}, which {folder} names")
    done = subprocess.run([programs["python"], "-c", ASK], capture_output=True, text=True)
    now = done.stdout.strip() or "not there"
    if now != environment["version"]:
        raise Failed(
            f"tool mismatch: LMDeploy {environment['version']} was found, and its package is now"
            f" {now}; install {environment['version']} again, or delete {os.path.abspath(folder)}"
        )
    # The scripts beside the program come before others of the same name.
    beside = os.path.dirname(programs["lmdeploy"])
    variables = {**os.environ, "PATH": beside + ":" + os.environ.get("PATH", "/usr/bin:/bin")}
    if environment["libraries"]:
        variables["LD_LIBRARY_PATH"] = environment["libraries"]
    sys.stdout.flush()
    os.execve(programs[name], [programs[name], *words], variables)


if __name__ == "__main__":
    run(main, ValueError)
