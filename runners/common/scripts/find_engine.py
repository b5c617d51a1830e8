"""find_engine.py --name NAME --version VERSION [--package PACKAGE [--module MODULE]
[--declared PLACE]...] [--image NAME] PROGRAM OUT: finds an inference engine here, checks that it is
of that release, and reads its options. NAME: the image in whose container this runs.

PROGRAM is a Python interpreter with PACKAGE, whose options argparse_options.py reads in the PLACEs
of MODULE; or without PACKAGE a program that prints its version, and its options for --help. It is a
path, or a name on PATH. OUT/environment.json is for enter_engine.py, OUT/versions.json has the
versions. It does not start the engine.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import tool_options
from stage import Failed, run

READER = Path(__file__).resolve().parent / "argparse_options.py"

# Printed by the interpreter itself: the packages beside it may be of any kind.
PROBE = """
import importlib.metadata, json, sys
version = sys.version.split()[0]
try:
    found = importlib.metadata.distribution({package!r})
    file = str(getattr(found, "_path", "")) + "/METADATA"
    print(json.dumps({{"version": found.version, "metadata": file, "python": version}}))
except importlib.metadata.PackageNotFoundError:
    print(json.dumps({{"version": "", "metadata": "", "python": version}}))
"""


def release(version):
    """0.5.12.post1 and 0.5.12rc0 are of 0.5.12."""
    numbers = re.match(r"v?(\d+(?:\.\d+){0,2})", version)
    parts = [int(one) for one in numbers.group(1).split(".")] if numbers else []
    return tuple(parts + [0] * (3 - len(parts)))


def place_of(given):
    return f"image {given.image}" if given.image else "this machine"


def program_here(given):
    """Its path. A link stays one: that of a virtual environment is what makes it one."""
    path = shutil.which(given.program)
    if not path:
        remedy = "set another image" if given.image else "name its path, or set image"
        raise Failed(
            f"{given.program}: no such program on {place_of(given)}; install {given.name} and"
            f" {remedy}"
        )
    return os.path.abspath(path)


def said(words):
    """What a command says: its exit status and its output."""
    done = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True
    )
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def found_in(given, program):
    words = [program, "--version"]
    if given.package:
        words = [program, "-c", PROBE.format(package=given.package)]
    status, output, errors = said(words)
    last = output.splitlines()[-1] if output else ""
    if status or not last:
        print(errors, flush=True)
        raise Failed(
            f"{program} of {place_of(given)} does not say its version (exit status {status}), for"
            f" the reason above; is it {given.name}?"
        )
    if given.package:
        return json.loads(last)
    number = re.search(r"\d+\.\d+\.\d+\S*", last)
    return {"version": number.group(0) if number else "", "metadata": "", "python": ""}


def declared_options(python, package, places):
    """The options that a Python package declares; {} where they cannot be known. PACKAGE is the
    names of its module and its distribution.
    """
    status, output, errors = said([python, str(READER), *package, *places])
    if status:
        print(errors, flush=True)
        return {}
    return json.loads(output.splitlines()[-1])


def options_of(given, program):
    if given.package:
        package = given.module or given.package, given.package
        return declared_options(program, package, given.declared)
    found = tool_options.parse_help(said([program, "--help"])[1])
    return found if len(found) > 1 else {}  # every parser has --help


def check_version(given, found, program):
    wanted = given.version
    if not found["version"]:
        raise Failed(f"tool mismatch: {program} has no {given.name}; install {wanted} into it")
    if release(found["version"]) != release(wanted):
        raise Failed(
            f"tool mismatch: {program} has {given.name} {found['version']}, and {wanted} is asked"
            f" for; set {given.parameter}: {'.'.join(map(str, release(found['version'])))}, or"
            f" install {wanted}"
        )


def write(given, program, found):
    environment = {
        "name": given.name,
        "program": program,
        "parameter": given.parameter,
        "argparse": bool(given.package),
        "options": options_of(given, program),
        **found,
    }
    count = len(environment["options"])
    print(f"{count} options were read" if count else "its options are not known: none is checked")
    versions = {given.name.lower(): found["version"], "python": found["python"]}
    versions = {key: value for key, value in versions.items() if value}
    for name, content in (("environment.json", environment), ("versions.json", versions)):
        text = json.dumps(content, indent=1, sort_keys=True) + "\n"
        (Path(given.out) / name).write_text(text, encoding="utf-8")


def read_arguments(words):
    parser = argparse.ArgumentParser(allow_abbrev=False)
    for name in ("name", "version", "parameter"):
        parser.add_argument("--" + name, required=True)
    for name in ("package", "module", "image"):
        parser.add_argument("--" + name, default="")
    parser.add_argument("--declared", action="append", default=[])
    parser.add_argument("program")
    parser.add_argument("out")
    return parser.parse_args(words)


def main(words):
    given = read_arguments(words)
    program = program_here(given)
    found = found_in(given, program)
    check_version(given, found, program)
    print(f"{program}: {given.name} {found['version']}")
    write(given, program, found)


if __name__ == "__main__":
    run(main)
