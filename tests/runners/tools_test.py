"""What `tool` of a measurement becomes in the plans of both runners: the command line of each tool
and generation, kept in tool_commands.txt (ORCH_UPDATE_GOLDEN=1 writes it), the rejects of what a
tool cannot do, and its input files. ORCH_BINARY names orchestrate."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import plans
import yaml

PROJECT = pathlib.Path(__file__).resolve().parents[2]
ORCHESTRATE = os.environ["ORCH_BINARY"]
COMMANDS = pathlib.Path(__file__).with_name("tool_commands.txt")
INPUT = PROJECT / "runners/common/scripts/tool_input.py"
MODELS = {"triton-openvino": "generate:tiny", "triton-trtllm": "hf:Qwen/Qwen2-7B"}
QWEN = {
    "type": "qwen2", "heads": 28, "kv_heads": 4, "layers": 28, "hidden": 3584,
    "intermediate": 18944, "vocab": 152064, "positions": 131072, "tied": False,
}  # fmt: skip
OWN = "/opt/own/tool"
SDK = "nvcr.io/nvidia/tritonserver:24.08-py3-sdk"


def planned(runner, cases):
    model = {"source": MODELS[runner]}
    if runner == "triton-trtllm":
        model |= {"facts": QWEN, "revision": "0" * 40}
    return plans.planned({"runner": runner, "models": {"m": model}}, cases, *plans.EIGHT_H100)


def words(point):
    """The tool's words, without those of convert-results and of run_tool.py."""
    argv = point["stages"]["tool_bench"]["argv"]
    for _ in range(2):
        argv = argv[argv.index("--") + 1 :]
    return [re.sub("-[0-9a-f]{12}}", "}", word) for word in argv]


CASES = {
    "genai-perf": {"tool": "genai-perf"},
    "genai-perf 24.07": {"tool": "genai-perf", "tool_path": OWN, "tool_version": "24.07"},
    "genai-perf 24.08": {"tool": "genai-perf", "tool_path": OWN, "tool_version": "24.08"},
    "genai-perf of an image": {"tool": "genai-perf", "tool_image": SDK},
    "genai-perf 24.10": {"tool": "genai-perf", "tool_path": OWN, "tool_version": "24.10"},
    "genai-perf 24.12": {"tool": "genai-perf", "tool_path": OWN, "tool_version": "24.12"},
    "genai-perf 25.03": {"tool": "genai-perf", "tool_path": OWN, "tool_version": "25.03"},
    "genai-perf 25.04": {"tool": "genai-perf", "tool_path": OWN, "tool_version": "25.04"},
    "genai-perf 0.0.16": {"tool": "genai-perf", "tool_path": OWN, "tool_version": "0.0.16"},
    "genai-perf rate": {"tool": "genai-perf", "request_rate": 2},
    "genai-perf windows": {
        "tool": "genai-perf", "tool_interval_ms": 4000, "tool_stability_percent": 20,
    },
    "genai-perf synthetic eos": {"tool": "genai-perf", "tool_prompts": "synthetic", "eos": True},
    "perf_analyzer": {"tool": "perf_analyzer"},
    "perf_analyzer rate": {"tool": "perf_analyzer", "request_rate": 2, "eos": True},
    "perf_analyzer windows": {"tool": "perf_analyzer", "tool_interval_ms": 4000},
    "aiperf": {"tool": "aiperf"},
    "aiperf rate": {"tool": "aiperf", "request_rate": 2},
    "model-analyzer": {"tool": "model-analyzer", "bench_model": "tensorrt_llm_bls"},
    "model-analyzer rate": {
        "tool": "model-analyzer", "bench_model": "tensorrt_llm_bls", "request_rate": 2,
    },
    "benchmark_core_model": {
        "tool": "benchmark_core_model", "tool_path": OWN, "bench_model": "tensorrt_llm",
    },
    "benchmark_core_model synthetic rate": {
        "tool": "benchmark_core_model", "tool_path": OWN, "bench_model": "tensorrt_llm",
        "tool_prompts": "synthetic", "request_rate": 2,
    },
    "benchmark_core_model drawn": {
        "tool": "benchmark_core_model", "tool_path": OWN, "bench_model": "tensorrt_llm",
        "tool_prompts": "synthetic", "isl_sd": 10,
    },
    "triton-cli": {"tool": "triton-cli", "tool_path": OWN, "tool_version": "24.10"},
    "llm-perf": {"tool": "llm-perf"},
    "llm-perf eos": {"tool": "llm-perf", "eos": True},
}  # fmt: skip

SERVED = {"frontend": "trtllm-serve", "trtllm_version": "1.0.0"}
CORE_MODEL = {"tool": "benchmark_core_model", "bench_model": "tensorrt_llm"}
REJECTS = [
    ({"tool": "triton-cli", "tool_version": "24.10"}, "no package index"),
    ({"tool": "genai-perf", "tool_version": "24.07"}, "has genai-perf 0.0.8, not 24.07"),
    ({"tool": "genai-perf", "tool_path": OWN}, "set tool_version"),
    ({"tool_path": OWN}, "belong to tools of others"),
    ({"tool_image": SDK}, "belong to tools of others"),
    ({"tool": "genai-perf", "tool_engine": "podman"}, "starts tool_image, which is not set"),
    ({"tool": "genai-perf", "tool_image": "own/tools:1"}, "set tool_version"),
    ({"tool": "native", "tool_interval_ms": 5}, "belong to tools of others"),
    ({"tool": "perf_analyzer", "temperature": 0.5}, "sent by native only"),
    ({"tool": "genai-perf", "top_k": 5}, "sent by native only"),
    ({"tool": "aiperf", "random_seed": 5}, "sent by native only"),
    ({"tool": "aiperf", "stop_words": ["a"]}, "sent by native only"),
    ({"tool": "genai-perf", "inputs": ["a=1"]}, "sent by native only"),
    ({"tool": "genai-perf", "batch": 2}, "sent by native only"),
    ({"tool": "perf_analyzer", "beam_width": 2}, "sent by native only"),
    ({"tool": "genai-perf", "return_log_probs": True}, "asked for by native only"),
    ({"tool": "genai-perf", "osl_sd": 4}, "drawn by native only"),
    ({"tool": "genai-perf", "duration": 4}, "measurement of native only"),
    (
        {"tool": "benchmark_core_model", "tool_path": OWN, "bench_model": "tensorrt_llm",
         "eos": True},
        "leave eos out",
    ),
    ({"tool": "llm-perf", "request_rate": 2}, "has no request rate"),
    ({"tool": "aiperf", "request_rate": 2, "arrival": "gamma", "burstiness": 2}, "gamma"),
    ({"tool": "aiperf", "tool_interval_ms": 5}, "leave them out with aiperf"),
    ({"tool": "aiperf", "tool_prompts": "synthetic"}, "is given the prompts of native"),
    ({"tool": "aiperf", "bench_protocol": "triton-grpc"}, "by HTTP only"),
    ({"tool": "genai-perf", "bench_model": "tensorrt_llm"}, "takes token ids"),
    ({"tool": "model-analyzer"}, "quick mode"),
    ({"tool": "benchmark_core_model", "tool_path": OWN}, "set it to tensorrt_llm"),
]  # fmt: skip


SERVED_REJECTS = [
    ({"tool": "perf_analyzer", **SERVED}, "know the OpenAI API"),
    ({"tool": "genai-perf", "instances": 2}, "sends to one server"),
    ({"tool": "genai-perf", "trtllm_version": "1.0.0"}, "sends min_length to Triton"),
    ({**CORE_MODEL, "trtllm_version": "0.9.0", "decoupled_mode": True}, "--decoupled from 0.11.0"),
    (
        {"tool": "genai-perf", "llm_backend": "pytorch", "trtllm_version": "1.0.0"},
        "has other tensors",
    ),
    (
        {
            "tool": "genai-perf", "bench_model": "tensorrt_llm_bls", "draft_model": "m",
            "speculative_decoding_mode": "draft_tokens_external", "max_draft_len": 5,
            "enable_kv_cache_reuse": True, "exclude_input_in_output": False,
            "decoupled_mode": False,
        },
        "inputs that a draft model needs",
    ),
]  # fmt: skip


def rules_of_tools(runner):
    """Names of the rules that reject points of RUNNER for their tool."""
    parts = [PROJECT / "runners" / part for part in ("common", f"{runner}/manifest")]
    return {
        rule["name"]
        for part in parts
        for rule in yaml.safe_load((part / "tools.yaml").read_text())["rules"]
        if rule.get("level", "reject") == "reject"
    }


class ToolsTest(unittest.TestCase):
    maxDiff = None

    def test_command_lines_are_those_recorded(self):
        text = ""
        for runner in MODELS:
            cases = dict(CASES)
            if runner == "triton-trtllm":
                cases["benchmark_core_model of the installation"] = CORE_MODEL
                cases["perf_analyzer 1.0"] = {"tool": "perf_analyzer", "trtllm_version": "1.0.0"}
                for tool in ("genai-perf", "aiperf"):
                    cases[f"{tool} trtllm-serve"] = {"tool": tool, **SERVED}
            for name, point in zip(cases, planned(runner, list(cases.values()))):
                self.assertEqual(point["status"], "run", f"{name}: {point['reason']}")
                text += f"== {runner}: {name}\n" + "\n".join(words(point)) + "\n"
        text = text.replace(str(PROJECT), "PROJECT").replace(ORCHESTRATE, "ORCHESTRATE")
        if os.environ.get("ORCH_UPDATE_GOLDEN"):
            COMMANDS.write_text(text)
        self.assertEqual(COMMANDS.read_text(), text)

    def test_what_a_tool_cannot_do_is_a_reject_in_words(self):
        for runner in MODELS:
            rejects = REJECTS + (SERVED_REJECTS if runner == "triton-trtllm" else [])
            points = planned(runner, [defaults for defaults, _ in rejects])
            for point, (defaults, because) in zip(points, rejects):
                with self.subTest(runner, **defaults):
                    self.assertEqual(point["status"], "reject")
                    self.assertIn(because, point["reason"])
            if runner == "triton-openvino":
                (point,) = planned(runner, [CORE_MODEL])
                self.assertIn("no package index", point["reason"])
            broken = {point["reason"].split(":")[0] for point in points}
            self.assertEqual(broken, rules_of_tools(runner))

    def test_the_core_model_comes_from_the_installation_of_the_release(self):
        own, brought = planned("triton-trtllm", [{**CORE_MODEL, "tool_path": OWN}, CORE_MODEL])
        self.assertNotIn("core_model", own["stages"])
        stage = brought["stages"]["core_model"]
        self.assertEqual(stage["argv"], ["cp", "-rL", "/app/tools", "{out}"])
        self.assertEqual(own["stages"]["serve"]["id"], brought["stages"]["serve"]["id"])

    def test_points_of_several_tools_share_the_server_and_the_prompts(self):
        for runner in MODELS:
            with self.subTest(runner):
                tools = [{}, {"tool": "native"}, {"tool": "genai-perf"}]
                absent, native, other = [p["stages"] for p in planned(runner, tools)]
                self.assertNotIn("tool_bench", native)
                self.assertNotIn("tool_input", absent)
                self.assertNotIn("bench", other)
                self.assertEqual(absent["bench"]["id"], native["bench"]["id"])
                for shared in ("serve", "prompts"):
                    self.assertEqual(native[shared]["id"], other[shared]["id"])

    def test_a_tool_of_an_image_runs_in_a_container_and_needs_no_environment_of_ours(self):
        for runner in MODELS:
            for tool in ("genai-perf", "perf_analyzer"):
                [point] = planned(runner, [{"tool": tool, "tool_image": SDK}])
                self.assertEqual(point["status"], "run", point["reason"])
                bench = point["stages"]["tool_bench"]
                self.assertNotIn("tool_environment", point["stages"])
                self.assertEqual(bench["container"]["image"], SDK)
                inside = bench["argv"][bench["argv"].index("{container}") + 1 :]
                self.assertEqual(inside[0], "/usr/bin/python3", "what converts results stays here")
                self.assertEqual(inside[inside.index("--") + 1], tool)
            [bare] = planned(runner, [{"tool": "genai-perf"}])
            self.assertIsNone(bare["stages"]["tool_bench"]["container"])

    def dataset_matrix(self):
        return {
            "runner": "triton-openvino",
            "models": {"m": {"source": "generate:tiny"}},
            "datasets": {"orca": {"source": "hf:acme/orca", "revision": "0" * 40}},
        }

    def test_a_dataset_of_a_tool_takes_the_place_of_the_prompts_of_native(self):
        cases = [{}, {"tool": "genai-perf", "tool_prompts": "orca"}, {"tool": "genai-perf"}]
        native, own, same = [
            point["stages"]
            for point in plans.planned(self.dataset_matrix(), cases, *plans.EIGHT_H100)
        ]
        self.assertNotIn("dataset", native)
        self.assertEqual(native["prompts"]["id"], same["prompts"]["id"])
        self.assertNotEqual(native["prompts"]["id"], own["prompts"]["id"])
        self.assertEqual(own["dataset"]["argv"][2:4], ["hf:datasets/acme/orca", "0" * 40])
        self.assertIn(own["prompts"]["id"], own["tool_input"]["needs"])
        self.assertIn("--input-file", own["tool_bench"]["argv"])
        self.assertEqual(native["serve"]["id"], own["serve"]["id"])

    def test_a_dataset_that_the_matrix_does_not_have_is_refused_with_those_it_has(self):
        matrix = plans.with_cases(
            self.dataset_matrix(), [{"tool": "genai-perf", "tool_prompts": "orka"}]
        )
        done = plans.orchestrate("check", matrix)
        self.assertEqual(done.returncode, 2)
        self.assertIn(
            "'tool_prompts' is 'orka', which is not under 'datasets', and is not file or"
            " synthetic; did you mean 'orca'?",
            done.stderr,
        )


class InputTest(unittest.TestCase):
    ROWS = [
        {"text_input": "warm", "isl": 1, "warmup": True, "block": 0},
        {"text_input": 'a "quote" é', "isl": 4, "warmup": False, "block": 0},
        {"text_input": "b", "isl": 1, "osl": 7, "warmup": False, "block": 0},
        {"text_input": "c", "isl": 1, "warmup": False, "block": 1},
    ]

    def made(self, tool, *more, rows=None, blocks=2):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        out = pathlib.Path(folder.name)
        lines = [json.dumps(row) for row in rows or self.ROWS]
        (out / "prompts").write_text("\n".join(lines) + "\n")
        argv = ["--tool", tool, "--prompts", str(out / "prompts"), "--osl", "5", *more]
        argv += ["--blocks", str(blocks), "--out", str(out)]
        done = subprocess.run([sys.executable, INPUT, *argv], capture_output=True, text=True)
        return out, done

    def read(self, path):
        return [json.loads(line) for line in path.read_text().splitlines()]

    def test_each_tool_gets_the_measured_prompts_of_its_block(self):
        equal = [{k: v for k, v in row.items() if k != "osl"} for row in self.ROWS]
        for tool, key in [("genai-perf", "text_input"), ("aiperf", "text"), ("llm-perf", "input")]:
            out, done = self.made(tool, rows=equal)
            self.assertEqual(done.returncode, 0, done.stderr)
            first, second = self.read(out / "input-0.jsonl"), self.read(out / "input-1.jsonl")
            self.assertEqual(first, [{key: 'a "quote" é'}, {key: "b"}])
            self.assertEqual(second, [{key: "c"}])

    def test_perf_analyzer_gets_the_length_of_each_request(self):
        out, done = self.made("perf_analyzer")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads((out / "input-0.json").read_text())["data"]
        self.assertEqual([row["max_tokens"] for row in rows], [[5], [7]])
        self.assertEqual([row["min_length"] for row in rows], [[5], [7]])
        out, _ = self.made("perf_analyzer", "--least-osl-input", "min_tokens")
        rows = json.loads((out / "input-0.json").read_text())["data"]
        self.assertEqual([row["min_tokens"] for row in rows], [[5], [7]])
        out, _ = self.made("perf_analyzer", "--eos")
        rows = json.loads((out / "input-0.json").read_text())["data"]
        self.assertNotIn("min_length", rows[0])

    def test_the_core_model_is_asked_for_words_of_output(self):
        out, _ = self.made("benchmark_core_model")
        rows = json.loads((out / "input-0.json").read_text())
        self.assertEqual([len(row["output"].split(" ")) for row in rows], [5, 7])

    def test_a_tool_with_one_length_refuses_lengths_of_rows(self):
        _, done = self.made("genai-perf")
        self.assertEqual(done.returncode, 1)
        self.assertIn("asks for 7 tokens, and genai-perf has one length", done.stderr)

    def test_prompts_of_ids_alone_and_missing_blocks_are_refused(self):
        _, done = self.made("aiperf", rows=[{"input_ids": [1], "block": 0}], blocks=1)
        self.assertIn("has token ids and no text", done.stderr)
        _, done = self.made("perf_analyzer", blocks=3)
        self.assertIn("has no prompts in block 2, and 3 blocks are needed", done.stderr)

    def test_reused_prompts_are_those_of_every_block(self):
        out, done = self.made("perf_analyzer", "--reuse", blocks=3)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read(out / "input-0.jsonl"), self.read(out / "input-2.jsonl"))


if __name__ == "__main__":
    unittest.main()
