"""Checks command lines of TensorRT-LLM's tools: every word must be an option of their version,
written in full, given once, with a valid value, and every required option must be given. It knows
the recorded lists and how argparse and click read words; it does not know GPUs.

check_command.py [FILE] [--upstream DIR ...]

FILE (or the standard input) holds one JSON object per line: {"version": "0.14.0", "tool": "build",
"argv": ["--max_batch_size", "8"]}. DIR is a git directory or a work tree of upstream; where it
holds the commit of a record, upstream's own parser reads the line too and must agree. The exit
status is 0 if every line is right (and the parsers agree), 1 if not, 2 if the input is
unreadable."""

import argparse
import collections
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile

import options
import upstream

Problem = collections.namedtuple("Problem", "kind text")

# Problems that the real parsers accept and this check refuses.
STRICTER = {"abbreviation", "repeated", "swallowed"}

NUMBER = re.compile(r"-\d+$|-\d*\.\d+$")


def listed(words):
    words = [str(word) for word in words]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


class Reader:
    """Reads the words of one level (a tool, or one subcommand) as its parser would, and collects
    the problems."""

    def __init__(self, title, tool, level, click):
        self.title, self.tool, self.level, self.click = title, tool, level, click
        self.options = options.spelled(level)
        self.problems, self.given, self.places = [], collections.Counter(), []

    def add(self, kind, text):
        self.problems.append(Problem(kind, f"{self.title}: {text}"))

    def elsewhere(self, holds, claim):
        """The versions at which the same words would be right, as the end of a sentence."""
        where = options.versions_where(
            self.tool, lambda recorded: any(map(holds, options.levels(recorded)))
        )
        return f"; {claim} at {where}" if where else ""

    def looks_like_option(self, word):
        if len(word) < 2 or not word.startswith("-"):
            return False
        name = word.split("=", 1)[0]
        begun = word.startswith("--") and any(each.startswith(name) for each in self.options)
        return (
            word in self.options
            or name in self.options
            or begun
            or (" " not in word and not NUMBER.match(word))
        )

    def named(self, name):
        """The spelling that a name stands for, or None; an abbreviated name is a problem."""
        if name in self.options:
            return name
        near = [] if self.click else [each for each in self.options if each.startswith(name)]
        candidates = {self.options[each]["spellings"][0] for each in near}
        if len(near) == 1:
            self.add("abbreviation", f"{name} is not written in full; the option is {near[0]}")
            return near[0]
        if near:
            self.add(
                "unknown",
                f"{name} could be {listed(sorted(candidates))}; write the intended one in full",
            )
            return None
        close = difflib.get_close_matches(name, self.options, 1, 0.65)
        nearest = f"; the nearest is {close[0]}" if close else ""
        where = (
            self.elsewhere(lambda level: name in options.spelled(level), f"{name} is one")
            or "; no recorded version has it"
        )
        self.add("unknown", f"{name} is not an option{nearest}{where}")
        return None

    def option(self, word, rest):
        """Reads one option and its values; removes the values from REST."""
        name, explicit = word, None
        if word not in self.options and "=" in word:
            name, explicit = word.split("=", 1)
        spelling = self.named(name)
        if spelling is None:
            while rest and not self.looks_like_option(
                rest[0]
            ):  # its values belong to the same mistake
                rest.pop(0)
            return
        option = self.options[spelling]
        self.count(spelling, option)
        if option["type"] == "flag":
            if explicit is not None:
                self.add("value", f"{spelling} takes no value and got {explicit}")
            return
        self.values(
            spelling,
            option,
            [explicit] if explicit is not None else self.taken(spelling, option, rest),
        )

    def count(self, spelling, option):
        key = option["spellings"][0]
        self.given[key] += 1
        if self.given[key] == 2 and option["action"] not in ("append", "count"):
            self.add(
                "repeated", f"{spelling} is given more than once; only the last one would count"
            )

    def taken(self, spelling, option, rest):
        most = {"?": 1, "+": len(rest), "*": len(rest), None: 1}.get(
            option.get("nargs"), option.get("nargs")
        )
        values = []
        while (
            rest
            and len(values) < most
            and (self.click or not self.looks_like_option(rest[0]))
            and rest[0] != "--"
        ):
            values.append(rest.pop(0))
        if self.click and any(value in self.options for value in values):
            self.add(
                "swallowed",
                f"{spelling} is followed by {listed(values)}, which it takes for its value",
            )
        return values

    def values(self, spelling, option, values):
        nargs = option.get("nargs")
        least = {"?": 0, "*": 0, "+": 1, None: 1}.get(nargs, nargs)
        if len(values) < least:
            need = f"needs {least} values" if least > 1 else f"needs a value ({kind_of(option)})"
            self.add(
                "value",
                f"{spelling} {need}"
                + self.elsewhere(
                    lambda level: options.spelled(level).get(spelling, {}).get("type") == "flag",
                    "without one it is right",
                ),
            )
        for value in values:
            if not accepts(option, value):
                self.add(
                    "value",
                    f"{spelling} takes {kind_of(option)} and got {value}"
                    + self.elsewhere(
                        lambda level: spelling in options.spelled(level)
                        and accepts(options.spelled(level)[spelling], value),
                        f"{value} is right",
                    ),
                )

    def read(self, words):
        """Reads all words; a group of subcommands stops at its first plain word and returns the
        rest."""
        rest = list(words)
        while rest:
            word = rest.pop(0)
            if word == "--" and self.click:
                self.places += rest
                return []
            if word == "--":
                self.add("stray", "-- ends the options of a tool that takes nothing else")
                return []
            if self.looks_like_option(word):
                self.option(word, rest)
            elif "commands" in self.level:
                return [word, *rest]
            else:
                self.places.append(word)
        return []

    def finish(self):
        for option in self.level["options"]:
            if option.get("required") and not self.given[option["spellings"][0]]:
                self.add("missing", f"{option['spellings'][0]} is required and not given")
        expected = self.level["positionals"]
        for place in expected[len(self.places) :]:
            if place["required"]:
                self.add("missing", f"{place['name'].upper()} is required and not given")
        if not any(str(place.get("nargs", "")) in ("*", "+", "-1") for place in expected):
            for word in self.places[len(expected) :]:
                self.add("stray", f"{word} is neither an option nor the value of one")


def kind_of(option):
    if plain_choices(option):
        return listed(option["choices"])
    bounds = [
        f"at {word} {option[key]}"
        for key, word in (("min", "least"), ("max", "most"))
        if key in option
    ]
    return " ".join(
        [
            {"choice": "str", "<lambda>": "str"}.get(option["type"], option["type"]),
            " and ".join(bounds),
        ]
    ).strip()


def plain_choices(option):
    """The choices, or None if some of them could not be read."""
    choices = option.get("choices")
    return choices if choices and not any(isinstance(each, dict) for each in choices) else None


def accepts(option, value):
    if option["type"] == "flag":
        return False
    try:
        value = {"int": int, "float": float}.get(option["type"], str)(value)
    except ValueError:
        return False
    if option["type"] == "KVCacheType":
        value = value.lower()
    if "min" in option and value < option["min"] or "max" in option and value > option["max"]:
        return False
    choices = plain_choices(option)
    return choices is None or value in choices


def check(version, tool, argv):
    """The problems of ARGV, the words after the program's name; empty if it is right. A version
    without a record is checked against the closest record, and each problem names that record.
    """
    known = options.closest_record(version, tool)
    recorded = options.load(known, tool)
    title = (
        f"{version} {tool}" if known == version else f"{version} {tool}, by the record of {known}"
    )
    return check_level(title, tool, recorded, argv, recorded["parser"] == "click")


def check_level(title, tool, level, words, click):
    reader = Reader(title, tool, level, click)
    rest = reader.read(words)
    reader.finish()
    commands = level.get("commands")
    if commands is None:
        return reader.problems
    name = rest[0] if rest and rest[0] in commands else level["default_command"] if rest else None
    if name is None:
        reader.add(
            "command",
            (
                f"{f'{rest[0]} is no command of it' if rest else 'a command is missing'}; it has"
                f" {', '.join(commands)}"
            ),
        )
    elif "unread" in commands[name]:
        reader.add("unread", f"the options of {name} could not be read at this version")
    else:
        inner = rest[1:] if rest[0] in commands else rest
        return [*reader.problems, *check_level(title, tool, commands[name], inner, click)]
    return reader.problems


def holds_commit(folder, commit):
    git = next(
        (each for each in (folder, os.path.join(folder, ".git")) if upstream.is_git_dir(each)), None
    )
    if (
        git
        and subprocess.run(
            ["git", f"--git-dir={git}", "cat-file", "-e", commit + "^{commit}"], capture_output=True
        ).returncode
        == 0
    ):
        return git
    return None


def is_version(folder, version):
    path = os.path.join(folder, "tensorrt_llm", "version.py")
    if not os.path.exists(path):
        return False
    with open(path, encoding="utf-8") as file:
        return f'"{version}"' in file.read()


class RealParsers:
    """Runs upstream's own parsers, one process per tool and version; answers None where no folder
    has that version."""

    def __init__(self, folders, scratch):
        self.folders, self.scratch, self.running = folders, scratch, {}

    def tree(self, version, tool):
        commit = options.load(version, tool)["source"]["commit"]
        for folder in self.folders:
            git = holds_commit(folder, commit)
            if git:
                into = os.path.join(self.scratch, commit)
                if not os.path.isdir(into):
                    upstream.extract(git, commit, into)
                return into
            if is_version(folder, version) and upstream.has(folder, tool):
                return folder
        return None

    def ask(self, version, tool, argv):
        key = (version, tool)
        if key not in self.running:
            tree = self.tree(version, tool)
            self.running[key] = tree and subprocess.Popen(
                [sys.executable, upstream.__file__, tree, tool],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        process = self.running[key]
        if not process:
            return None
        process.stdin.write(json.dumps(argv) + "\n")
        process.stdin.flush()
        reply = process.stdout.readline()
        if not reply:
            raise LookupError(f"the real parser of {tool} at {version} ended without an answer")
        return json.loads(reply)

    def close(self):
        for process in filter(None, self.running.values()):
            process.stdin.close()
            process.stdout.close()
            process.wait(timeout=60)


def disagreement(version, tool, problems, real):
    """A sentence if the real parser disagrees. It must accept the problems in STRICTER."""
    accepted = all(problem.kind in STRICTER for problem in problems)
    if (
        real is None
        or any(problem.kind == "unread" for problem in problems)
        or real["accepted"] == accepted
    ):
        return None
    if real["accepted"]:
        return (
            f"{version} {tool}: the real parser accepts this line, and the recorded options do not"
        )
    return (
        f"{version} {tool}: the recorded options accept this line, and the real parser does not:"
        f" {real['message']}"
    )


def lines_of(file):
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            yield number, row["version"], row["tool"], [str(word) for word in row["argv"]]
        except (ValueError, KeyError, TypeError) as error:
            sys.stderr.write(
                f"line {number} is not a command line: {type(error).__name__} {error}; write"
                ' {"version": ..., "tool": ..., "argv": [...]}\n'
            )
            sys.exit(2)


def main():
    parser = argparse.ArgumentParser(
        description="Check command lines of TensorRT-LLM's tools.", allow_abbrev=False
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="command lines as JSON lines; the standard input if absent",
    )
    parser.add_argument(
        "--upstream",
        metavar="DIR",
        action="append",
        default=[],
        help="a git directory or work tree of upstream",
    )
    arguments = parser.parse_args()
    source = open(arguments.file, encoding="utf-8") if arguments.file else sys.stdin
    total = wrong = compared = 0
    with source, tempfile.TemporaryDirectory() as scratch:
        real = RealParsers(arguments.upstream, scratch)
        for number, version, tool, argv in lines_of(source):
            try:
                problems = check(version, tool, argv)
                answer = real.ask(options.closest_record(version, tool), tool, argv)
            except LookupError as error:
                sys.stderr.write(f"line {number}: {error}\n")
                sys.exit(2)
            findings = [problem.text for problem in problems] + [
                each for each in [disagreement(version, tool, problems, answer)] if each
            ]
            total, wrong, compared = total + 1, wrong + bool(findings), compared + bool(answer)
            for text in findings:
                print(f"line {number}: {text}")
        real.close()
    print(
        f"{total} lines, {wrong} wrong, {compared} compared with the real parser", file=sys.stderr
    )
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
