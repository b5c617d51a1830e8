"""What points of llama-cpp become: the command lines, kept in commands.txt (ORCH_UPDATE_GOLDEN=1
writes it), beside the parser of scripts/serve.py and the options of llama-server; and what is
refused. ORCH_BINARY names orchestrate."""

import os
import pathlib
import re
import sys
import unittest

import yaml

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parents[2]
RUNNER = PROJECT / "runners/llama-cpp"
ORCHESTRATE = os.environ["ORCH_BINARY"]
COMMANDS = HERE / "commands.txt"
OWN = "/opt/llama.cpp/llama-server"

sys.path[:0] = [str(RUNNER / "scripts"), str(HERE.parent)]
import plans  # noqa: E402
import serve  # noqa: E402


def planned(cases, runner="llama-cpp"):
    matrix = {"runner": runner, "models": {"m": {"source": "generate:tiny"}}}
    return plans.planned(matrix, cases, *plans.EIGHT_H100)


def plain(words):
    """WORDS without digests and folders."""
    text = "\n".join(words).replace(str(PROJECT), "PROJECT").replace(ORCHESTRATE, "ORCHESTRATE")
    return re.sub("-[0-9a-f]{12}}", "}", text).split("\n")


def server_words(point):
    """The words of the server, without the program and its script."""
    for stage, program in (("serve", 2), ("serve_binary", 1)):
        if stage in point["stages"]:
            return point["stages"][stage]["argv"][program:]
    raise KeyError("no server")


def concrete(words):
    return [word.replace("{port:http}", "8000").replace("{bind}", "127.0.0.1") for word in words]


CASES = {
    "default": {},
    "sizes": {"batch_size": 4, "threads": 2, "context": 1024, "n_batch": 512, "n_ubatch": 128},
    "drawn lengths": {"isl_sd": 10, "osl_sd": 5},
    "prefixes kept": {"enable_kv_cache_reuse": True},
    "prompts again": {"reuse_prompts": True},
    "chat": {"bench_protocol": "openai-chat"},
    "texts": {"prompt_ids": False},
    "sampling": {"temperature": 0.5, "top_p": 0.9, "random_seed": 3, "stop_words": ["a b"]},
    "penalty": {"repetition_penalty": 1.1},
    "rate": {"request_rate": 2},
    "own server": {"binary": OWN},
    "own server on a GPU": {
        "binary": OWN, "server_options": "--n-gpu-layers 99 --flash-attn on", "gpus": 1,
    },
    "older server": {"binary": OWN, "release_options": "--verbosity 0"},
    "genai-perf": {"tool": "genai-perf"},
    "genai-perf 25.04": {"tool": "genai-perf", "tool_path": OWN, "tool_version": "25.04"},
    "genai-perf, own server": {"tool": "genai-perf", "binary": OWN},
    "aiperf": {"tool": "aiperf"},
    "aiperf, own server": {"tool": "aiperf", "binary": OWN},
}  # fmt: skip

REJECTS = [
    ({"tp": 2}, "runs in one process without ranks"),
    ({"pp": 2}, "runs in one process without ranks"),
    ({"context": 149}, "a slot has room for 149 tokens"),
    ({"context": 150, "osl_sd": 1}, "a slot has room for 150 tokens"),
    ({"kv_cache_tokens": 256}, "not enough for 8 slots of 256"),
    ({"batch": 2}, "counts only the first of several prompts"),
    ({"n_batch": 64, "n_ubatch": 65}, "n_ubatch 65 is more than n_batch 64"),
    ({"concurrency": 505}, "512 threads cannot hold 505 open requests"),
    ({"prompt_ids": True, "bench_protocol": "openai-chat"}, "sends messages"),
    ({"beam_width": 2}, "has no beam search"),
    ({"bad_words": ["a"]}, "has no bad words"),
    ({"return_context_logits": True}, "return no logits"),
    ({"return_generation_logits": True}, "return no logits"),
    ({"lora_task_id": 1}, "adapters have no task ids"),
    ({"server_options": "--mlock"}, "set binary to its path"),
    ({"gpus": 1}, "set binary to its path"),
    ({"tool": "perf_analyzer"}, "sends to Triton"),
    ({"tool": "model-analyzer"}, "sends to Triton"),
    ({"tool": "llm-perf"}, "sends to Triton"),
    ({"tool": "triton-cli", "tool_path": OWN, "tool_version": "24.10"}, "sends to Triton"),
    ({"tool": "benchmark_core_model", "tool_path": OWN}, "sends to Triton"),
    ({"tool": "genai-perf", "bench_protocol": "openai-chat"}, "for /v1/completions"),
]  # fmt: skip


def rules():
    """Names of the runner's own rules that reject."""
    texts = [RUNNER / "runner.yaml", *RUNNER.glob("manifest/*.yaml")]
    return {
        rule["name"]
        for text in texts
        for rule in yaml.safe_load(text.read_text()).get("rules", [])
        if rule.get("level", "reject") == "reject"
    }


class PlanTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.points = dict(zip(CASES, planned(list(CASES.values()))))

    def test_command_lines_are_those_recorded(self):
        text = ""
        for name, point in self.points.items():
            self.assertEqual(point["status"], "run", f"{name}: {point['reason']}")
            for stage in ("serve", "serve_binary", "bench", "tool_bench"):
                if stage in point["stages"]:
                    words = plain(point["stages"][stage]["argv"])
                    text += f"== {name}: {stage}\n" + "\n".join(words) + "\n"
        if os.environ.get("ORCH_UPDATE_GOLDEN"):
            COMMANDS.write_text(text)
        self.assertEqual(COMMANDS.read_text(), text)

    def test_the_script_takes_the_words_of_every_plan(self):
        for name, point in self.points.items():
            if "serve" not in point["stages"]:
                continue
            with self.subTest(name):
                options = serve.parser().parse_args(concrete(server_words(point)))
                members = serve.settings(options)
                self.assertEqual(members["n_ctx"] % members["n_parallel"], 0)
                self.assertEqual(members["cache_prompt"], name == "prefixes kept")
                self.assertEqual((members["hostnames"], members["port"]), (["127.0.0.1"], 8000))
                self.assertEqual(members["model_alias"], {"m"})

    def test_llama_server_knows_the_words_of_every_plan(self):
        lines = (HERE / "llama_server_options.txt").read_text().splitlines()
        known = dict(line.split() for line in lines if line.startswith("--"))
        for name, point in self.points.items():
            words = server_words(point)
            while words:
                option = words.pop(0)
                self.assertIn(option, known, name)
                if known[option] == "VALUE":
                    self.assertFalse(words.pop(0).startswith("--"), (name, option))

    def test_what_the_server_cannot_do_is_a_reject_in_words(self):
        points = planned([case for case, _ in REJECTS])
        for point, (case, because) in zip(points, REJECTS):
            with self.subTest(**case):
                self.assertEqual(point["status"], "reject")
                self.assertIn(because, point["reason"])
        self.assertLessEqual(rules(), {point["reason"].split(":")[0] for point in points})

    def test_lengths_of_one_context_loads_and_tools_share_a_server(self):
        cases = [{}, {"isl": 120}, {"concurrency": 8}, {"tool": "genai-perf"}, {"isl": 300}]
        servers = [point["stages"]["serve"]["id"] for point in planned(cases)]
        self.assertEqual(len(set(servers[:4])), 1)
        self.assertNotEqual(servers[0], servers[4])

    def test_the_gguf_file_is_that_of_triton_openvino(self):
        [ours], [theirs] = planned([{}]), planned([{}], "triton-openvino")
        for stage in ("checkpoint_environment", "download", "quantize", "convert"):
            self.assertEqual(ours["stages"][stage]["id"], theirs["stages"][stage]["id"])

    def test_a_server_of_ones_own_needs_no_environment(self):
        stages = self.points["own server"]["stages"]
        self.assertNotIn("environment", stages)
        self.assertNotIn("serve", stages)
        self.assertEqual(stages["serve_binary"]["launch"], ["/usr/bin/env"])
        self.assertEqual(stages["serve_binary"]["argv"][0], OWN)


if __name__ == "__main__":
    unittest.main()
