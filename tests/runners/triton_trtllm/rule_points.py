"""The rules of runners/triton-trtllm, and points to evaluate them on: the values of a row of
rules/*.yaml for a model, a machine and parameters, and all computed values, in SQLite. A second,
independent implementation of the way in which orchestrate evaluates expressions.

A row has a `source`: OWNER/NAME#N is an issue of GitHub, PATH:LINE@TAG a line of
NVIDIA/TensorRT-LLM, `document N` one of the documents; `model` (of models.json; `stated` overrides
its facts), `point`, `host`, and the result to `expect` from the rule above it: reject, warn or
accept; `says` is the message; `also` and `warns` name further rules that the row breaks."""

import json
import pathlib
import re
import sqlite3

import yaml

HERE = pathlib.Path(__file__).resolve().parent
RUNNER = HERE.parents[2] / "runners" / "triton-trtllm"
MODELS = json.loads((HERE / "models.json").read_text())["models"]
COLUMNS = {
    "text": "TEXT",
    "list": "TEXT",
    "integer": "INTEGER",
    "real": "REAL",
    "boolean": "INTEGER",
    "version": "TEXT COLLATE version",
    "path": "TEXT",
    "model": "TEXT",
    "dataset": "TEXT",
}
LOAD = {"concurrency": 1}  # of a row without a load, because every point needs one
HOST = {
    "nodes": "integer",
    "gpus": "integer",
    "gpu_model": "text",
    "gpu_memory_gib": "real",
    "mig": "text",
}
# Functions that orchestrate allows in expressions, as far as this runner uses them.
FUNCTIONS = {
    *(
        "abs",
        "cast",
        "ceil",
        "coalesce",
        "glob",
        "iif",
        "instr",
        "length",
        "like",
        "max",
        "min",
        "nullif",
        "replace",
        "round",
    ),
    "substr",
}


def load_runner():
    manifest = yaml.safe_load((RUNNER / "runner.yaml").read_text())
    manifest.setdefault("rules", [])
    for part in manifest["parts"]:
        folder = RUNNER.parent if part.startswith("common/") else RUNNER
        content = yaml.safe_load((folder / part).read_text()) or {}
        for name, declared in (content.get("parameters") or {}).items():
            manifest["parameters"][name] = {**declared, **manifest["parameters"].get(name, {})}
        if "facts" in content:
            manifest["facts"] = content["facts"]
        manifest["rules"] += [dict(rule, part=part) for rule in content.get("rules") or []]
    return manifest


MANIFEST = load_runner()
FACTS = MANIFEST["facts"]["names"]
PARAMETERS = MANIFEST["parameters"]
RULES = {rule["name"]: rule for rule in MANIFEST["rules"]}
# The rules with rows. Rules beside the parameters of another part are tested in refusals_test.py.
OWN_RULES = {
    name: rule for name, rule in RULES.items() if rule.get("part", "").startswith("rules/")
}
FILES = {
    path.name: yaml.safe_load(path.read_text()) for path in sorted((HERE / "rules").glob("*.yaml"))
}
ROWS = {entry["name"]: entry["rows"] for content in FILES.values() for entry in content["rules"]}
TYPES = {name: fact["type"] for name, fact in FACTS.items()}
TYPES |= {"host_" + name: kind for name, kind in HOST.items()}
TYPES |= {name: parameter["type"] for name, parameter in PARAMETERS.items()}


def parts_of(version):
    return [int(part) for part in version.split(".")]


def compare_versions(left, right):
    left, right = parts_of(left), parts_of(right)
    return (left > right) - (left < right)


def names_in(expression):
    return set(re.findall(r"[a-z_][a-z0-9_]*", re.sub(r"'[^']*'", "", expression)))


class Unknown(Exception):
    """An expression reads an unknown fact."""


class Null(AssertionError):
    """A rule evaluates to NULL."""


class Point:
    """The columns of one row: facts, the host and parameters. Parameters without a value in the row
    are computed when they are read."""

    def __init__(self, row):
        self.unknown, self.read = set(), set()
        self.database = sqlite3.connect(":memory:")
        self.database.create_collation("version", compare_versions)
        columns = ", ".join(f"{name} {COLUMNS[kind]}" for name, kind in TYPES.items())
        self.database.execute(f"CREATE TABLE point ({columns})")
        self.database.execute("INSERT INTO point DEFAULT VALUES")
        self.open = set(PARAMETERS)
        self.set_facts(
            {**MODELS[row["model"]]["facts"], **row.get("stated", {})}, row.get("host", {})
        )
        for name, value in {**LOAD, **row.get("point", {})}.items():
            self.open.remove(name)
            self.set(name, value)

    def set_facts(self, model, host):
        for name, fact in FACTS.items():
            self.set(name, model.pop(name, fact.get("absent")))
        assert not model, f"no facts: {model}"
        host = {"nodes": 1, **host}
        host = {"mig": "", **host} if "gpus" in host else host
        for name in HOST:
            if name in host:
                self.set("host_" + name, host[name])
            else:
                self.unknown.add("host_" + name)

    def set(self, name, value):
        if TYPES[name] == "integer" and isinstance(value, float):
            assert value.is_integer(), f"{name} is {value}"
        self.database.execute(
            f"UPDATE point SET {name} = ?",
            [str(value) if value is not None and TYPES[name] == "version" else value],
        )

    def compute(self, name):
        self.open.remove(name)
        parameter = PARAMETERS[name]
        if not self.has(parameter):
            return
        if "default" in parameter:
            return self.set(name, parameter["default"])
        try:
            self.set(name, self.evaluate(parameter["sql"]) if "sql" in parameter else None)
        except Unknown:
            self.unknown.add(name)

    def has(self, parameter):
        """Whether the release of this point has the parameter."""
        since, until = parameter.get("since"), parameter.get("until")
        return (not since or self.evaluate(f"trtllm_version >= '{since}'")) and (
            not until or self.evaluate(f"trtllm_version < '{until}'")
        )

    def authorize(self, action, first, second, *_):
        if action == sqlite3.SQLITE_READ and second:
            self.read.add(second)
        if action == sqlite3.SQLITE_FUNCTION and second not in FUNCTIONS:
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_OK

    def evaluate(self, expression):
        expression = str(expression)
        for name in sorted(names_in(expression) & self.open):
            if name in self.open:
                self.compute(name)
        self.read = set()
        self.database.set_authorizer(self.authorize)
        try:
            (value,) = self.database.execute(f"SELECT ({expression}) FROM point").fetchone()
        finally:
            self.database.set_authorizer(lambda *_: sqlite3.SQLITE_OK)  # None: from 3.11 on
        if self.read & self.unknown:
            raise Unknown(expression)
        return value

    def text(self, template):
        for name in re.findall(r"\{(\w+)\}", template):
            value = self.evaluate(name)
            assert value is not None, f"{name} is NULL in '{template}'"
            template = template.replace(
                "{" + name + "}", f"{value:g}" if isinstance(value, float) else str(value)
            )
        return template

    def breaks(self, rule):
        """Whether the point breaks the rule; None if the rule does not apply or is undecided."""
        try:
            applies = self.evaluate(rule.get("when", "1"))
            if applies is None:
                raise Null(f"rule {rule['name']}: 'when' is NULL")
            if not applies:
                return None
            holds = self.evaluate(rule["require"])
        except Unknown:
            return None
        if holds is None:
            raise Null(f"rule {rule['name']}: 'require' is NULL")
        return not holds


def broken_by(point):
    """The names of the rules that POINT breaks, in order, by their level. orchestrate stops at the
    first reject."""
    broken = {"reject": [], "warn": [], "note": []}
    for rule in RULES.values():
        try:
            breaks = point.breaks(rule)
        except Null:
            if not broken["reject"]:
                raise
            continue
        if breaks:
            broken[rule.get("level", "reject")].append(rule["name"])
    return broken
