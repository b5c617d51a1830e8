"""environment.py --version VERSION --examples DIR --app DIR --families A,B [--image NAME]
[--source DIR] [--libraries DIR:DIR] OUT: finds the tools here, and records them. NAME: the image in
whose container this runs.

environment.json has the paths, options.json the options that the --help of each tool lists,
versions.json the versions. What only SOURCE has is copied to OUT/backend, so that later stages need
no checkout and OUT can move. It rejects a TensorRT-LLM of another release than VERSION. A missing
tool is no error here: enter.py reports it on use.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from stage import Failed, run

# LD_LIBRARY_PATH of the vendor's image, which no stage inherits.
LIBRARIES = (
    "/opt/tritonserver/backends/tensorrtllm",
    "/usr/local/tensorrt/lib",
    "/opt/hpcx/ompi/lib",
    "/opt/hpcx/ucx/lib",
    "/opt/hpcx/ucc/lib",
)
RELOCATED_MPI = "/opt/hpcx/ompi"
# Folders of a checkout that are copied whole: a script reads files beside it.
COPIED = ("tensorrt_llm/examples", "tensorrt_llm/triton_backend", "all_models", "tools")


def variables_here(libraries):
    """The environment variables that the tools need on this host; an image sets them itself."""
    path = libraries or ":".join(filter(os.path.isdir, LIBRARIES))
    variables = {"LD_LIBRARY_PATH": path} if path else {}
    return (
        {**variables, "OPAL_PREFIX": RELOCATED_MPI} if os.path.isdir(RELOCATED_MPI) else variables
    )


def release(version):
    """0.14 and 0.14.0.post1 are 0.14.0; pre-releases (rc, dev) belong to their release, too."""
    numbers = re.match(r"v?(\d+(?:\.\d+)*)", version)
    parts = [int(one) for one in numbers.group(1).split(".")][:3] if numbers else []
    return tuple(parts + [0] * (3 - len(parts)))


def place_of(given):
    return f"image {given.image}" if given.image else "this machine"


def probe(given, variables):
    result = Path(given.out) / "probe.json"
    words = [
        str(Path(__file__).resolve().with_name("probe.py")),
        str(result),
        given.examples,
        given.app,
        given.source,
        given.families,
    ]
    done = subprocess.run(
        ["python3", "-B", *words],
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode or not result.exists():
        raise Failed(f"the search for the tools in {place_of(given)} failed, for the reason above")
    found = json.loads(result.read_text(encoding="utf-8"))
    result.unlink()
    return found


def check_version(found, wanted, where):
    python = found["python"]["path"]
    if found["package"] is None:
        raise Failed(
            f"tool mismatch: {python} of {where} has no package tensorrt_llm; trtllm_version is"
            f" {wanted}: set image to a container image that has it"
            " (tritonserver:YY.MM-trtllm-python-py3), or run this inside one"
        )
    version = found["package"]["version"]
    if not version:
        raise Failed(
            f"tool mismatch: the package tensorrt_llm of {where} has no version, and"
            f" trtllm_version is {wanted}; install {wanted} again"
        )
    if release(version) != release(wanted):
        there = ".".join(map(str, release(version)))
        raise Failed(
            f"tool mismatch: {where} has TensorRT-LLM {version} and trtllm_version is {wanted}; set"
            f" trtllm_version: {there}, or use an installation of {wanted}"
        )


def report(found):
    for name, path in found["programs"].items():
        print(f"{name}: {path or 'not found'}")
    for key, path in found["scripts"].items():
        print(f"{key}: {path}")
    for key, why in found["no_help"].items():
        print(
            f"{key}: its options are not checked before it runs, because its --help failed: {why}"
        )


def is_below(path, folder):
    return os.path.commonpath([path, folder]) == folder


def kept(path, source, out):
    """PATH, or the path relative to OUT of its copy there if SOURCE has it."""
    if not path or not source or not is_below(path, source):
        return path
    name = os.path.relpath(path, source)
    folder = next(one for one in COPIED if is_below(name, one))
    copy = os.path.join(out, "backend", folder)
    if not os.path.exists(copy):
        shutil.copytree(os.path.join(source, folder), copy, ignore_dangling_symlinks=True)
    return os.path.join("backend", name)


def write(out, found, given, variables):
    def stored(path):
        return kept(path, given.source, out)

    scripts = {key: stored(path) for key, path in found["scripts"].items()}
    # The path in a plan, and the real one.
    folders = {
        given.examples: stored(found["examples"]),
        **{os.path.join(given.app, name): stored(at) for name, at in found["of_backend"].items()},
    }
    for planned, there in folders.items():
        if not there:
            print(f"{planned}: not found; backend_source provides it, if a stage needs it")
    environment = {
        "version": found["package"]["version"],
        "package": found["package"],
        "python": found["python"]["path"],
        "programs": found["programs"],
        "scripts": scripts,
        "folders": folders,
        "no_help": found["no_help"],
        "variables": variables,
        "image": given.image,
    }
    versions = {
        "tensorrt_llm": found["package"]["version"],
        "python": found["python"]["version"],
        **found["versions"],
    }
    versions = {key: value for key, value in versions.items() if value}
    files = {
        "environment.json": environment,
        "options.json": found["options"],
        "versions.json": versions,
    }
    for name, content in files.items():
        (Path(out) / name).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def read_arguments(words):
    parser = argparse.ArgumentParser(allow_abbrev=False)
    for name in ("version", "examples", "app", "families"):
        parser.add_argument("--" + name, required=True)
    for name in ("image", "source", "libraries"):
        parser.add_argument("--" + name, default="")
    parser.add_argument("out")
    return parser.parse_args(words)


def main(words):
    given = read_arguments(words)
    variables = {} if given.image else variables_here(given.libraries)
    found = probe(given, variables)
    check_version(found, given.version, place_of(given))
    report(found)
    write(os.path.abspath(given.out), found, given, variables)


if __name__ == "__main__":
    run(main)
