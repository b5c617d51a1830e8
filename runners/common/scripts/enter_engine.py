"""enter_engine.py ENVIRONMENT COMMAND...: becomes COMMAND, with the program that find_engine.py
found in place of COMMAND's first word; in its container, if it is in one.

It first checks that the engine is still of the version that was found, and that COMMAND's options
are among those that it has: a server would load for a minute to refuse one.
"""
import json
import os
import re
import shutil
from pathlib import Path

import containers
import tool_options
from stage import Failed, run

IN_A_STORE = ("/artifacts/", "/attempts/")


def remedy(folder):
    return (
        f"delete {os.path.dirname(os.path.abspath(folder))}, so that the engine is searched again"
    )


def load(folder):
    path = Path(folder) / "environment.json"
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise Failed(f"{path}: not JSON; it is damaged; {remedy(folder)}") from None


def version_of(metadata):
    """The version in a distribution's METADATA; "" if it is gone."""
    try:
        lines = Path(metadata).read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return next((line[8:].strip() for line in lines if line.startswith("Version:")), "")


def check_unchanged(folder, environment):
    name, box, metadata = (environment[key] for key in ("name", "box", "metadata"))
    if box:
        if containers.identity(box["engine"], box["image"]) is None:
            again = box["identity"]["digest"] or box["image"]
            raise Failed(
                f"image {box['identity']['name']} was changed or removed since {name} was found in"
                f" it; pull {again}, or {remedy(folder)}"
            )
    elif metadata and version_of(metadata) != environment["version"]:
        raise Failed(
            f"tool mismatch: {name} {environment['version']} was found on this machine, and"
            f" {metadata} now says {version_of(metadata) or 'nothing'}; {remedy(folder)}"
        )


def contained(words, folder, box):
    """The command line of the container. Whole stores are mounted: files of one name others."""
    os.environ.update(box["client"])
    containers.hold_input()
    stores = [
        path.partition(part)[0]
        for path in (os.path.abspath(folder), os.getcwd())
        for part in IN_A_STORE
        if part in path
    ]
    variables = dict(os.environ)
    also = stores or [os.path.abspath(folder)]
    folders = containers.folders_of(box, words, variables, also)
    return containers.command(box, words, variables, folders)


def with_program(command, program):
    """Assignments and env in front of the program stay."""
    place = 0
    if os.path.basename(command[0]) == "env":
        place = next(i for i, word in enumerate(command) if i and "=" not in word)
    return [*command[:place], program, *command[place + 1 :]]


def is_accepted(name, options):
    """Whether argparse takes NAME for an option, although it is not spelled so: as the start of
    one, as the opposite of a switch, with underscores, or with a key behind a point. Not all
    programs take all of them; the program itself decides then.
    """
    plain = name.partition(".")[0].replace("_", "-")
    opposite = "--" + plain[5:] if plain.startswith("--no-") else plain
    return any(one.startswith((plain, opposite)) for one in options)


def check_options(words, environment):
    """WORDS are those behind the program."""
    options = environment["options"]
    for place, word in enumerate(words):
        name = word.partition("=")[0]
        if not options or not re.match(r"--[A-Za-z]", word):
            continue
        if name not in options and environment["argparse"] and is_accepted(name, options):
            continue
        problem = tool_options.problem_of(word, words[place + 1 : place + 2], options)
        if problem:
            raise Failed(
                f"invalid option {name} of {environment['name']} {environment['version']}:"
                f" {problem}; correct the parameter that adds it (server_options, for example), or"
                f" set {environment['parameter']} to a release that has it"
            )


def main(arguments):
    if len(arguments) < 2:
        raise Failed("two arguments are needed: the output of find_engine.py, and a command")
    folder, command = arguments[0], arguments[1:]
    environment = load(folder)
    check_unchanged(folder, environment)
    words = with_program(command, environment["program"])
    check_options(words[words.index(environment["program"]) + 1 :], environment)
    if environment["box"]:
        words = contained(words, folder, environment["box"])
    containers.become([shutil.which(words[0]) or words[0], *words[1:]], dict(os.environ))


if __name__ == "__main__":
    run(main)
