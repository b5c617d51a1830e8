"""Compares the number of stages in the plan of the preset qwen2-deploy with a script that
loops over models, precisions, lengths and batch sizes. Reads the axes of the matrix and the plan of
`orchestrate plan --json`; ORCH_BINARY names orchestrate."""

import itertools
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import yaml

PROJECT = pathlib.Path(__file__).resolve().parents[3]
MATRIX = PROJECT / "runners/triton-trtllm/presets/qwen2-deploy.yaml"
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
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def runs_of(planned, stage):
    """The number of runs of a stage; stages that only rejected points need do not run."""
    return sum(
        one["stage"] == stage and one["status"] in ("run", "undecided") for one in planned["stages"]
    )


def plan_with(**limits):
    """The plan of the same matrix with other limits of its engines; None: the need of each
    point."""
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
        self.assertEqual(runs_of(self.planned, "download"), distinct(self.planned, "model"))

    def test_each_layout_is_converted_or_quantized_once(self):
        self.assertEqual(
            runs_of(self.planned, "convert") + runs_of(self.planned, "quantize"),
            distinct(self.planned, *LAYOUT),
        )

    def test_one_engine_serves_all_lengths(self):
        self.assertEqual(
            runs_of(self.planned, "build"), distinct(self.planned, *LAYOUT, "batch_size")
        )

    def test_one_engine_serves_all_batch_sizes_if_their_limit_is_set(self):
        planned = plan_with(max_batch_size=8)
        self.assertEqual(runs_of(planned, "build"), distinct(planned, *LAYOUT))

    def test_the_limit_of_an_engine_is_the_batch_size(self):
        self.assertEqual(
            {
                point["params"]["max_batch_size"] - point["params"]["batch_size"]
                for point in self.planned["points"]
            },
            {0},
        )

    def test_a_server_is_started_for_each_batch_size(self):
        self.assertEqual(
            runs_of(self.planned, "serve"), distinct(self.planned, *LAYOUT, "batch_size")
        )

    def test_without_common_limits_there_is_an_engine_for_each_length_and_batch_size(self):
        planned = plan_with(max_input_len=None, max_seq_len=None)
        self.assertEqual(
            runs_of(planned, "build"), distinct(planned, *LAYOUT, "isl", "osl", "batch_size")
        )
        self.assertEqual(
            runs_of(planned, "convert") + runs_of(planned, "quantize"), distinct(planned, *LAYOUT)
        )

    def test_a_loop_over_points_runs_more_stages(self):
        loop = sum(1 for point in self.planned["points"] if point["status"] != "reject")
        for stage in ("download", "build", "serve"):
            print(
                f"{stage}: {runs_of(self.planned, stage)} here,"
                f" {distinct(self.planned, *LAYOUT, 'isl', 'osl', 'batch_size')} in the script,"
                f" {loop} in a loop over points"
            )
            self.assertLess(runs_of(self.planned, stage), loop)


if __name__ == "__main__":
    unittest.main()
