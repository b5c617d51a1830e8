"""Writes drift.json from the recorded option lists: for each option of each tool the releases that
have it, and the changes of its default, choices and form. It does not know which of them the runner
uses. `drift.py --check` fails if the file is out of date."""

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


def release_range(version, known):
    """(first release, last release, evidence) that a record describes; a development version
    describes its release with the evidence "neighbour"."""
    if version == "1.x":
        return "1.2.0" if "1.1.0rc6" in known else "1.0.0", "1.2.1", "neighbour"
    release = version.split(".dev")[0].split("rc")[0]
    return release, release, "verified" if options.is_release(version) else "neighbour"


def timeline(tool):
    """[(first release, last release, evidence, record)], oldest first. A record of a
    release replaces those of its development versions."""
    rows = {}
    known = options.versions(tool)
    for version in known:
        first, last, evidence = release_range(version, known)
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
    """The evidence for a change between two neighbouring rows: "inferred" if releases between them
    were not read."""
    start, end = options.order(before[1]), options.order(after[0])
    if any(start < options.order(release) < end for release in releases()):
        return "inferred"
    return "verified" if before[2] == after[2] == "verified" else "neighbour"


def worst(words):
    return max(words, key=["verified", "neighbour", "inferred"].index, default="verified")


def changes_of(rows):
    """ROWS of one option: (first release, last release, evidence, option)."""
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


def ranges_of(tool, name):
    """One row per uninterrupted range of releases that have the option; most options have one."""
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
    """Option -> its rows. since is null if the oldest recorded release has the option; until and
    gone are null if the newest has it. Releases between last_without and since, and between until
    and gone, could not be read."""
    rows_by_option = {}
    for tool in TOOLS:
        for name in dict.fromkeys(
            name for row in timeline(tool) for name in options.spelled(row[3])
        ):
            rows_by_option.setdefault(name, []).extend(ranges_of(tool, name))
    return rows_by_option


def formatted(rows_by_option):
    blocks = []
    for name, rows in sorted(rows_by_option.items()):
        blocks.append(
            f"  {json.dumps(name)}: [\n"
            + ",\n".join(f"    {json.dumps(row)}" for row in rows)
            + "\n  ]"
        )
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def main():
    text = formatted(drift())
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
