"""The schemas of `orchestrate schema` beside the parsers.

They accept every matrix, manifest and site file of this project that the parsers accept. Of the
files in everything/, which use every key once, each key is misspelled, given a value of another
form and, where the schema requires it, left out: parser and schema must both refuse the change.
A key that the parser does not take, or a schema that lags behind it, is found this way.
"""

import copy
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

import yaml

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed; run scripts/install-packages.sh test")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
ORCHESTRATE = os.environ["ORCH_BINARY"]
EVERYTHING = ROOT / "tests/schema/everything"
# Values of several forms; for each key there is one that it cannot have.
WRONG = [[["x"]], {"no_such_key": [["x"]]}, "no such word"]


class Core(yaml.CSafeLoader):
    """YAML 1.2 as editors read it: `yes` and 1:30 are texts."""

    yaml_implicit_resolvers = {}


for tag, pattern, first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", "-+.0123456789"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
):
    Core.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), first)


def load(path):
    return yaml.load(path.read_text(), Core)


def run(*words, folder=ROOT):
    environment = dict(os.environ, XDG_CONFIG_HOME="/nowhere")
    return subprocess.run(
        [ORCHESTRATE, *words], cwd=folder, env=environment, capture_output=True, text=True
    )


def validator(*words, folder=ROOT):
    shown = run("schema", *words, folder=folder)
    assert shown.returncode == 0, shown.stderr
    return validator_of(shown.stdout)


@functools.cache
def validator_of(text):
    """Matrices of one runner have one schema: to check it takes longer than to print it."""
    schema = json.loads(text)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def complaint(check, value):
    error = next(check.iter_errors(value), None)
    return f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}" if error else ""


def accepted(matrix, *options):
    return run("check", str(matrix), *options).returncode == 0


def tracked(pattern):
    return sorted(path for path in ROOT.glob(pattern) if "build" not in path.parts)


class AcceptsTest(unittest.TestCase):
    """Every file of the project that its parser accepts."""

    def expect_matrices(self, matrices, least):
        general, special, good = validator("matrix"), {}, 0
        for path in matrices:
            if not accepted(path):
                continue
            good += 1
            matrix = load(path)
            self.assertEqual(complaint(general, matrix), "", path)
            if path.parent not in special or "runner" in matrix:
                special[path.parent] = validator("matrix", str(path))
            self.assertEqual(complaint(special[path.parent], matrix), "", path)
        self.assertGreaterEqual(good, least)

    def test_golden_matrices(self):
        self.expect_matrices(tracked("tests/golden/matrices/*.yaml"), 12)

    def test_experiments(self):
        self.expect_matrices(
            tracked("experiments/*.yaml")
            + tracked("tests/golden/experiments/*.yaml")
            + tracked("runners/*/presets/*.yaml"),
            13,
        )

    def test_a_new_matrix_of_every_runner(self):
        for manifest in tracked("runners/*/runner.yaml"):
            name = manifest.parent.name
            with tempfile.TemporaryDirectory() as folder:
                made = run("init", folder, "--runner", name)
                self.assertEqual(made.returncode, 0, made.stderr)
                matrix = load(pathlib.Path(folder) / "matrix.yaml")
                check = validator("matrix", "--runner", name)
                self.assertEqual(complaint(check, matrix), "", name)

    def test_manifests_and_their_parts(self):
        check = validator("runner")
        manifests = tracked("runners/*/runner.yaml") + tracked("tests/**/runner.yaml")
        self.assertGreaterEqual(len(manifests), 4)
        for manifest in manifests:
            content = load(manifest)
            parts = [
                (manifest.parent.parent if part.startswith("common/") else manifest.parent) / part
                for part in content.get("parts", [])
            ]
            for path in [manifest] + parts:
                self.assertEqual(complaint(check, load(path)), "", path)

    def test_a_site_file(self):
        self.assertEqual(complaint(validator("site"), load(EVERYTHING / "site.yaml")), "")


class RefusesTest(unittest.TestCase):
    """Golden matrices that the parser refuses for what a schema can see."""

    def test_golden_matrices_with_unknown_keys_and_wrong_forms(self):
        seen = 0
        for path in tracked("tests/golden/matrices/error_*.yaml"):
            expected = path.with_suffix(".expected").read_text()
            if "unknown key" in expected or "must be a map" in expected:
                seen += 1
                check = validator("matrix", "--runner", "engine", folder=path.parent)
                self.assertNotEqual(complaint(check, load(path)), "", path)
        self.assertGreaterEqual(seen, 1)

    def test_parameters_values_and_facts_that_a_runner_lacks(self):
        check = validator("matrix", "--runner", "triton-trtllm")
        matrix = {
            "name": "x",
            "runner": "triton-trtllm",
            "models": {"m": {"source": "hf:o/n", "facts": {"heads": 8}}},
            "defaults": {"tp": 2, "trtllm_version": "0.14.0"},
            "axes": {"precision": ["fp16"], "length": [{"isl": 1, "osl": 2}]},
            "include": [{"tp": 1}],
        }
        self.assertEqual(complaint(check, matrix), "")
        for section, value in (
            ("runner", "triton-openvino"),
            ("models", {"m": {"source": "hf:o/n", "facts": {"hedas": 8}}}),
            ("defaults", {"tp": 0}),
            ("defaults", {"tq": 1}),
            ("axes", {"precision": ["fp17"]}),
            ("axes", {"prescision": ["fp16"]}),
            ("axes", {"length": [{"isl": "many"}]}),
            ("include", [{}]),
            ("provide", {"biuld": "x"}),
            ("machine", {"gpu": 1}),
        ):
            self.assertNotEqual(complaint(check, {**matrix, section: value}), "", (section, value))


def paths_of(value, path=()):
    """The path of every key of every map in VALUE."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key)
            yield from paths_of(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from paths_of(inner, (*path, index))


def changed(value, path, change):
    """VALUE with CHANGE(map, key) applied to the map that holds the key at PATH."""
    value = copy.deepcopy(value)
    inner = value
    for step in path[:-1]:
        inner = inner[step]
    change(inner, path[-1])
    return value


def misspell(entries, key):
    entries[key + "_x"] = entries.pop(key)


def leave_out(entries, key):
    del entries[key]


class Keys:
    """Which keys of a file its schema names, and which of them it requires."""

    def __init__(self, schema):
        self.schema = schema
        self.named, self.required, self.met = set(), set(), set()
        self.declared = {
            (table, key) for table, one in self.tables() for key in one.get("properties", {})
        }

    def tables(self):
        return [("", self.schema), *self.schema.get("definitions", {}).items()]

    def walk(self, value, schema=None, table="", path=()):
        schema = self.schema if schema is None else schema
        for one in schema.get("anyOf", []) if table is None else []:
            self.walk(value, one, None, path)
        if "$ref" in schema:
            table = schema["$ref"].rsplit("/", 1)[-1]
            target = self.schema["definitions"][table]
            check = jsonschema.Draft7Validator({**target, "definitions": self.definitions()})
            if isinstance(value, dict) and check.is_valid(value):
                self.walk(value, target, table, path)
            return
        if isinstance(value, dict):
            for key, inner in value.items():
                properties = schema.get("properties", {})
                if key in properties:
                    self.named.add((*path, key))
                    if table is not None:
                        self.met.add((table, key))
                    if key in schema.get("required", []):
                        self.required.add((*path, key))
                    self.walk(inner, properties[key], None, (*path, key))
                elif isinstance(schema.get("additionalProperties"), dict):
                    self.walk(inner, schema["additionalProperties"], None, (*path, key))
        elif isinstance(value, list) and "items" in schema:
            for index, inner in enumerate(value):
                self.walk(inner, schema["items"], None, (*path, index))

    def definitions(self):
        return self.schema.get("definitions", {})


class AgreesTest(unittest.TestCase):
    """Changes of the files in everything/, seen by the parser and by the schema."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.count = 0

    def copy(self):
        self.count += 1
        folder = pathlib.Path(self.folder.name) / str(self.count)
        shutil.copytree(EVERYTHING, folder)
        return folder

    def checked(self, name, value):
        folder = self.copy()
        if value is not None:
            (folder / name).write_text(json.dumps(value))
        matrix = folder / ("matrix.yaml" if name == "matrix.yaml" else "plain.yaml")
        options = ["--site", str(folder / name)] if name == "site.yaml" else []
        return run("check", str(matrix), *options)

    def changes(self, check, whole, keys):
        for path in sorted(keys.named, key=str):
            yield path, "misspelled", changed(whole, path, misspell)
            if path in keys.required:
                yield path, "left out", changed(whole, path, leave_out)
            for wrong in WRONG:
                value = changed(whole, path, lambda map_, key: map_.update({key: wrong}))
                if complaint(check, value):
                    yield path, f"with the value {wrong}", value
                    break
            else:
                self.fail(f"the schema accepts anything under {path}")

    def expect_agreement(self, name, *schema, unused=()):
        check = validator(*schema)
        whole = load(EVERYTHING / name)
        keys = Keys(check.schema)
        self.assertEqual(complaint(check, whole), "")
        plain = self.checked(name, whole)
        self.assertEqual(plain.returncode, 0, plain.stderr)
        keys.walk(whole)
        self.assertEqual(sorted(keys.declared - keys.met - set(unused)), [], "not in everything/")
        cases = list(self.changes(check, whole, keys))
        with ThreadPoolExecutor(2) as pool:
            results = pool.map(lambda case: self.checked(name, case[2]), cases)
        for (path, what, value), result in zip(cases, results):
            self.assertNotEqual(complaint(check, value), "", f"the schema accepts {path} {what}")
            self.assertEqual(
                result.returncode, 2, f"the parser accepts {path} {what}: {result.stderr}"
            )

    def test_every_key_of_a_matrix(self):
        self.expect_agreement("matrix.yaml", "matrix")

    def test_every_key_of_a_site_file(self):
        self.expect_agreement("site.yaml", "site")

    def test_every_key_of_a_manifest(self):
        self.expect_agreement("runners/everything/runner.yaml", "runner")

    def test_every_key_of_a_part(self):
        whole = load(EVERYTHING / "runners/everything/part.yaml")
        check = validator("runner")
        self.assertEqual(complaint(check, whole), "")
        for key in ("facts", "description", "versoins"):
            value = {**whole, key: "x"}
            self.assertNotEqual(complaint(check, value), "", key)
            found = self.checked("runners/everything/part.yaml", value)
            self.assertEqual(found.returncode, 2, found.stderr)


class CommandTest(unittest.TestCase):
    def test_the_runner_of_a_matrix_is_found_through_its_base(self):
        schema = json.loads(run("schema", "matrix", str(EVERYTHING / "matrix.yaml")).stdout)
        self.assertEqual(schema["title"], "A matrix of orchestrate for everything")

    def test_errors_name_the_remedy(self):
        for words, text in (
            (["matrix", "--runner", "triton"], "no runner 'triton'; the runners are: llama-cpp"),
            (["site", "--runner", "x"], "MATRIX and --runner are for the schema of a matrix"),
            (["matrix", "/nowhere/m.yaml"], "/nowhere/m.yaml"),
            (["matrx"], "matrx"),
        ):
            shown = run("schema", *words)
            self.assertEqual(shown.returncode, 2, words)
            self.assertIn(text, shown.stderr)


if __name__ == "__main__":
    unittest.main()
