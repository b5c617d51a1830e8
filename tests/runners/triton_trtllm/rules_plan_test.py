"""Plans every row of rules/*.yaml with the real `orchestrate plan`, all rows of one machine as the
points of one matrix, and compares its messages with those that rule_points.py computes from the
same rules: both evaluate the rules alike.

rules_plan_test.py ORCHESTRATE"""

import collections
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

from rule_points import FACTS, FILES, HERE, LOAD, MODELS, ROWS, RULES, Point, broken_by

LIMIT_S = 300
H100 = {"gpu_model": "NVIDIA H100"}


def support_rows():
    """The support tables of the releases as rows."""
    for entry in FILES["precisions.yaml"]["support"]:
        for version in entry["versions"]:
            for precision in entry["has"] + entry.get("lacks", []):
                yield {
                    "model": entry["model"],
                    "point": {"trtllm_version": version, "precision": precision},
                    "host": H100,
                    "source": entry["source"],
                    "expect": "accept" if precision in entry["has"] else "reject",
                }


def identity(value):
    return json.dumps(value, sort_keys=True)


def by_machine(rows):
    """host -> the rows that state it, each point once."""
    machines = {}
    for row in rows:
        key = identity([row["model"], row.get("stated", {}), row.get("point", {})])
        machines.setdefault(identity(row.get("host", {})), {}).setdefault(key, row)
    return {host: list(own.values()) for host, own in machines.items()}


def model_of(row):
    """The name of the row's model in a matrix, and its entry there."""
    facts = {**MODELS[row["model"]]["facts"], **row.get("stated", {})}
    name = row["model"] + "".join(f"-{value}" for value in row.get("stated", {}).values())
    return name.lower().replace("_", "-"), {
        "source": MODELS[row["model"]]["source"],
        "facts": {key.removeprefix("model_"): value for key, value in facts.items()},
    }


def matrix_of(rows):
    models = dict(model_of(row) for row in rows)
    values = [{"model": model_of(row)[0], **row.get("point", {})} for row in rows]
    return {
        "name": "rows",
        "runner": "triton-trtllm",
        "models": models,
        "defaults": LOAD,
        "axes": {"what": values},
    }


def plan(orchestrate, matrix, host):
    with tempfile.TemporaryDirectory() as folder:
        path, machine = Path(folder, "m.yaml"), Path(folder, "machine.yaml")
        path.write_text(yaml.safe_dump(matrix, sort_keys=False))
        machine.write_text(host)
        command = [
            orchestrate,
            "plan",
            path,
            "--machine",
            machine,
            "--store",
            Path(folder, "none"),
            "--json",
        ]
        if "nodes" in yaml.safe_load(host):
            command += ["--executor", "slurm"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["points"]


def answer(point):
    """The rules that reject a point with their messages, and the warnings about it."""
    own = [one for one in point["rejections"] if one["rule"] in RULES]
    rejects = "; ".join(f"{one['rule']}: {one['why']}" for one in own)
    return {"reject": rejects or None, "warn": point["warnings"]}


def first_rejection(point):
    own = [one for one in point["rejections"] if one["rule"] in RULES]
    return f"{own[0]['rule']}: {own[0]['why']}" if own else None


def expected(row):
    point = Point(row)
    broken = broken_by(point)

    def words(name):
        return f"{name}: {point.text(RULES[name]['because'])}"

    if broken["reject"]:
        return {"reject": "; ".join(words(name) for name in broken["reject"]), "warn": []}
    return {"reject": None, "warn": [words(name) for name in broken["warn"]]}


class Plan(unittest.TestCase):
    orchestrate = None

    def compare(self, rows):
        compared = 0
        for host, own in by_machine(rows).items():
            points = plan(self.orchestrate, matrix_of(own), host)
            self.assertEqual(len(points), len(own))
            for row, point in zip(own, points):
                with self.subTest(source=row["source"], model=row["model"], point=row.get("point")):
                    self.assertEqual(answer(point), expected(row))
                    if row["expect"] == "reject":
                        self.assertIsNotNone(answer(point)["reject"])
                    compared += 1
        return compared

    def test_every_row_has_the_message_that_rule_points_computes(self):
        rows = [row for own in ROWS.values() for row in own]
        self.assertGreater(self.compare(rows), 200)

    def test_the_plan_agrees_with_the_support_tables_of_the_releases(self):
        self.assertGreater(self.compare(support_rows()), 200)

    def test_the_impossible_points_of_document_000_are_rejected_with_their_reasons(self):
        sizes = [("Qwen2-7B", 1, 1), ("Qwen2-72B", 1, 1), ("Qwen2-72B", 4, 2), ("Qwen2-72B", 8, 1)]
        models = dict(model_of({"model": name}) for name in ("Qwen2-7B", "Qwen2-72B"))
        axes = {
            "size": [{"model": name.lower(), "tp": tp, "pp": pp} for name, tp, pp in sizes],
            "precision": ["fp8", "fp16", "int8_wo"],
            "length": [
                {"isl": isl, "osl": osl}
                for isl, osl in [(128, 2048), (2048, 128), (2048, 2048), (8192, 4096)]
            ],
            "batch_size": [4, 8],
        }
        machine = (HERE.parents[1] / "data" / "8xh100.yaml").read_text()
        rejections = {}
        for version in ("0.11.0", "0.14.0"):
            matrix = {
                "name": "d000",
                "runner": "triton-trtllm",
                "models": models,
                "axes": axes,
                "defaults": {"trtllm_version": version, **LOAD},
            }
            points = plan(self.orchestrate, matrix, machine)
            rejections[version] = collections.Counter(first_rejection(point) for point in points)
        weights = (
            "memory-weights: the weights of each rank take 135.4 GiB, and a GPU has 79.6 GiB;"
            " choose tp and pp whose product is at least 2, or a smaller precision"
        )
        rows = (
            "weight-only-shape: int8_wo of 0.11.0 needs multiples of 32 rows on each rank, and with"
            " tp 8 a rank has 3696 rows of the MLP and 1024 of attention; choose another tp, or a"
            " release that pads them (qwen 0.13.0, llama 0.12.0)"
        )
        self.assertEqual(
            rejections,
            {"0.11.0": {None: 80, weights: 8, rows: 8}, "0.14.0": {None: 88, weights: 8}},
        )

    def test_a_model_with_only_its_mandatory_facts_is_decided(self):
        point = {
            "facts": {
                name.removeprefix("model_"): MODELS["Llama-2-7b"]["facts"][name]
                for name, fact in FACTS.items()
                if "absent" not in fact
            }
        }
        matrix = {
            "name": "few",
            "runner": "triton-trtllm",
            "models": {"m": {"source": "hf:a/b", "revision": "0" * 40, **point}},
            "axes": {"model": ["m"]},
        }
        host = "{gpus: 1, gpu_model: NVIDIA H100 80GB HBM3, gpu_memory_gib: 79.6}"
        undecided = [
            point["reason"]
            for point in plan(self.orchestrate, matrix, host)
            if "model_" in point["reason"]
        ]
        self.assertEqual(undecided, [])


if __name__ == "__main__":
    Plan.orchestrate = sys.argv.pop(1)
    unittest.main()
