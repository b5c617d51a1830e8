"""locked_environment.py LOCK VENV MODULE...: makes a virtual environment at VENV with exactly the
packages of LOCK, in which each MODULE can be imported. VENV cannot be moved afterwards.

It also writes versions.json beside VENV.
"""
import glob
import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

from stage import Failed, run

VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
SUPPORTED = ["3.11", "3.12"]  # the versions that have wheels in the locks


class Unusable(Failed):
    """The machine lacks something; the message names it and the package that provides it."""


def check_interpreter():
    if VERSION not in SUPPORTED:
        raise Unusable(
            f"{sys.executable} is Python {VERSION}; the pinned packages exist for"
            f" {', '.join(SUPPORTED)}: install one of them and name it as the stage's interpreter"
        )
    if sys.prefix != sys.base_prefix:
        raise Unusable(
            f"{sys.executable} belongs to a virtual environment; run this with the system's"
            " interpreter, /usr/bin/python3"
        )


def pip_command(python):
    """The pip that ships with the interpreter, run from its wheel, so that no pip needs to be
    installed.
    """
    import ensurepip

    folders = [
        getattr(ensurepip, "_WHEEL_PKG_DIR", None),
        getattr(ensurepip, "_get_wheel_pkg_dir_from_sysconfig", lambda: None)(),
        "/usr/share/python-wheels",
        Path(ensurepip.__file__).with_name("_bundled"),
    ]
    for folder in filter(None, folders):
        wheels = sorted(glob.glob(f"{folder}/pip-*.whl"))
        if wheels:
            return [str(python), f"{wheels[-1]}/pip"]
    raise Unusable("pip's wheel is not installed; install the package python3-venv")


def install(lock, out):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(out)], check=True)
    python = out / "bin" / "python3"
    pip = subprocess.run(
        [
            *pip_command(python),
            "install",
            "--no-deps",
            "--only-binary",
            ":all:",
            "--require-hashes",
            "--no-compile",
            "--no-input",
            "--disable-pip-version-check",
            "--quiet",
            "--requirement",
            str(lock),
        ]
    )
    if pip.returncode:
        raise Unusable(
            f"pip could not install {lock} (see its output above); check the network or the"
            " mirror that pip is configured for"
        )
    return python


def packages_of(venv):
    return venv / "lib" / f"python{VERSION}" / "site-packages"


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


def versions(packages):
    found = {"python": sys.version.split()[0]}
    for package in importlib.metadata.distributions(path=[str(packages)]):
        found[package.metadata["Name"].lower().replace("_", "-")] = package.version
    return found


def write_versions(venv, found):
    text = json.dumps(found, indent=1, sort_keys=True)
    (venv.parent / "versions.json").write_text(text + "\n")


def main(arguments):
    if len(arguments) < 3:
        raise Unusable("usage: locked_environment.py LOCK VENV MODULE...")
    lock, venv, modules = Path(arguments[0]).resolve(), Path(arguments[1]).resolve(), arguments[2:]
    check_interpreter()
    check_imports(install(lock, venv), modules)
    write_versions(venv, versions(packages_of(venv)))


if __name__ == "__main__":
    run(main, subprocess.CalledProcessError)
