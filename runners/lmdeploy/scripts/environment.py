"""environment.py --version VERSION [--lmdeploy PROGRAM | --requirements FILE] [--tritonserver
PROGRAM | --find-tritonserver] [--libraries DIR:DIR] OUT: finds LMDeploy, or installs it, and records where it is.

environment.json has the paths, versions.json the versions. It rejects another release than VERSION.
It does not know models.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from stage import Failed, run

TRITON = "/opt/tritonserver/bin/tritonserver"
ASK = "import importlib.metadata, sys; print(importlib.metadata.version('lmdeploy')); print(\
sys.version.split()[0])"


def install(requirements, venv):
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    pip = [str(venv / "bin/python3"), "-m", "pip", "install", "--no-input"]
    pip += ["--disable-pip-version-check", "--requirement", requirements]
    if subprocess.run(pip).returncode:
        raise Failed(
            f"pip could not install {requirements}, for the reason above; check the file, the"
            " Python release that its packages need, and the index that pip is configured for"
        )
    return str(venv / "bin/lmdeploy")


def found(program, parameter):
    path = shutil.which(program)
    if not path:
        raise Failed(
            f"{program}: command not found; set {parameter} to the program of your installation, or"
            " run this inside LMDeploy's container"
        )
    return os.path.abspath(path)


def python_of(program):
    """The interpreter that the script PROGRAM starts with, or the one beside it."""
    with open(program, "rb") as file:
        line = file.readline(1024)
    named = re.match(rb"#!\s*(/\S*python[0-9.]*)\s*$", line)
    beside = os.path.join(os.path.dirname(program), "python3")
    python = os.fsdecode(named[1]) if named else beside
    if not os.access(python, os.X_OK):
        raise Failed(f"{program}: its interpreter {python} is not there; install LMDeploy again")
    return python


def versions_of(python, program):
    done = subprocess.run([python, "-c", ASK], capture_output=True, text=True)
    if done.returncode:
        raise Failed(
            f"{program}: {python} has no package lmdeploy; set lmdeploy to the program of an"
            " installation that has it"
        )
    version, own = done.stdout.split()
    return {"lmdeploy": version, "python": own}


def libraries_beside(programs):
    """In LMDeploy's image, TurboMind's library lies there."""
    server = programs.get("tritonserver", "")
    folder = os.path.join(os.path.dirname(os.path.dirname(server)), "lib")
    return folder if server and os.path.isdir(folder) else ""


def release(version):
    """0.5.2.post1 and 0.5.2+cu118 are 0.5.2."""
    return re.match(r"\d+(\.\d+)*|", version)[0]


def read_arguments(words):
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--version", required=True)
    parser.add_argument("--lmdeploy", default="")
    parser.add_argument("--requirements", default="")
    parser.add_argument("--tritonserver", default="")
    parser.add_argument("--libraries", default="")
    parser.add_argument("--find-tritonserver", action="store_true")
    parser.add_argument("out", type=Path)
    return parser.parse_args(words)


def main(words):
    given = read_arguments(words)
    out = given.out.resolve()
    if given.requirements:
        program = install(given.requirements, out / "venv")
    else:
        program = given.lmdeploy or "lmdeploy"
    program = found(program, "lmdeploy")
    python = python_of(program)
    versions = versions_of(python, program)
    if release(versions["lmdeploy"]) != given.version:
        raise Failed(
            f"tool mismatch: {program} is LMDeploy {versions['lmdeploy']}, and lmdeploy_version is"
            f" {given.version}; set lmdeploy_version: {release(versions['lmdeploy'])}, or use an"
            f" installation of {given.version}"
        )
    programs = {"lmdeploy": program, "python": python}
    if given.tritonserver or given.find_tritonserver:
        wanted = given.tritonserver or shutil.which("tritonserver") or TRITON
        programs["tritonserver"] = found(wanted, "tritonserver")
    environment = {
        "programs": programs,
        "version": versions["lmdeploy"],
        "libraries": given.libraries or libraries_beside(programs),
    }
    for name, content in {"environment": environment, "versions": versions}.items():
        (out / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    print(f"{program} is LMDeploy {versions['lmdeploy']}")


if __name__ == "__main__":
    run(main, subprocess.CalledProcessError)
