"""make_environment.py LOCK OUT: makes a virtual environment at OUT with exactly the packages of
LOCK and with a tritonserver that is ready to start.

The system interpreter runs it, because the stub of the python backend links to the libpython of
the system. OUT cannot be moved afterwards. It does not know models.
"""
import glob
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from stage import run

VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
SUPPORTED = ["3.11", "3.12"]  # the versions that have wheels in LOCK and a stub in the server
# Large parts of the packages that are never loaded: other devices, other model formats, headers.
UNUSED = [
    "openvino/libs/libopenvino_intel_gpu_plugin.so",
    "openvino/libs/libopenvino_intel_npu_*",
    "openvino/libs/libopenvino_onnx_frontend*",
    "openvino/libs/libopenvino_tensorflow*_frontend*",
    "openvino/libs/libopenvino_pytorch_frontend*",
    "openvino/libs/libopenvino_paddle_frontend*",
    "openvino/libs/libopenvino_jax_frontend*",
    "openvino/libs/libopenvino_gguf_frontend*",
    "openvino/libs/cache.json",
    "openvino/include",
    "openvino/cmake",
    "pytriton/tritonserver/python_backend_stubs",
    "nvidia_pytriton.libs/libpython*",
    "numpy/*/tests",
    "numpy/tests",
    "openvino_genai/*.pyi",
]
# Imported once, so that a missing library fails here and not in a server; the interpreter caches
# the compiled files.
WARM_UP = (
    "import encodings.idna, numpy, yaml, gguf, tokenizers, openvino_genai, importlib.metadata,"
    " json, concurrent.futures"
)


class Unusable(Exception):
    """The machine lacks something; the message names it and the package that provides it."""


def check_system():
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
    known = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout
    if f"libpython{VERSION}.so.1.0" not in known:
        raise Unusable(
            f"libpython{VERSION}.so.1.0 is not installed; install the package libpython{VERSION}"
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


def prepare_triton(packages):
    server = packages / "pytriton" / "tritonserver"
    stub = server / "python_backend_stubs" / VERSION / "triton_python_backend_stub"
    if not stub.exists():
        raise Unusable(
            f"{stub}: missing; this release of the server has no stub for Python {VERSION}, use one"
            f" of {', '.join(SUPPORTED)}"
        )
    shutil.copy2(stub, server / "backends" / "python")


def remove_unused(packages):
    for pattern in UNUSED:
        for path in packages.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def check_libraries(packages):
    """Checks that every binary that the server starts finds its libraries."""
    server = packages / "pytriton" / "tritonserver"
    for binary in [
        server / "bin" / "tritonserver",
        *(server / "backends" / "python").glob("*triton_python*"),
    ]:
        if binary.suffix == ".py":
            continue
        listed = subprocess.run(["ldd", str(binary)], capture_output=True, text=True)
        missing = [line.strip() for line in listed.stdout.splitlines() if "not found" in line]
        if missing:
            raise Unusable(
                f"{binary.name}: {missing[0]}; the pinned server needs a system with glibc 2.35 or"
                " newer"
            )


def warm_up(python, packages):
    backend = packages / "pytriton" / "tritonserver" / "backends" / "python"
    utilities = str(backend / "triton_python_backend_utils.py")
    done = subprocess.run(
        [
            str(python),
            "-B",
            "-c",
            (
                "import sys; sys.dont_write_bytecode = False\n"
                f"import py_compile; py_compile.compile({utilities!r})\n{WARM_UP}"
            ),
        ],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise Unusable(
            "the installed packages do not load:"
            f" {(done.stderr.strip().splitlines() or ['no reason given'])[-1]}"
        )


def versions(packages):
    """The installed versions, as the server and the packages report them."""
    server = packages / "pytriton" / "tritonserver" / "bin" / "tritonserver"
    # Without a repository it prints its version and exits.
    started = subprocess.run(
        [
            str(server),
            "--model-repository=/nonexistent",
            "--allow-http=false",
            "--allow-grpc=false",
            "--allow-metrics=false",
        ],
        capture_output=True,
        text=True,
    )
    own = re.search(r"server_version\s*\|\s*(\S+)", started.stdout + started.stderr)
    if not own:
        output = (started.stderr or started.stdout).strip().splitlines()
        raise Unusable(f"{server} does not start: {(output or ['it prints nothing'])[-1]}")
    found = {"tritonserver": own.group(1), "python": sys.version.split()[0]}
    for package in importlib.metadata.distributions(path=[str(packages)]):
        found[package.metadata["Name"].lower().replace("_", "-")] = package.version
    return found


def main(arguments):
    if len(arguments) != 2:
        raise Unusable("usage: make_environment.py LOCK OUT")
    lock, out = Path(arguments[0]).resolve(), Path(arguments[1]).resolve()
    check_system()
    python = install(lock, out)
    packages = out / "lib" / f"python{VERSION}" / "site-packages"
    prepare_triton(packages)
    remove_unused(packages)
    check_libraries(packages)
    warm_up(python, packages)
    # One path for every interpreter version: runner.yaml names the server by it.
    (out.parent / "versions.json").write_text(
        json.dumps(versions(packages), indent=1, sort_keys=True) + "\n"
    )
    (out / "tritonserver").symlink_to(os.path.relpath(packages / "pytriton" / "tritonserver", out))


if __name__ == "__main__":
    run(main, Unusable, subprocess.CalledProcessError)
