"""Counts what the plan of experiments/qwen2-deploy.yaml does once, beside a script that loops over
models, precisions, lengths and batch sizes. Knows the matrix by its axes alone, and the plan by
`orchestrate plan --json`.

ORCH_BINARY names it"""

import itertools
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import yaml

PROJECT = pathlib.Path(__file__).resolve().parents[3]
MATRIX = PROJECT / "experiments/qwen2-deploy.yaml"
ORCHESTRATE = os.environ["ORCH_BINARY"]


def plan(matrix):
    command = [
        ORCHESTRATE,
        "plan",
        str(matrix),
        "--json",
        "--machine",
        str(PROJECT / "tests/data/8xh100.yaml"),
        "--store",
        "/nowhere",
    ]
    said = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    return json.loads(said.stdout)


def made(planned, stage):
    """How often a stage is run; what only rejected points want is not."""
    return sum(
        one["stage"] == stage and one["status"] in ("run", "undecided") for one in planned["stages"]
    )


def plan_with(**limits):
    """The plan of the same matrix with other limits of its engines; None: what each point needs."""
    with tempfile.TemporaryDirectory() as folder:
        matrix = pathlib.Path(folder, "limits.yaml")
        matrix.write_text(f"base: {MATRIX}\ndefaults: {json.dumps(limits)}\n")
        return plan(matrix)


def distinct(planned, *names):
    """Combinations of parameters among the points that are not rejected."""
    points = [point["params"] for point in planned["points"] if point["status"] != "reject"]
    return len({tuple(str(params.get(name)) for name in names) for params in points})


LAYOUT = ("model", "precision", "tp", "pp")


class Counts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.planned = plan(MATRIX)
        cls.axes = yaml.safe_load(MATRIX.read_text())["axes"]

    def test_every_combination_is_a_point(self):
        expected = set(itertools.product(*(map(str, axis) for axis in self.axes.values())))
        self.assertEqual(len(self.planned["points"]), len(expected))

    def test_some_points_are_rejected_and_most_are_not(self):
        rejected = sum(point["status"] == "reject" for point in self.planned["points"])
        self.assertTrue(0 < rejected < len(self.planned["points"]) / 4, rejected)

    def test_each_model_is_downloaded_once(self):
        self.assertEqual(made(self.planned, "download"), distinct(self.planned, "model"))

    def test_each_layout_is_converted_or_quantized_once(self):
        self.assertEqual(
            made(self.planned, "convert") + made(self.planned, "quantize"),
            distinct(self.planned, *LAYOUT),
        )

    def test_one_engine_serves_all_lengths(self):
        self.assertEqual(made(self.planned, "build"), distinct(self.planned, *LAYOUT, "batch_size"))

    def test_one_engine_serves_all_batch_sizes_where_their_limit_is_set(self):
        planned = plan_with(max_batch_size=8)
        self.assertEqual(made(planned, "build"), distinct(planned, *LAYOUT))

    def test_a_batch_size_is_that_of_the_engine(self):
        self.assertEqual(
            {
                point["params"]["max_batch_size"] - point["params"]["batch_size"]
                for point in self.planned["points"]
            },
            {0},
        )

    def test_a_server_is_started_for_each_batch_size(self):
        self.assertEqual(made(self.planned, "serve"), distinct(self.planned, *LAYOUT, "batch_size"))

    def test_without_common_limits_there_is_an_engine_for_each_length_and_batch_size(self):
        planned = plan_with(max_input_len=None, max_seq_len=None)
        self.assertEqual(
            made(planned, "build"), distinct(planned, *LAYOUT, "isl", "osl", "batch_size")
        )
        self.assertEqual(
            made(planned, "convert") + made(planned, "quantize"), distinct(planned, *LAYOUT)
        )

    def test_the_loop_does_more(self):
        loop = sum(1 for point in self.planned["points"] if point["status"] != "reject")
        for stage in ("download", "build", "serve"):
            print(
                f"{stage}: {made(self.planned, stage)} here,"
                f" {distinct(self.planned, *LAYOUT, 'isl', 'osl', 'batch_size')} in the script,"
                f" {loop} in a loop over points"
            )
            self.assertLess(made(self.planned, stage), loop)


if __name__ == "__main__":
    unittest.main()
