"""What the shared parameters of requests become in the plans of both runners: the words of the
benchmark, the jobs of prompts and the lengths of engines. ORCH_BINARY names orchestrate."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
ORCHESTRATE = os.environ["ORCH_BINARY"]
MODELS = {"triton-openvino": "generate:tiny", "triton-trtllm": "hf:Qwen/Qwen2-7B"}
QWEN = {
    "type": "qwen2", "heads": 28, "kv_heads": 4, "layers": 28, "hidden": 3584,
    "intermediate": 18944, "vocab": 152064, "positions": 131072, "tied": False,
}  # fmt: skip


def planned(runner, form, **defaults):
    model = {"source": MODELS[runner]}
    if runner == "triton-trtllm":
        model |= {"facts": QWEN, "revision": "0" * 40}
    matrix = {
        "name": "requests",
        "runner": runner,
        "models": {"m": model},
        "defaults": {"model": "m", "concurrency": 4, "isl": 100, "osl": 50, **defaults},
    }
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "matrix.yaml"
        file.write_text(json.dumps(matrix))
        machine = ["--machine", str(PROJECT / "tests/data/8xh100.yaml")]
        command = [ORCHESTRATE, "plan", str(file), form, "--store", "/nowhere", *machine]
        done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def plan(runner, **defaults):
    return json.loads(planned(runner, "--json", **defaults))["stages"]


def words(runner, **defaults):
    [bench] = [stage for stage in plan(runner, **defaults) if stage["stage"] == "bench"]
    return bench["argv"]


class RequestsTest(unittest.TestCase):
    def assert_has(self, argv, *expected):
        text = "\0".join(argv)
        self.assertIn("\0".join(expected), text)

    def test_options_follow_the_parameters_in_every_runner(self):
        for runner in MODELS:
            with self.subTest(runner):
                argv = words(
                    runner,
                    temperature=0.5,
                    top_k=5,
                    repetition_penalty=1.1,
                    eos=True,
                    batch=2,
                    stop_words=["a b", "{isl}"],
                    inputs=["x=1"],
                    duration=5,
                    return_log_probs=True,
                    keep_values=True,
                )
                self.assert_has(argv, "--batch", "2", "--eos", "--temperature", "0.5", "--top-k")
                self.assert_has(argv, "--repetition-penalty", "1.1")
                self.assert_has(argv, "--stop-word", "a b", "--stop-word", "{isl}")
                self.assert_has(argv, "--return-log-probs", "--keep-values", "--input", "x=1")
                self.assert_has(argv, "--duration", "5")

    def test_nothing_is_sent_that_a_matrix_does_not_set(self):
        for runner in MODELS:
            with self.subTest(runner):
                argv = words(runner)
                for option in ("--batch", "--temperature", "--beam-width", "--stop-word"):
                    self.assertNotIn(option, argv)
                self.assert_has(argv, "--osl", "50")

    def test_prompts_sent_again_are_cold_where_the_server_keeps_no_prefixes(self):
        for runner in MODELS:
            for keeps in (True, False):
                with self.subTest(runner, keeps=keeps):
                    argv = words(runner, reuse_prompts=True, enable_kv_cache_reuse=keeps)
                    self.assertIn("--reuse-prompts", argv)
                    self.assertEqual("--prefix-cache-off" in argv, not keeps)
            self.assertNotIn("--prefix-cache-off", words(runner))

    def test_the_engines_own_model_gets_token_ids(self):
        for runner in MODELS:
            with self.subTest(runner):
                for model, ids in (("tensorrt_llm", "true"), ("ensemble", None)):
                    script = planned(runner, "--script", bench_model=model)
                    [job] = json.loads(re.search(r'^\[\{"id".*\]$', script, re.M)[0])
                    self.assertEqual(job.get("ids"), ids)
                    self.assert_has(words(runner, bench_model=model), "--model", model)

    def test_engines_have_room_for_the_longest_drawn_lengths(self):
        def lengths(**defaults):
            stages = plan("triton-trtllm", trtllm_version="0.14.0", **defaults)
            [build] = [stage["argv"] for stage in stages if stage["stage"] == "build"]
            return [build[build.index(word) + 1] for word in ("--max_input_len", "--max_seq_len")]

        self.assertEqual(lengths(), ["100", "150"])
        self.assertEqual(lengths(isl_sd=10, osl_sd=5), ["140", "210"])
        self.assert_has(words("triton-trtllm", osl_sd=5), "--osl", "50:5:70")


if __name__ == "__main__":
    unittest.main()
