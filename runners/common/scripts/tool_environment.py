"""tool_environment.py LOCK TOOL VENV: makes a virtual environment at VENV with exactly the packages
of LOCK, in which TOOL starts. VENV cannot be moved afterwards.
"""
import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

from stage import Failed, run
from tool_variables import tool_variables

PROGRAMS = {"perf_analyzer": ["--version"], "model-analyzer": ["--version"]}


def install(lock, venv):
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    pip = [str(venv / "bin" / "python3"), "-m", "pip", "install", "--no-deps", "--require-hashes"]
    options = ["--only-binary", ":all:", "--no-input", "--disable-pip-version-check", "--quiet"]
    if subprocess.run([*pip, *options, "--requirement", str(lock)]).returncode:
        raise Failed(
            f"pip could not install {lock} (see its output above); check the network or the"
            " mirror that pip is configured for"
        )


def check_start(tool, venv):
    """Starts TOOL once, so that a missing library fails here and not in a measurement."""
    words = [str(venv / "bin" / tool), *PROGRAMS.get(tool, ["--help"])]
    done = subprocess.run(words, env=tool_variables(venv), capture_output=True, text=True)
    if done.returncode:
        output = (done.stderr or done.stdout).strip().splitlines()
        raise Failed(f"{tool} does not start: {(output or ['it prints nothing'])[-1]}")


def versions(venv):
    packages = [str(path) for path in venv.glob("lib/python3*/site-packages")]
    found = {"python": sys.version.split()[0]}
    for package in importlib.metadata.distributions(path=packages):
        found[package.metadata["Name"].lower().replace("_", "-")] = package.version
    return found


def main(arguments):
    if len(arguments) != 3:
        raise Failed("usage: tool_environment.py LOCK TOOL VENV")
    lock, tool, venv = Path(arguments[0]).resolve(), arguments[1], Path(arguments[2]).resolve()
    install(lock, venv)
    check_start(tool, venv)
    text = json.dumps(versions(venv), indent=1, sort_keys=True)
    (venv.parent / "versions.json").write_text(text + "\n")


if __name__ == "__main__":
    run(main, subprocess.CalledProcessError)
