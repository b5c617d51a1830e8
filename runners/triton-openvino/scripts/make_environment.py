"""make_environment.py LOCK OUT: makes a virtual environment at OUT with exactly the packages of
LOCK and with a tritonserver that is ready to start.

The system interpreter runs it, because the stub of the python backend links to the libpython of
the system. OUT cannot be moved afterwards. It does not know models.
"""
import os
import re
import shutil
import subprocess
from pathlib import Path

import locked_packages
from locked_environment import check_imports
from locked_packages import VERSION, Unusable
from stage import run

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
WARM_UP = ["encodings.idna", "numpy", "tokenizers", "openvino_genai", "importlib.metadata", "json"]


def check_system():
    locked_packages.check_interpreter()
    known = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout
    if f"libpython{VERSION}.so.1.0" not in known:
        raise Unusable(
            f"libpython{VERSION}.so.1.0 is not installed; install the package libpython{VERSION}"
        )


def prepare_triton(packages):
    server = packages / "pytriton" / "tritonserver"
    stub = server / "python_backend_stubs" / VERSION / "triton_python_backend_stub"
    if not stub.exists():
        raise Unusable(
            f"{stub}: missing; this release of the server has no stub for Python {VERSION}, use"
            " another"
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
    compiled = f"import py_compile; py_compile.compile({utilities!r})\n"
    check_imports(python, WARM_UP, compiled)


def server_version(packages):
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
    return own.group(1)


def main(arguments):
    if len(arguments) != 2:
        raise Unusable("usage: make_environment.py LOCK OUT")
    lock, out = Path(arguments[0]).resolve(), Path(arguments[1]).resolve()
    check_system()
    python = locked_packages.make_environment(lock, out)
    packages = locked_packages.packages_of(out)
    prepare_triton(packages)
    remove_unused(packages)
    check_libraries(packages)
    warm_up(python, packages)
    found = {"tritonserver": server_version(packages), **locked_packages.versions(out)}
    locked_packages.write_versions(out, found)
    # One path for every interpreter version: the manifest names the server by it.
    (out / "tritonserver").symlink_to(os.path.relpath(packages / "pytriton" / "tritonserver", out))


if __name__ == "__main__":
    run(main)
