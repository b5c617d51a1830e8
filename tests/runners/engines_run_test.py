"""One matrix with the runners sglang and tgi, run for real with the stand-in in the engines' place:
from the name of a model to rows with the runner's name. Its stages need a package mirror.

engines_run_test.py NVML: a library that states a GPU. ORCH_BINARY names orchestrate."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE / "openai_standin")]
import make  # noqa: E402

ORCHESTRATE = os.environ.get("ORCH_BINARY", "")
NVML = sys.argv.pop(1) if len(sys.argv) > 1 else ""
LATE = {"limits": {"wake_lag_ms": 1000, "send_lag_ms": 1000, "client_cpu_share": 1000}}


@unittest.skipUnless(ORCHESTRATE and NVML, "ORCH_BINARY and a library are needed")
class TwoEngines(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        (self.folder / "lib").mkdir()
        shutil.copy(NVML, self.folder / "lib/libnvidia-ml.so.1")

    def matrix(self):
        sglang = make.make("sglang", "0.5.23", self.folder / "sglang")
        tgi = make.make("tgi", "3.3.7", self.folder / "tgi")
        return {
            "name": "two",
            "runner": "sglang",
            "models": {"tiny": {"source": "generate:tiny"}},
            "defaults": {
                "model": "tiny",
                "isl": 16,
                "osl": 8,
                "num_prompts": 20,
                "sglang": {"python": str(sglang / "bin/python3")},
                "tgi": {"launcher": str(tgi / "bin/text-generation-launcher")},
            },
            "axes": {"runner": ["sglang", "tgi"], "load": [{"concurrency": 1}, {"concurrency": 4}]},
            "measure": LATE,
        }

    def orchestrate(self, *words):
        variables = {
            **os.environ,
            "LD_LIBRARY_PATH": str(self.folder / "lib"),
            "ORCH_FAKE_GPUS": "NVIDIA H100 80GB HBM3",
        }
        return subprocess.run(
            [ORCHESTRATE, *words, "--store", self.folder / "store"],
            capture_output=True,
            text=True,
            cwd=ROOT,
            env=variables,
            timeout=600,
        )

    def query(self, sql):
        done = self.orchestrate("query", "--format", "json", sql)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_they_are_measured_on_one_model_and_the_rows_say_by_what(self):
        file = self.folder / "matrix.yaml"
        file.write_text(json.dumps(self.matrix()), encoding="utf-8")
        done = self.orchestrate("run", str(file))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("TGI cannot be told to ignore the model's end token", done.stderr)
        said = done.stdout + done.stderr
        made = [line.split()[1] for line in said.splitlines() if line.startswith("started")]
        for stage, times in (("download", 1), ("environment", 2), ("serve", 2), ("bench", 4)):
            self.assertEqual(made.count(stage), times, stage)
        rows = self.query("select runner, concurrency, osl_reported from results")
        self.assertEqual(
            sorted((row["runner"], row["concurrency"]) for row in rows),
            [("sglang", 1), ("sglang", 4), ("tgi", 1), ("tgi", 4)],
        )
        for row in rows:
            forced = row["runner"] == "sglang"
            self.assertEqual(row["osl_reported"] == 8, forced, row)
        again = self.orchestrate("run", str(file))
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertNotIn("started", again.stdout + again.stderr)


if __name__ == "__main__":
    unittest.main()
