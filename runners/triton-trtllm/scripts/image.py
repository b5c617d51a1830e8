"""image.py SOURCE VERSION NAME ENGINE [--architectures=89-real] OUT: builds the container image
of the Triton backend from a checkout, as the vendor documents it for that release, and writes
its identity to image.json.
"""
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import images
from stage import Failed, run

# From 0.20.0 on the backend and its build are part of TensorRT-LLM.
MOVED = (0, 20)


def build_command(source, version, name, engine, architectures):
    """(folder, command)"""
    if tuple(int(one) for one in version.split(".")[:2]) >= MOVED:
        if os.path.basename(engine) != "docker":
            raise Failed(
                f"the build of {version} calls docker itself; set container_engine: docker, or name"
                " an image that was built elsewhere"
            )
        if not shutil.which("make"):
            raise Failed(f"make: command not found; the build of {version} needs it: install make")
        cuda = [f"CUDA_ARCHS={architectures}"] if architectures else []
        return source / "tensorrt_llm", [
            "make",
            "-C",
            "docker",
            "tritonrelease_build",
            f"IMAGE_WITH_TAG={name}",
            *cuda,
        ]
    if architectures:
        raise Failed(
            f"cuda_architectures: the build of {version} has no such option (it exists from"
            " 0.20.0 on); leave it out"
        )
    arguments = (
        ["--build-arg", "TORCH_INSTALL_TYPE=src_non_cxx11_abi"]
        if platform.machine() == "aarch64"
        else []
    )
    return source, [
        engine,
        "build",
        "--tag",
        name,
        *arguments,
        "--file",
        "dockerfile/Dockerfile.trt_llm_backend",
        ".",
    ]


def main(arguments):
    architectures = "".join(
        word.partition("=")[2] for word in arguments if word.startswith("--architectures=")
    )
    source, version, name, engine_name, out = [
        word for word in arguments if not word.startswith("--architectures=")
    ]
    engine = images.find_engine(engine_name)
    folder, command = build_command(Path(source), version, name, engine, architectures)
    print(f"in {folder}: {' '.join(command)}", flush=True)
    done = subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "DOCKER_BUILDKIT": "1"},
        check=False,
    )
    if done.returncode:
        raise Failed(
            f"image {name} could not be built ({command[0]} ended with status {done.returncode});"
            " its output above gives the reason"
        )
    known = images.identity(engine, name)
    if known is None:
        raise Failed(
            f"the build succeeded, but {engine_name} has no image {name}; see its output above"
        )
    (Path(out) / "image.json").write_text(
        json.dumps({"name": name, "id": known["id"]}, indent=1) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    run(main)
