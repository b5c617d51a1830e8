"""locked_environment.py LOCK VENV MODULE...: makes a virtual environment at VENV with exactly the
packages of LOCK, in which each MODULE can be imported. VENV cannot be moved afterwards.

It also writes versions.json beside VENV.
"""
import subprocess
from pathlib import Path

from locked_packages import Unusable, check_interpreter, make_environment, versions, write_versions
from stage import run


def check_imports(python, modules, before=""):
    """Imports MODULES once, so that a missing library fails here and not in a later stage; the
    interpreter caches the compiled files."""
    code = f"import sys; sys.dont_write_bytecode = False\n{before}import {', '.join(modules)}"
    done = subprocess.run([str(python), "-B", "-c", code], capture_output=True, text=True)
    if done.returncode:
        raise Unusable(
            "the installed packages do not load:"
            f" {(done.stderr.strip().splitlines() or ['no reason given'])[-1]}"
        )


def main(arguments):
    if len(arguments) < 3:
        raise Unusable("usage: locked_environment.py LOCK VENV MODULE...")
    lock, venv, modules = Path(arguments[0]).resolve(), Path(arguments[1]).resolve(), arguments[2:]
    check_interpreter()
    check_imports(make_environment(lock, venv), modules)
    write_versions(venv, versions(venv))


if __name__ == "__main__":
    run(main)
