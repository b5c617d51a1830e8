"""Runs a part of experiments/stacks.yaml for real: Triton with OpenVINO and llama.cpp's server on
the same files, each in three sessions. What the two share is made once, and both are sent the same
prompts.

usage: stacks_test.py BINARY
"""
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MATRIX = ROOT / "experiments" / "stacks.yaml"
PART = "precision = 'q8_0' AND isl = 32 AND concurrency IN (1, 4)"
RUNNERS = ["llama-cpp", "triton-openvino"]
SESSIONS = 3
TRIES = 4
FAILED = re.compile(r"^  \d+ failed: (\w+)$", re.MULTILINE)
TOGETHER = ["checkpoint_environment", "download", "quantize", "convert"]  # once for both


class Stacks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.store = Path(cls.folder.name) / "store"
        done = cls.orchestrate("run", str(MATRIX), "--where", PART)
        # Where others use this machine, the client may be too late for a measurement to count.
        for _ in range(TRIES):
            if done.returncode == 0 or set(FAILED.findall(done.stderr)) != {"invalid_measurement"}:
                break
            done = cls.orchestrate("run", str(MATRIX), "--where", PART, "--retry-failed")
        assert done.returncode == 0, done.stderr
        cls.printed = done.stdout

    @classmethod
    def orchestrate(cls, *words):
        return subprocess.run(
            [cls.binary, *words, "--store", str(cls.store)], capture_output=True, text=True
        )

    def ask(self, sql):
        answer = self.orchestrate("query", sql, "--json")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        return [tuple(row.values()) for row in json.loads(answer.stdout)]

    def test_each_runner_has_a_row_per_load_over_all_sessions(self):
        rows = self.ask(
            "select runner, concurrency, repeats, serve_repeats from results"
            " order by runner, concurrency"
        )
        self.assertEqual(
            rows, [(runner, c, SESSIONS, SESSIONS) for runner in RUNNERS for c in (1, 4)]
        )

    def test_rows_say_what_was_compared(self):
        rows = self.ask(
            "select distinct runner, weights, prompts_as, answer_length, decoding, prefix_caching"
            " from results order by runner"
        )
        same = ("GGUF Q8_0", "text", "osl", "greedy", "off")
        self.assertEqual(rows, [(runner, *same) for runner in RUNNERS])
        versions = dict(self.ask("select distinct runner, runner_version from results"))
        self.assertRegex(versions["llama-cpp"], r"^xllamacpp \d")
        self.assertTrue(versions["triton-openvino"])

    def test_what_both_need_is_made_once(self):
        counts = dict(self.ask("select name, count(distinct digest) from stages group by name"))
        self.assertEqual({name: counts[name] for name in TOGETHER}, dict.fromkeys(TOGETHER, 1))
        self.assertEqual(counts["prompts"], 2)  # one for each load
        self.assertEqual(counts["serve"], len(RUNNERS) * SESSIONS)

    def test_prompts_are_the_same_tokens_for_both(self):
        """Lengths by the tokenizer of the checkpoint, and by the server that counts them."""
        counted = self.ask(
            "select m.runner, min(r.isl_counted), max(r.isl_counted), min(r.isl_reported),"
            " max(r.isl_reported), count(*) from requests r join results_all m using (measurement)"
            " group by m.runner"
        )
        self.assertEqual(sorted(runner for runner, *_ in counted), RUNNERS)
        for runner, *lengths, requests in counted:
            self.assertGreater(requests, 100)
            self.assertEqual(set(lengths) - {None}, {32}, runner)

    def test_servers_take_turns(self):
        order = self.ask(
            "select runner, serve_repeat, min(measured_at) as at from results_all"
            " group by runner, serve_repeat order by at"
        )
        self.assertEqual([session for _, session, _ in order], [0, 0, 1, 1, 2, 2])

    def test_the_run_again_does_nothing(self):
        before = self.ask("select count(*) from stages where attempts > 0")
        again = self.orchestrate("run", str(MATRIX), "--where", PART)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertRegex(again.stderr, r": 0 done, [1-9]\d* reused, 0 failed")
        self.assertEqual(self.ask("select count(*) from stages where attempts > 0"), before)


if __name__ == "__main__":
    Stacks.binary = sys.argv.pop(1)
    unittest.main()
