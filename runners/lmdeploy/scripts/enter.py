"""enter.py ENVIRONMENT PROGRAM WORD...: replaces itself with lmdeploy, python or tritonserver of
the installation that environment.py recorded in ENVIRONMENT. Its version must still be the same.
"""
import os
import subprocess

import enter_engine
from stage import Failed, run

ASK = "import importlib.metadata; print(importlib.metadata.version('lmdeploy'))"


def check_version(folder, environment):
    python = environment["programs"]["python"]
    done = subprocess.run([python, "-c", ASK], stdout=subprocess.PIPE, universal_newlines=True)
    now = done.stdout.strip() or "not there"
    if now != environment["version"]:
        raise Failed(
            f"tool mismatch: LMDeploy {environment['version']} was found, and its package is now"
            f" {now}; install {environment['version']} again, or {enter_engine.remedy(folder)}"
        )


def main(arguments):
    if len(arguments) < 2:
        raise Failed("usage: enter.py ENVIRONMENT PROGRAM WORD...")
    folder, name, *words = arguments
    environment = enter_engine.load(folder)
    programs = environment["programs"]
    if name not in programs:
        raise Failed(f"{name} is none of {', '.join(programs)}, which {folder} names")
    if words[:2] == ["serve", "api_server"]:
        enter_engine.check_options(words, environment)
    if environment["libraries"]:
        os.environ["LD_LIBRARY_PATH"] = environment["libraries"]
    check_version(folder, environment)
    # The programs beside it come before others of the same name.
    beside = os.path.dirname(programs["lmdeploy"])
    os.environ["PATH"] = beside + ":" + os.environ.get("PATH", "/usr/bin:/bin")
    enter_engine.become([programs[name], *words])


if __name__ == "__main__":
    run(main, ValueError)
