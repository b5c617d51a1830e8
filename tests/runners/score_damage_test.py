"""Planted damage, for real: llama.cpp serves a model whose answers are the references, the same
model in 8 bits, and that model with one quantized weight matrix of zeros. Scores and
`compare --answers` must find the damage, and a server beside itself must show none.

usage: score_damage_test.py BINARY
"""
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROMPTS = 30
MATRIX = """
name: {name}
runner: llama-cpp
models:
  tiny: {{source: "generate:tiny"}}
axes:
  precision: [{precisions}]
defaults: {{model: tiny, isl: 24, osl: 16, concurrency: 1, num_prompts: {prompts}, batch_size: 1}}
measure:
  warmup: 1
  repeats: {{serve: 2}}
  # This is no test of the machine's quietness.
  limits: {{wake_lag_ms: 1000, client_cpu_share: 1000}}
"""
# Sends the same prompts as a dataset, and scores as a part of the run.
SCORED = """
  prompts: answers
  reuse_prompts: true
datasets:
  answers: {{source: "local:{references}"}}
score:
  scorers: [exact, f1]
"""
DAMAGE = """
import sys
import gguf

reader = gguf.GGUFReader(sys.argv[1], "r+")
tensor = next(one for one in reader.tensors if one.name == "blk.0.ffn_down.weight")
assert tensor.tensor_type == gguf.GGMLQuantizationType.Q8_0, tensor.tensor_type
tensor.data[:] = 0
reader.data.flush()
"""


class Damage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.store = cls.folder / "store"
        cls.run_matrix("undamaged", "f16, q8_0")
        cls.references = cls.folder / "answers.jsonl"
        cls.must("score", "--where", "precision = 'f16'", "--write-references", cls.references)
        cls.damaged = cls.damage()
        scored = SCORED.format(references=cls.references)
        cls.run_matrix("quality", "f16, q8_0", scored)
        provide = f"provide:\n  convert: {cls.damaged}\n"
        cls.run_matrix("damaged", "q8_0", scored + provide)

    @classmethod
    def orchestrate(cls, *words):
        return subprocess.run(
            [cls.binary, *map(str, words), "--store", str(cls.store)],
            capture_output=True,
            text=True,
            cwd=ROOT,
        )

    @classmethod
    def must(cls, *words):
        done = cls.orchestrate(*words)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done

    @classmethod
    def run_matrix(cls, name, precisions, more=""):
        file = cls.folder / f"{name}.yaml"
        head = MATRIX.format(name=name, precisions=precisions, prompts=PROMPTS)
        file.write_text(head + more)
        return cls.must("run", file)

    @classmethod
    def ask(cls, sql):
        return [tuple(row.values()) for row in json.loads(cls.must("query", sql, "--json").stdout)]

    @classmethod
    def artifact(cls, name, file):
        found = cls.ask(f"select distinct artifact from stages where name = '{name}'")
        paths = [cls.store / path / "out" / file for path, in found if path]
        return next(path for path in paths if path.exists())

    @classmethod
    def damage(cls):
        """A copy of the 8-bit model whose first down projection is zero."""
        rows = cls.ask(
            "select artifact from provenance where name = 'convert' and point like '%q8_0%'"
        )
        made = cls.store / rows[0][0] / "out"
        out = cls.folder / "damaged"
        shutil.copytree(made, out)
        (file,) = out.rglob("*.gguf")
        python = cls.artifact("checkpoint_environment", "venv/bin/python3")
        subprocess.run([python, "-c", DAMAGE, file], check=True)
        return out

    def compare(self, a, b):
        words = ["compare", a, b, "--answers", "--json", "--examples", "2"]
        return json.loads(self.must(*words).stdout)

    def test_the_scores_of_a_run_find_the_damage(self):
        rows = self.ask(
            "select experiment, precision, score_exact, score_f1, score_f1_n from results"
            " where score_f1 is not null order by 1, 2"
        )
        scores = {(name, precision): values for name, precision, *values in rows}
        self.assertEqual(scores["quality", "f16"], [1, 1, PROMPTS])
        undamaged, damaged = scores["quality", "q8_0"], scores["damaged", "q8_0"]
        self.assertGreater(undamaged[1], damaged[1] + 0.1, scores)
        high = self.ask("select score_f1_interval_high from results where experiment = 'damaged'")
        self.assertLess(high[0][0], 1)

    def test_compare_finds_the_damage(self):
        eight_bits = "experiment = 'quality' and precision = 'q8_0'"
        found = self.compare(eight_bits, "experiment = 'damaged'")
        self.assertEqual(found["equal"]["prompts"], PROMPTS)
        self.assertLess(found["equal"]["share"], 0.5)
        self.assertEqual(found["within_a"]["equal"]["share"], 1)
        self.assertEqual(found["within_b"]["equal"]["share"], 1)
        self.assertLess(found["scores"]["f1"]["interval"][1], 0, found["scores"])
        self.assertEqual(len(found["examples"]), 2)

    def test_a_server_beside_itself_shows_no_difference(self):
        same = "experiment = 'quality' and precision = 'q8_0' and serve_repeat = {}"
        found = self.compare(same.format(0), same.format(1))
        self.assertEqual(found["equal"]["prompts"], PROMPTS)
        self.assertEqual(found["equal"]["share"], 1)
        self.assertEqual(found["parting_words"], [])
        self.assertEqual(found["scores"]["exact"]["difference"], 0)
        self.assertEqual(found["within_a"]["causes"], [])

    def test_a_second_run_scores_nothing_again(self):
        before = self.ask("select * from scores order by measurement, scorer")
        again = self.run_matrix("quality", "f16, q8_0", SCORED.format(references=self.references))
        self.assertIn("scored: 4 measurements by 2 scorers; 8 scores there before", again.stderr)
        self.assertEqual(
            self.ask("select * from scores order by measurement, scorer")[: len(before)], before
        )


if __name__ == "__main__":
    Damage.binary = sys.argv.pop(1)
    unittest.main()
