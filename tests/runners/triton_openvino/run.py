"""run.py [--cache DIR] [TEST ...]: runs this folder's tests in the runner's own environment. It
makes the environment when DIR has none for the current lock file. With --environment it prints the
folder of the environment and runs nothing.

Runs in the system's interpreter. Knows the folders, nothing of the tests.
"""
import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
RUNNER = ROOT / "runners" / "triton-openvino"
sys.dont_write_bytecode = True
sys.path.insert(0, str(RUNNER / "scripts"))
import locked_packages  # noqa: E402


def cached(cache, name, *sources):
    """A folder for exactly these source files, and the file that marks it as complete."""
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]
    return cache / f"{name}-{digest}", cache / f"{name}-{digest}.complete"


def environment(cache):
    folder, complete = cached(
        cache,
        "environment",
        RUNNER / "requirements.lock",
        RUNNER / "scripts" / "make_environment.py",
        RUNNER / "scripts" / "locked_environment.py",
        RUNNER / "scripts" / "locked_packages.py",
    )
    if not complete.exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(
            [
                sys.executable,
                str(RUNNER / "scripts" / "make_environment.py"),
                str(RUNNER / "requirements.lock"),
                str(folder / "venv"),
            ],
            check=True,
        )
        complete.touch()
    return folder


def packages(cache, python):
    folder, complete = cached(cache, "packages", HERE / "requirements.lock")
    if not complete.exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(
            [
                *locked_packages.pip_command(python),
                "install",
                "--no-deps",
                "--only-binary",
                ":all:",
                "--require-hashes",
                "--no-input",
                "--disable-pip-version-check",
                "--quiet",
                "--target",
                str(folder),
                "--requirement",
                str(HERE / "requirements.lock"),
            ],
            check=True,
        )
        shutil.rmtree(
            folder / "bin", ignore_errors=True
        )  # 40 MB of programs that the schema's package contains
        complete.touch()
    return folder


def main():
    parser = argparse.ArgumentParser(description="Run the tests of the runner triton-openvino.")
    parser.add_argument(
        "--cache",
        type=Path,
        default=ROOT / "build" / "triton-openvino-tests",
        help="where environments are kept",
    )
    parser.add_argument(
        "--environment",
        action="store_true",
        help="print the folder of the environment, make it if it is missing, and stop",
    )
    parser.add_argument("tests", nargs="*", help="names in the form of unittest; default: all")
    arguments = parser.parse_args()
    cache = arguments.cache.resolve()
    cache.mkdir(parents=True, exist_ok=True)
    home = environment(cache)
    if arguments.environment:
        return print(home)
    python = home / "venv" / "bin" / "python3"
    os.environ.update(
        PYTHONPATH=str(packages(cache, python)),
        PYTHONDONTWRITEBYTECODE="1",
        ORCHESTRATE_TEST_ENVIRONMENT=str(home),
    )
    chosen = arguments.tests or [
        "discover",
        "--start-directory",
        str(HERE),
        "--pattern",
        "*_test.py",
    ]
    os.chdir(HERE)
    os.execv(python, [str(python), "-m", "unittest", *chosen])


if __name__ == "__main__":
    main()
