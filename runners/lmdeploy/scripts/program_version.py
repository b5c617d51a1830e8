"""program_version.py PROGRAM: prints the version of the LMDeploy whose program `lmdeploy` this is,
a path or a name on PATH, and of torch beside it. It does not start it."""
import os
import subprocess

import environment
from stage import Failed, run

ASK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "engine_version.py")


def main(arguments):
    if len(arguments) != 1:
        raise Failed("usage: program_version.py PROGRAM")
    program = environment.found(arguments[0], "lmdeploy")
    python = environment.python_of(program)
    done = subprocess.run(
        [python, ASK, "LMDeploy", "lmdeploy"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
    )
    if done.returncode:
        reasons = done.stderr.strip().splitlines() or ["it prints nothing"]
        raise Failed(f"{program}: {reasons[-1]}")
    print(done.stdout.strip())


if __name__ == "__main__":
    run(main)
