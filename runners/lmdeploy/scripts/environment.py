"""environment.py --version VERSION [--lmdeploy PROGRAM | --requirements FILE | --image NAME]
[--tritonserver PROGRAM | --find-tritonserver] [--libraries DIR:DIR] OUT: finds LMDeploy here, or
installs it, and records where it is. NAME: the image in whose container this runs.

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

import find_engine
from stage import Failed, run

TRITON = "/opt/tritonserver/bin/tritonserver"
ASK = "import importlib.metadata, sys; print(importlib.metadata.version('lmdeploy')); print(\
sys.version.split()[0])"


# Where the options of `lmdeploy serve api_server` are declared, and their helpers.
API_SERVER = "cli/serve.py:add_parser_api_server:cli/utils.py"


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
            " image to a container image that has it"
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


def programs_here(given, out):
    program = install(given.requirements, out / "venv") if given.requirements else given.lmdeploy
    program = found(program or "lmdeploy", "lmdeploy")
    return {"lmdeploy": program, "python": python_of(program)}


def tritonserver_here(given):
    wanted = given.tritonserver or shutil.which("tritonserver") or TRITON
    return {"tritonserver": found(wanted, "tritonserver")}


def versions_of(given, python):
    words = [python, "-c", ASK]
    done = subprocess.run(words, stdout=subprocess.PIPE, universal_newlines=True, check=False)
    if done.returncode:
        where = f"image {given.image}" if given.image else python
        raise Failed(
            f"{where} has no package lmdeploy, for the reason above; set image, or lmdeploy to the"
            " program of an installation that has it"
        )
    version, own = done.stdout.split()[-2:]
    return {"lmdeploy": version, "python": own}


def libraries_beside(programs):
    """In LMDeploy's image, TurboMind's library lies there."""
    server = programs.get("tritonserver", "")
    folder = os.path.join(os.path.dirname(os.path.dirname(server)), "lib")
    return folder if server and os.path.isdir(folder) else ""


def release(version):
    """0.5.2.post1 and 0.5.2+cu118 are 0.5.2."""
    return re.match(r"(\d+(\.\d+){0,2})?", version)[0]


def check_version(found_version, wanted, program):
    if release(found_version) != wanted:
        raise Failed(
            f"tool mismatch: {program} is LMDeploy {found_version}, and lmdeploy_version is"
            f" {wanted}; set lmdeploy_version: {release(found_version)}, or use an installation of"
            f" {wanted}"
        )


def read_arguments(words):
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--version", required=True)
    for name in ("lmdeploy", "requirements", "tritonserver", "libraries", "image"):
        parser.add_argument("--" + name, default="")
    parser.add_argument("--find-tritonserver", action="store_true")
    parser.add_argument("out", type=Path)
    return parser.parse_args(words)


def main(words):
    given = read_arguments(words)
    out = given.out.resolve()
    programs = programs_here(given, out)
    versions = versions_of(given, programs["python"])
    where = f"image {given.image}" if given.image else programs["lmdeploy"]
    check_version(versions["lmdeploy"], given.version, where)
    if given.tritonserver or given.find_tritonserver:
        programs.update(tritonserver_here(given))
    options = find_engine.declared_options(
        programs["python"], ("lmdeploy", "lmdeploy"), [API_SERVER]
    )
    environment = {
        "name": "LMDeploy",
        "parameter": "lmdeploy_version",
        "argparse": True,
        "options": options,
        "programs": programs,
        "version": versions["lmdeploy"],
        "metadata": "",
        "libraries": given.libraries or ("" if given.image else libraries_beside(programs)),
    }
    for name, content in {"environment": environment, "versions": versions}.items():
        (out / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    print(f"{where} is LMDeploy {versions['lmdeploy']}")


if __name__ == "__main__":
    run(main, subprocess.CalledProcessError)
