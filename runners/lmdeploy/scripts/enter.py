"""enter.py ENVIRONMENT PROGRAM WORD...: replaces itself with lmdeploy, python or tritonserver of
the installation that environment.py recorded in ENVIRONMENT, in its container if it is in one. Its
version must still be the same.
"""
import os
import subprocess

import containers
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
    programs, box = environment["programs"], environment["box"]
    if name not in programs:
        raise Failed(f"{name} is none of {', '.join(programs)}, which {folder} names")
    if words[:2] == ["serve", "api_server"]:
        enter_engine.check_options(words, environment)
    variables = dict(os.environ)
    if environment["libraries"]:
        variables["LD_LIBRARY_PATH"] = environment["libraries"]
    command = [programs[name], *words]
    if box:
        enter_engine.check_unchanged(folder, environment)
        os.environ.update(variables)
        containers.become(enter_engine.contained(command, folder, box), dict(os.environ))
    check_version(folder, environment)
    # The programs beside it come before others of the same name.
    beside = os.path.dirname(programs["lmdeploy"])
    variables["PATH"] = beside + ":" + os.environ.get("PATH", "/usr/bin:/bin")
    containers.become(command, variables)


if __name__ == "__main__":
    run(main, ValueError)
