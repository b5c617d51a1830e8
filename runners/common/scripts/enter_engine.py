"""enter_engine.py ENVIRONMENT COMMAND...: becomes COMMAND, with the program that find_engine.py
found in place of COMMAND's first word.

It first checks that the engine is still of the version that was found, and that COMMAND's options
are among those that it has: a server would load for a minute to refuse one.
"""
import json
import os
import re
import sys
from pathlib import Path

import tool_options
from stage import Failed, run


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
    name, metadata = environment["name"], environment["metadata"]
    if metadata and version_of(metadata) != environment["version"]:
        raise Failed(
            f"tool mismatch: {name} {environment['version']} was found here, and {metadata} now"
            f" says {version_of(metadata) or 'nothing'}; {remedy(folder)}"
        )


def become(words):
    sys.stdout.flush()
    sys.stderr.flush()
    os.execvp(words[0], words)


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
    become(words)


if __name__ == "__main__":
    run(main)
