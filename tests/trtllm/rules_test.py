"""Says whether every rule of rules/*.yaml decides every row as the row expects, in the words that it expects, and would not if the rule
were another. It knows models.json and SQLite; it does not know orchestrate, whose expressions it imitates.

rules_test.py [--show]

--show prints what every row is told and the errors of the memory estimate, and checks nothing."""

import functools
import json
import pathlib
import sqlite3
import sys
import unittest

import yaml

HERE = pathlib.Path(__file__).resolve().parent
MODELS = json.loads((HERE / "models.json").read_text())["models"]
COLUMNS = {"text": "TEXT", "integer": "INTEGER", "real": "REAL", "boolean": "INTEGER", "version": "TEXT COLLATE version"}
HOST = {"gpus": "integer", "gpu_model": "text", "gpu_memory_gib": "real"}
# What orchestrate lets expressions call.
FUNCTIONS = {"abs", "cast", "coalesce", "iif", "like", "max", "min", "nullif", "round"}


def load(name):
    return yaml.safe_load((HERE / "rules" / name).read_text())


READS = load("reads.yaml")
FILES = {path.name: load(path.name) for path in sorted((HERE / "rules").glob("*.yaml")) if path.name != "reads.yaml"}
RULES = {rule["name"]: rule for content in FILES.values() for rule in content["rules"]}


def compare_versions(left, right):
    def parts(version):
        return [int(part) for part in version.split(".")]

    return (parts(left) > parts(right)) - (parts(left) < parts(right))


class Unknown(Exception):
    """An expression reads a fact that nobody has stated."""


class Point:
    """The columns of one row: facts, the host and parameters, computed in the order of reads.yaml."""

    def __init__(self, row):
        self.unknown = set()
        self.read = set()
        self.database = sqlite3.connect(":memory:")
        self.database.create_collation("version", compare_versions)
        types = {name: fact["type"] for name, fact in READS["facts"].items()}
        types |= {"host_" + name: kind for name, kind in HOST.items()}
        types |= {name: parameter["type"] for name, parameter in READS["parameters"].items()}
        columns = ", ".join(f"{name} {COLUMNS[kind]}" for name, kind in types.items())
        self.database.execute(f"CREATE TABLE point ({columns})")
        self.database.execute("INSERT INTO point DEFAULT VALUES")
        self.set_all(row, types)

    def set_all(self, row, types):
        for name, value in {**row.get("stated", {}), **MODELS[row["model"]]["facts"]}.items():
            self.set(name, value, types)
        for name in HOST:
            if name in row.get("host", {}):
                self.set("host_" + name, row["host"][name], types)
            else:
                self.unknown.add("host_" + name)
        given = dict(row.get("point", {}))
        for name, parameter in READS["parameters"].items():
            if name in given:
                self.set(name, given.pop(name), types)
            elif "sql" in parameter:
                self.compute(name, parameter, types)
            elif "default" in parameter:
                self.set(name, parameter["default"], types)
        assert not given, f"no parameters: {given}"

    def compute(self, name, parameter, types):
        try:
            value = self.evaluate(str(parameter["sql"]))
        except Unknown:
            self.unknown.add(name)
            return
        assert value is not None or parameter.get("optional"), f"{name} is NULL"
        self.set(name, value, types)

    def set(self, name, value, types):
        assert name in types, f"no column: {name}"
        if types[name] == "integer" and isinstance(value, float):
            assert value.is_integer(), f"{name} is {value}"
        self.database.execute(f"UPDATE point SET {name} = ?", [str(value) if types[name] == "version" else value])

    def authorize(self, action, first, second, *_):
        if action == sqlite3.SQLITE_READ and second:
            self.read.add(second)
        if action == sqlite3.SQLITE_FUNCTION and second not in FUNCTIONS:
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_OK

    def evaluate(self, expression):
        self.read = set()
        self.database.set_authorizer(self.authorize)
        try:
            (value,) = self.database.execute(f"SELECT ({expression}) FROM point").fetchone()
        finally:
            self.database.set_authorizer(None)
        if self.read & self.unknown:
            raise Unknown(expression)
        return value

    def text(self, template):
        for name in [*READS["facts"], *("host_" + name for name in HOST), *READS["parameters"]]:
            if "{" + name + "}" in template:
                (value,) = self.database.execute(f"SELECT {name} FROM point").fetchone()
                assert value is not None, f"{name} is NULL in '{template}'"
                template = template.replace("{" + name + "}", f"{value:g}" if isinstance(value, float) else str(value))
        assert "{" not in template, template
        return template

    def breaks(self, rule):
        """None when the rule is not asked or undecided; else whether the point breaks it."""
        try:
            asked = self.evaluate(rule.get("when", "1"))
            assert asked is not None, f"rule {rule['name']}: 'when' is NULL"
            if not asked:
                return None
            held = self.evaluate(str(rule["require"]))
        except Unknown:
            return None
        assert held is not None, f"rule {rule['name']}: 'require' is NULL"
        return not held


@functools.lru_cache(maxsize=None)
def point_of(name, index):
    return Point(RULES[name]["rows"][index])


def rows():
    return [(rule, index, row) for rule in RULES.values() for index, row in enumerate(rule["rows"])]


def published():
    for entry in FILES["memory.yaml"]["published"]:
        ours = Point(entry).evaluate(entry["of"])
        yield entry, ours, round(100 * (ours - entry["bytes"]) / entry["bytes"], 1)


def broken_by(point):
    broken = {"reject": set(), "warn": set()}
    for rule in RULES.values():
        if point.breaks(rule):
            broken[rule.get("level", "reject")].add(rule["name"])
    return broken


class Rules(unittest.TestCase):
    def test_every_row_breaks_the_rules_that_it_names_and_no_other(self):
        for rule, index, row in rows():
            broken = broken_by(point_of(rule["name"], index))
            expected = {"reject": set(row.get("also", [])), "warn": set(row.get("warns", []))}
            if row["expect"] != "accept":
                expected[row["expect"]].add(rule["name"])
            with self.subTest(rule=rule["name"], source=row["source"]):
                self.assertEqual(broken, expected)

    def test_a_broken_rule_says_what_its_row_expects(self):
        for rule, index, row in rows():
            if "says" not in row:
                continue
            with self.subTest(rule=rule["name"], source=row["source"]):
                self.assertEqual(point_of(rule["name"], index).text(rule["because"]), row["says"])

    def test_every_rule_has_rows_on_both_sides_and_one_with_its_words(self):
        for rule in RULES.values():
            expectations = [row["expect"] for row in rule["rows"]]
            with self.subTest(rule=rule["name"]):
                self.assertGreaterEqual(len(expectations), 3)
                self.assertEqual(set(expectations), {"accept", rule.get("level", "reject")})
                self.assertTrue(any("says" in row for row in rule["rows"]))

    def outcomes(self, rule, **changes):
        """Whether RULE with CHANGES decides its rows as they expect: those that break it, and those that do not."""
        changed = {key: value for key, value in {**rule, **changes}.items() if value is not None}
        right = {True: [], False: []}
        for index, row in enumerate(rule["rows"]):
            breaks = row["expect"] != "accept"
            right[breaks].append(bool(point_of(rule["name"], index).breaks(changed)) == breaks)
        return right

    def test_a_rule_that_is_turned_round_or_always_holds_fails_every_row_that_breaks_it(self):
        for rule in RULES.values():
            for require in (f"NOT ({rule['require']})", "1"):
                with self.subTest(rule=rule["name"], require=require):
                    self.assertFalse(any(self.outcomes(rule, require=require)[True]))

    def test_a_rule_that_never_holds_or_has_lost_its_condition_fails_a_row_that_it_accepts(self):
        for rule in RULES.values():
            never = self.outcomes(rule, require="0")[False]
            always_asked = self.outcomes(rule, when=None)[False]
            with self.subTest(rule=rule["name"]):
                self.assertFalse(all(never) and all(always_asked))

    def test_a_fact_that_a_matrix_states_as_nothing_decides_as_one_that_is_not_there(self):
        nothing = {name: "none" if fact["type"] == "text" else 0 for name, fact in READS["facts"].items()}
        for rule, index, row in rows():
            with self.subTest(rule=rule["name"], source=row["source"]):
                self.assertEqual(broken_by(Point(dict(row, stated=nothing))), broken_by(point_of(rule["name"], index)))

    def test_the_tables_of_the_releases_are_followed(self):
        for entry in FILES["precisions.yaml"]["support"]:
            for version in entry["versions"]:
                for precision in entry["has"] + entry.get("lacks", []):
                    row = {"model": entry["model"], "point": {"trtllm_version": version, "precision": precision}, "host": {"gpu_model": "NVIDIA H100"}}
                    rejected = broken_by(Point(row))["reject"] - {"gptq-checkpoint"}
                    with self.subTest(model=entry["model"], version=version, precision=precision, rejected=rejected):
                        self.assertEqual(bool(rejected), precision not in entry["has"])

    def test_the_facts_of_a_model_give_its_number_of_parameters(self):
        for name, model in MODELS.items():
            with self.subTest(model=name):
                self.assertEqual(count_parameters(model["facts"]), model["parameters"])

    def test_the_memory_estimate_is_as_good_as_it_says(self):
        for entry, ours, error in published():
            with self.subTest(source=entry["source"], of=entry["of"], ours=ours):
                self.assertEqual(error + 0.0, entry["error"])


def count_parameters(facts):
    def fact(name, otherwise=0):
        return facts.get("model_" + name, otherwise)

    kind, hidden, heads = fact("type"), fact("hidden"), fact("heads")
    if kind == "gpt2":
        return fact("layers") * (12 * hidden**2 + 13 * hidden) + (fact("vocab") + fact("positions") + 2) * hidden
    head_dim, kv_heads = fact("head_dim", hidden // heads), fact("kv_heads", heads)
    width = fact("intermediate") // (2 if kind == "qwen" else 1)
    query_key_value = (heads + 2 * kv_heads) * head_dim
    layer = hidden * query_key_value + heads * head_dim * hidden + 2 * hidden
    layer += query_key_value if kind.startswith("qwen") else 0
    if experts := fact("experts"):
        layer += experts * (3 * hidden * fact("expert_width", width) + hidden)
    else:
        layer += 3 * hidden * width
    if shared := fact("shared_width"):
        layer += 3 * hidden * shared + hidden
    return fact("layers") * layer + fact("vocab") * hidden * (1 if fact("tied") else 2) + hidden


def show():
    for rule, index, row in rows():
        point = point_of(rule["name"], index)
        broken = [other["name"] for other in RULES.values() if point.breaks(other)]
        print(f"{rule['name']}: {row['source']}: {row['expect']}: {', '.join(broken) or 'none'}")
        if rule["name"] in broken:
            print(f"    {point.text(rule['because'])}")
    for entry, ours, error in published():
        print(f"{error:+6.1f} % {entry['of']} {entry['model']} {entry.get('point', '')} ours {ours:.0f}, {entry['source']}: {entry['bytes']}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--show"]:
        show()
    else:
        unittest.main()
