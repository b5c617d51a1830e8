"""The options of a server's command line, release by release, as text; and a reader of command
lines that knows them. It does not know what an option does.

A table is a file of lines `FROM..TO NAMES KIND`: the releases (of those in its line `releases`) in
which the option has these names and takes such a value. KIND is flag, int, float, str, or the
allowed values with | between them; with + at its end one or more of them, with * any number, with
? at most one; with ! at its end the option is required."""

import collections
import difflib
import pathlib
import re

Option = collections.namedtuple("Option", "names kind many required")
NUMBER = re.compile(r"-\d")


def parse_kind(text):
    required = text.endswith("!")
    text = text.removesuffix("!")
    many = text[-1] if text[-1] in "+*?" else ""
    return text.removesuffix(many), many, required


class Table:
    def __init__(self, path):
        self.releases, self.rows = [], []
        for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
            first, *rest = line.split() or ["#"]
            if first == "releases":
                self.releases = rest
            elif not first.startswith("#"):
                since, until = first.split("..")
                names, kind = rest
                self.rows.append((since, until, Option(names.split(","), *parse_kind(kind))))

    def place(self, release):
        if release not in self.releases:
            raise LookupError(f"{release} was not read; {', '.join(self.releases)} were")
        return self.releases.index(release)

    def at(self, release):
        """The options of RELEASE, by each of their names."""
        here = self.place(release)
        return {
            name: option
            for since, until, option in self.rows
            if self.place(since) <= here <= self.place(until)
            for name in option.names
        }

    def releases_with(self, name):
        return [one for one in self.releases if name in self.at(one)]


def text_of(rows):
    """The lines of a table. ROWS: {release: {names: kind}}, the oldest release first."""
    releases, found = list(rows), {}
    for here, release in enumerate(releases):
        for row in rows[release].items():
            ranges = found.setdefault(row, [])
            if ranges and ranges[-1][1] == here - 1:
                ranges[-1][1] = here
            else:
                ranges.append([here, here])
    lines = [
        f"{releases[since]}..{releases[until]} {names} {kind}"
        for (names, kind), ranges in sorted(found.items())
        for since, until in ranges
    ]
    return "\n".join(["releases " + " ".join(releases), *lines]) + "\n"


def accepts(option, value):
    if option.kind == "flag":
        return False
    if option.kind in ("int", "float"):
        try:
            {"int": int, "float": float}[option.kind](value)
        except ValueError:
            return False
        return True
    return option.kind == "str" or value in option.kind.split("|")


def read(words, options):
    """({first name of an option: its values}, the problems in words). A word that is no option and
    no value of one is under ""."""
    found, problems, words = {}, [], list(words)
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            found.setdefault("", []).append(word)
            continue
        name, equals, value = word.partition("=")
        if name not in options:
            near = difflib.get_close_matches(name, options, 1, 0.6)
            problems.append(f"{name} is no option" + (f"; {near[0]} is" if near else ""))
            continue
        option = options[name]
        values = [value] if equals else taken(option, words)
        problems += problems_of(name, option, values, option.names[0] in found)
        found[option.names[0]] = values
    missing = {option.names[0] for option in options.values() if option.required} - set(found)
    return found, problems + [f"{name} is required" for name in sorted(missing)]


def taken(option, words):
    """The values of an option: removed from the front of WORDS."""
    most = {"": 1, "?": 1}.get(option.many, len(words)) if option.kind != "flag" else 0
    values = []
    while words and len(values) < most and (not words[0].startswith("-") or NUMBER.match(words[0])):
        values.append(words.pop(0))
    return values


def problems_of(name, option, values, again):
    if again:
        yield f"{name} is given twice"
    if not values and option.kind != "flag" and option.many not in ("*", "?"):
        yield f"{name} lacks its value"
    for value in values:
        if not accepts(option, value):
            yield f"{name} takes {option.kind} and got {value}"
