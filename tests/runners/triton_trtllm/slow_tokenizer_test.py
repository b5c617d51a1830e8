"""Prompts for models whose folder has no tokenizer.json, counted by a stand-in of the package
transformers: a word is a token, with one token in front, and the vocabulary is one of bytes."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPTS = ROOT / "runners/triton-trtllm/scripts"
COMMON = ROOT / "runners/common/scripts"
TRANSFORMERS = """
import os, pathlib, re
__version__ = "4.36.1"
WORDS = sorted(set(re.findall("[A-Za-z]{{2,}}", pathlib.Path({corpus!r}).read_text("utf-8"))))
NUMBERS = {{word: number + 10 for number, word in enumerate(WORDS)}}
class Tokenizer:
    all_special_ids = [1]
    def encode(self, text, add_special_tokens=True):
        return [1] * add_special_tokens + [NUMBERS.get(word, 2) for word in text.split()]
    def get_vocab(self):
        return {{word.encode(): number for word, number in NUMBERS.items()}}
class AutoTokenizer:
    @staticmethod
    def from_pretrained(folder, trust_remote_code=False, local_files_only=False):
        assert trust_remote_code and local_files_only
        assert os.path.isdir(os.environ["HF_MODULES_CACHE"])
        if not os.path.exists(folder + "/qwen.tiktoken"):
            raise OSError("no file named qwen.tiktoken in " + folder)
        return Tokenizer()
"""


class SlowTokenizer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.modules = self.folder / "modules"
        (self.folder / "model").mkdir()
        (self.folder / "model/qwen.tiktoken").touch()
        self.modules.mkdir()
        text = TRANSFORMERS.format(corpus=str(COMMON / "corpus.txt"))
        (self.modules / "transformers.py").write_text(text)

    def run_script(self, script, *arguments):
        command = [sys.executable, "-B", SCRIPTS / "slow_tokenizer.py", COMMON / script, *arguments]
        command += ["--tokenizer", self.folder / "model/tokenizer.json"]
        environment = {**os.environ, "PYTHONPATH": str(self.modules), "TMPDIR": str(self.folder)}
        environment.pop("HF_MODULES_CACHE", None)
        return subprocess.run(
            list(map(str, command)), env=environment, capture_output=True, text=True, check=False
        )

    def make(self, **more):
        job = {"id": "p", "out": str(self.folder / "out"), "isl": "20", "requests": "8"}
        job |= {"warmup": "2", "blocks": "2", "seed": "0", "stream": "s", **more}
        jobs = self.folder / "jobs.json"
        jobs.write_text(json.dumps([job]))
        done = self.run_script("make_prompts.py", "--jobs", jobs)
        if done.returncode:
            return done, []
        lines = (self.folder / "out/prompts.jsonl").read_text().splitlines()
        return done, [json.loads(line) for line in lines]

    def test_prompts_have_exactly_the_length_that_transformers_counts(self):
        done, rows = self.make()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("tokens are counted by transformers 4.36.1", done.stdout)
        self.assertEqual({len(row["text_input"].split()) + 1 for row in rows}, {20})
        self.assertEqual(len({row["text_input"] for row in rows}), 20, "all are different")

    def test_ids_are_those_of_that_tokenizer(self):
        _, rows = self.make(ids="true")
        self.assertEqual({(row["input_ids"][0], len(row["input_ids"])) for row in rows}, {(1, 20)})

    def test_rows_of_a_dataset_are_counted_in_the_same_way(self):
        rows = [{"text_input": " ".join(["a"] * words)} for words in (3, 9)]
        (self.folder / "rows").write_text(json.dumps(rows))
        out = self.folder / "kept"
        done = self.run_script(
            "dataset_rows.py", self.folder / "rows", '{"most_in_prompt": 4}', out
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads((out / "rows").read_text()), rows[:1])

    def test_what_is_missing_is_named(self):
        (self.folder / "model/qwen.tiktoken").unlink()
        done, _ = self.make()
        self.assertEqual(done.returncode, 1)
        self.assertIn("no file named qwen.tiktoken", done.stderr.splitlines()[-1])
        (self.modules / "transformers.py").write_text("raise ImportError('broken')")
        done, _ = self.make()
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no package transformers (broken)", done.stderr.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
