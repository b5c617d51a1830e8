"""The recorded option lists: the versions in order, and the options of a tool's parser at each of
them. It does not know command lines; check_command.py does."""

import functools
import json
import os
import re

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "options")


def order(version):
    """0.12.0.dev2024072300 < 0.12.0 < 0.12.1; 1.x means an unknown release from 1.0 to 1.2."""
    if version == "1.x":
        return (1, 2, 99, 1, 0)
    numbers = [int(each) for each in re.match(r"\d+(\.\d+)*", version).group(0).split(".")]
    numbers = (numbers + [0, 0, 0])[:3]
    before = re.search(r"(dev|rc)(\d+)", version)
    return (*numbers, 0 if before else 1, int(before.group(2)) if before else 0)


def is_release(version):
    return re.fullmatch(r"\d+\.\d+\.\d+", version) is not None


@functools.cache
def versions(tool):
    """The versions at which this tool was recorded, oldest first."""
    return sorted(
        (
            name
            for name in os.listdir(FOLDER)
            if os.path.exists(os.path.join(FOLDER, name, tool + ".json"))
        ),
        key=order,
    )


def closest_record(version, tool):
    """The recorded version closest to VERSION: itself, a record of 1.0 to 1.2 for those, or else
    the newest one that is not newer."""
    known = versions(tool)
    if version in known:
        return version
    if (1, 0, 0) <= order(version)[:3] < (1, 3, 0):
        best = ("1.x", "1.1.0rc6") if order(version)[:3] >= (1, 2, 0) else ("1.1.0rc6", "1.x")
        near = [each for each in best if each in known]
        if near:
            return near[0]
    older = [each for each in known if order(each) <= order(version)]
    if not older:
        raise LookupError(
            f"nothing is known of {tool} at {version}; it was recorded at"
            f" {', '.join(known) if known else 'no version'}"
        )
    return older[-1]


@functools.cache
def load(version, tool):
    with open(os.path.join(FOLDER, version, tool + ".json"), encoding="utf-8") as file:
        return json.load(file)


def levels(recorded):
    """A tool's own options and those of each of its subcommands."""
    yield recorded
    for level in recorded.get("commands", {}).values():
        if "unread" not in level:
            yield from levels(level)


def spelled(level):
    """Spelling -> option, negative spellings (--no-…) included."""
    return {
        spelling: option
        for option in level["options"]
        for spelling in [*option["spellings"], *option.get("negative", [])]
    }


def versions_where(tool, holds):
    """The recorded versions of the tool for which holds(recorded), as text with ranges over
    recorded versions."""
    known = versions(tool)
    good = [holds(load(version, tool)) for version in known]
    runs, start = [], None
    for index, right in enumerate([*good, False]):
        if right and start is None:
            start = index
        if not right and start is not None:
            runs.append(
                known[start] if start == index - 1 else f"{known[start]} to {known[index - 1]}"
            )
            start = None
    return " and ".join(runs)
