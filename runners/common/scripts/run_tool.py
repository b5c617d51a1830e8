"""run_tool.py [--venv VENV] -- ARGV: runs a load generator as the command of a measurement, with
the programs and libraries of VENV.

perf_analyzer of some releases ends its export early, still exits with 0, and the tool above it may
fail; the tool then runs again, in an empty folder.
"""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from stage import Failed, run
from tool_variables import tool_variables

TRIES = 6
STDOUT = "stdout.txt"  # the output of all tries, kept open by the process above


def cut_export(folder):
    """The JSON export in FOLDER that ends too early, or None."""
    for path in sorted(folder.glob("**/profile_export*.json")):
        try:
            json.loads(path.read_bytes())
        except ValueError:
            return path
    return None


def empty(folder):
    for path in folder.iterdir():
        if path.name != STDOUT:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def main(arguments):
    if "--" not in arguments:
        raise Failed("usage: run_tool.py [--venv VENV] -- ARGV")
    own, argv = arguments[: arguments.index("--")], arguments[arguments.index("--") + 1 :]
    variables = dict(os.environ)
    if own[:1] == ["--venv"] and len(own) == 2:
        variables = tool_variables(Path(own[1]))
    # With it, aiperf takes the folder of a tokenizer for the name of one.
    if Path(argv[0]).name != "aiperf":
        variables["HF_HUB_OFFLINE"] = "1"
    for attempt in range(1, TRIES + 1):
        empty(Path.cwd())
        try:
            status = subprocess.run(argv, env=variables).returncode
        except OSError as error:
            raise Failed(f"cannot start {argv[0]}: {error.strerror}") from error
        cut = cut_export(Path.cwd())
        if cut is None:
            sys.stdout.flush()
            sys.exit(status if status >= 0 else 128 - status)
        print(f"{cut.name} ends early; measured again ({attempt} of {TRIES})", flush=True)
    raise Failed(f"{argv[0]} wrote an incomplete {cut.name} {TRIES} times; see its output above")


if __name__ == "__main__":
    run(main)
