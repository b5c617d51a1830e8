"""tool_environment.py LOCK TOOL VENV: makes a virtual environment at VENV with exactly the packages
of LOCK, in which the programs of TOOL start. VENV cannot be moved afterwards.
"""
import subprocess
from pathlib import Path

from locked_packages import (
    install_packages,
    lock_here,
    make_environment,
    versions,
    write_versions,
)
from stage import Failed, run
from tool_variables import tool_variables

PROGRAMS = {
    "genai-perf": [["genai-perf", "--help"], ["perf_analyzer", "--version"]],
    "aiperf": [["aiperf", "--help"]],
    "model-analyzer": [["model-analyzer", "--version"], ["perf_analyzer", "--version"]],
    "llm-perf": [["python3", "-c", "import tokenizers"]],  # which it counts with
}
# Installed last: Model Analyzer's package has a perf_analyzer of its own, for newer systems.
LAST = {"model-analyzer": "tritonclient"}


def block_of(lock, package):
    """The lines of LOCK for PACKAGE."""
    lines = lock.read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(package + "=="))
    last = first
    while lines[last].endswith("\\"):
        last += 1
    return "\n".join(lines[first : last + 1]) + "\n"


def install(lock, tool, venv):
    python = make_environment(lock, venv, compiled=True)
    if tool in LAST:
        again = venv / "last.lock"
        again.write_text(block_of(lock_here(lock), LAST[tool]))
        install_packages(python, again, compiled=True, again=True)


def check_start(tool, venv):
    """Starts its programs once, so that a missing library fails here and not in a measurement."""
    for program, *words in PROGRAMS[tool]:
        words = [str(venv / "bin" / program), *words]
        done = subprocess.run(words, env=tool_variables(venv), capture_output=True, text=True)
        if done.returncode:
            output = (done.stderr or done.stdout).strip().splitlines()
            raise Failed(
                f"{program} does not start: {(output or ['it prints nothing'])[-1]}; perf_analyzer"
                " needs the package libb64-0d"
            )


def main(arguments):
    if len(arguments) != 3:
        raise Failed("usage: tool_environment.py LOCK TOOL VENV")
    lock, tool, venv = Path(arguments[0]).resolve(), arguments[1], Path(arguments[2]).resolve()
    install(lock, tool, venv)
    check_start(tool, venv)
    write_versions(venv, versions(venv))


if __name__ == "__main__":
    run(main)
