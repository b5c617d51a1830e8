"""Virtual environments with exactly the packages of a lock, installed by uv where it is on PATH, in
seconds, otherwise by the pip that ships with the interpreter.

A lock NAME.lock has wheels of the Pythons in FIRST; for others there are NAME.cp313.lock beside it
or, for one processor, NAME.cp313-aarch64.lock.
"""
import glob
import json
import os
import platform
import shutil
import subprocess
import sys

from stage import Failed

VERSION = "%d.%d" % sys.version_info[:2]
PROCESSOR = platform.machine()
FIRST = ["311-x86_64", "312-x86_64"]
WHEELS = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--quiet"]
# What pip reads from its variables; uv has its own names.
UV_VARIABLES = {
    "PIP_INDEX_URL": "UV_DEFAULT_INDEX",
    "PIP_EXTRA_INDEX_URL": "UV_INDEX",
    "PIP_FIND_LINKS": "UV_FIND_LINKS",
    "PIP_CERT": "SSL_CERT_FILE",
}


class Unusable(Failed):
    """The machine lacks something; the message names it and the package that provides it."""


def check_interpreter():
    if sys.prefix != sys.base_prefix:
        raise Unusable(
            f"{sys.executable} belongs to a virtual environment; run this with the system's"
            " interpreter, /usr/bin/python3"
        )


def lock_here(lock):
    """The lock to read where LOCK is named, for this interpreter and processor. Digests have the
    same one (src/app/session/identities/runner_files.hpp)."""
    tag = VERSION.replace(".", "")
    for name in (f"{lock.stem}.cp{tag}-{PROCESSOR}.lock", f"{lock.stem}.cp{tag}.lock"):
        if lock.with_name(name).exists():
            return lock.with_name(name)
    others = [
        path.name[len(lock.stem) + len(".cp") : -len(".lock")]
        for path in lock.parent.glob(f"{lock.stem}.cp*.lock")
    ]
    if others and f"{tag}-{PROCESSOR}" not in FIRST:
        known = sorted({*FIRST, *others}, key=lambda one: (len(one.split("-")[0]), one))
        names = ", ".join("3." + one[1:].replace("-", " on ") for one in known)
        raise Unusable(
            f"{sys.executable} is Python {VERSION} on {PROCESSOR}; the packages of {lock.name}"
            f" exist for {names}: install one of them and name it as the stage's interpreter"
        )
    return lock


def pip_command(python):
    """The pip that ships with the interpreter, run from its wheel, so that no pip needs to be
    installed.
    """
    folders = ["/usr/share/python-wheels"]
    try:
        import ensurepip

        folders[:0] = [
            getattr(ensurepip, "_WHEEL_PKG_DIR", None),
            getattr(ensurepip, "_get_wheel_pkg_dir_from_sysconfig", lambda: None)(),
        ]
        folders.append(f"{list(ensurepip.__path__)[0]}/_bundled")
    except ImportError:
        pass
    for folder in filter(None, folders):
        wheels = sorted(glob.glob(f"{folder}/pip-*.whl"))
        if wheels:
            return [str(python), f"{wheels[-1]}/pip"]
    raise Unusable(
        f"{sys.executable} has no pip to install packages with; install the package python3-venv,"
        " or uv"
    )


def uv_installs(python, lock, options):
    uv = shutil.which("uv")
    if not uv:
        return False
    variables = {name: os.environ[pip] for pip, name in UV_VARIABLES.items() if pip in os.environ}
    argv = [uv, "pip", "install", "--python", str(python), *WHEELS, *options, "-r", str(lock)]
    if subprocess.run(argv, env={**variables, **os.environ}).returncode == 0:
        return True
    print(f"uv could not install {lock} (see its output above); pip tries it now", flush=True)
    return False


def install_packages(python, lock, compiled=False, again=False):
    """Installs the packages of LOCK for the interpreter PYTHON of an environment. COMPILED: also
    their bytecode. AGAIN: also over packages that are installed."""
    options = ["--compile-bytecode"] if compiled else []
    if uv_installs(python, lock, options + (["--reinstall"] if again else [])):
        return
    options = ["--no-input", "--disable-pip-version-check"]
    options += ([] if compiled else ["--no-compile"]) + (["--force-reinstall"] if again else [])
    argv = [*pip_command(python), "install", *WHEELS, *options, "--requirement", str(lock)]
    if subprocess.run(argv).returncode:
        raise Unusable(
            f"pip could not install {lock} (see its output above); check the network or the"
            f" mirror that pip is configured for, and that the lock is for Python {VERSION} on"
            f" {PROCESSOR}"
        )


def make_environment(lock, venv, compiled=False):
    """Makes a virtual environment at VENV with the packages of LOCK; returns its interpreter."""
    lock = lock_here(lock)
    argv = [sys.executable, "-m", "venv", "--without-pip", str(venv)]
    if subprocess.run(argv).returncode:
        raise Unusable(
            f"{sys.executable} cannot make virtual environments; install the package python3-venv"
        )
    python = venv / "bin" / "python3"
    install_packages(python, lock, compiled)
    return python


def packages_of(venv):
    return venv / "lib" / f"python{VERSION}" / "site-packages"


def versions(venv):
    import importlib.metadata  # older interpreters, which lack it, were refused before

    found = {"python": sys.version.split()[0]}
    for package in importlib.metadata.distributions(path=[str(packages_of(venv))]):
        found[package.metadata["Name"].lower().replace("_", "-")] = package.version
    return found


def write_versions(venv, found):
    text = json.dumps(found, indent=1, sort_keys=True)
    (venv.parent / "versions.json").write_text(text + "\n")
