"""Writes drift.json from the recorded option lists: for each option of each tool the releases that
have it, and where its default, its choices or its form changed. It does not know which of them the
runner uses. `drift.py --check` says whether the file is up to date."""

import functools
import json
import os
import sys

import options

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = os.path.join(HERE, "drift.json")
TOOLS = [
    "convert-qwen",
    "convert-llama",
    "convert-gpt",
    "convert-medusa",
    "convert-redrafter",
    "convert-eagle",
    "quantize",
    "build",
    "run",
    "launch",
]
FORM = ["type", "action", "nargs", "choices", "default", "required"]


def standing_for(version, known):
    """The releases that a record speaks for, first and last, and how well: a development version
    speaks for its release as a neighbour."""
    if version == "1.x":
        return "1.2.0" if "1.1.0rc6" in known else "1.0.0", "1.2.1", "neighbour"
    release = version.split(".dev")[0].split("rc")[0]
    return release, release, "verified" if options.is_release(version) else "neighbour"


def timeline(tool):
    """[(first release, last release, evidence, record)], oldest first; where a release itself was
    recorded, its development versions are left out."""
    rows = {}
    known = options.versions(tool)
    for version in known:
        first, last, evidence = standing_for(version, known)
        rows[first] = (
            first,
            last,
            evidence,
            options.load(version, tool),
        )  # the newest record of a release comes last
    return list(rows.values())


@functools.cache
def releases():
    with open(os.path.join(HERE, "layout.json"), encoding="utf-8") as file:
        return list(json.load(file)["versions"])


def evidence_of(before, after):
    """How well a change between two neighbouring rows is known: inferred where releases between
    them were not read."""
    start, end = options.order(before[1]), options.order(after[0])
    if any(start < options.order(release) < end for release in releases()):
        return "inferred"
    return "verified" if before[2] == after[2] == "verified" else "neighbour"


def worst(words):
    return max(words, key=["verified", "neighbour", "inferred"].index, default="verified")


def changes_of(rows):
    """rows are of one option: (first release, last release, evidence, option)."""
    return [
        {
            "at": after[0],
            "what": key,
            "from": before[3].get(key),
            "to": after[3].get(key),
            "evidence": evidence_of(before, after),
        }
        for before, after in zip(rows, rows[1:])
        for key in FORM
        if before[3].get(key) != after[3].get(key)
        and "unread" not in json.dumps([before[3].get(key), after[3].get(key)])
    ]


def stretches(tool, name):
    """One row per run of releases that have the option; most options have one."""
    rows = [(*row[:3], options.spelled(row[3]).get(name)) for row in timeline(tool)]
    start = None
    for index, row in enumerate([*rows, None]):
        if row and row[3]:
            start = index if start is None else start
        elif start is not None:
            before, after = rows[start - 1] if start else None, row
            edges = [
                evidence_of(*pair)
                for pair in ((before, rows[start]), (rows[index - 1], after))
                if pair[0] and pair[1]
            ]
            yield {
                "tool": tool,
                "since": rows[start][0] if before else None,
                "last_without": before[1] if before else None,
                "until": rows[index - 1][1] if after else None,
                "gone": after[0] if after else None,
                "evidence": worst(edges),
                "changes": changes_of(rows[start:index]),
            }
            start = None


def drift():
    """Option -> its rows. since is null where the oldest recorded release has it, until and gone
    are null where the newest has; between last_without and since, and between until and gone, lie
    the releases that could not be read."""
    made = {}
    for tool in TOOLS:
        for name in dict.fromkeys(
            name for row in timeline(tool) for name in options.spelled(row[3])
        ):
            made.setdefault(name, []).extend(stretches(tool, name))
    return made


def laid_out(made):
    blocks = []
    for name, rows in sorted(made.items()):
        blocks.append(
            f"  {json.dumps(name)}: [\n"
            + ",\n".join(f"    {json.dumps(row)}" for row in rows)
            + "\n  ]"
        )
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def main():
    text = laid_out(drift())
    if sys.argv[1:] == ["--check"]:
        with open(FILE, encoding="utf-8") as file:
            sys.exit(
                0
                if file.read() == text
                else "drift.json is older than the recorded options; run drift.py"
            )
    with open(FILE, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
