"""What points of sglang become: the command lines, kept in commands.txt (ORCH_UPDATE_GOLDEN=1
writes it); that every word of a server is an option of its release; and what is refused."""

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import engine_plans  # noqa: E402
import option_table  # noqa: E402

TABLE = option_table.Table(HERE / "options.txt")
PYTHON = "/opt/sglang/bin/python3"
EAGLE = {"speculative_algorithm": "EAGLE", "draft_model": "small", "num_draft_tokens": 8,
         "num_draft_steps": 4, "draft_top_k": 4}  # fmt: skip

CASES = {
    "default": {},
    "python": {"python": PYTHON},
    "image": {"image": "example/sglang@sha256:" + "0" * 64, "container_shm": "32g",
              "container_options": "--ipc host", "container_folders": "/tmp"},
    "lock file": {"requirements": "/opt/sglang.lock"},
    "sizes": {"tp": 4, "pp": 2, "batch_size": 64, "context": 4096, "mem_fraction": 0.8,
              "chunked_prefill_size": 2048, "max_prefill_tokens": 8192},
    "replicas": {"tp": 2, "dp": 2},
    "experts": {"model": "moe", "tp": 4, "ep": 4},
    "drawn lengths": {"isl_sd": 10, "osl_sd": 5},
    "prefixes kept": {"enable_kv_cache_reuse": True},
    "prompts again": {"reuse_prompts": True},
    "chat": {"bench_protocol": "openai-chat"},
    "texts": {"prompt_ids": False},
    "sampling": {"temperature": 0.5, "top_k": 20, "top_p": 0.9, "random_seed": 3},
    "rate": {"request_rate": 2},
    "kernels": {"attention_backend": "triton", "cuda_graph_max_batch": 64, "kv_cache_type":
                "fp8_e5m2"},
    "speculative": EAGLE,
    "n-grams": {"speculative_algorithm": "NGRAM", "num_draft_tokens": 8},
    "adapters": {"lora_paths": "a=/opt/a b=/opt/b", "max_loras_per_batch": 2,
                 "inputs": ["lora_path=a"]},
    "other words": {"trust_remote_code": True, "log_level": "warning",
                    "server_options": "--enable-torch-compile --schedule-policy fcfs"},
    "genai-perf": {"tool": "genai-perf"},
    "aiperf": {"tool": "aiperf"},
    **{precision: {"precision": precision} for precision in ("fp16", "fp32", "auto", "fp8")},
    "awq": {"model": "awq", "precision": "awq"},
}  # fmt: skip
# Which of them a release has; the others are refused with the releases that have them.
OF_A_RELEASE = {"experts": "0.4.3", "speculative": "0.4.3", "n-grams": "0.5.5",
                "sizes": "0.4.10", "sampling": "0.4.3"}  # fmt: skip

REJECTS = [
    ({"image": "i", "requirements": "/opt/lock"}, "set only one of them"),
    ({"python": PYTHON, "requirements": "/opt/lock"}, "set only one of them"),
    ({"tp": 4, "dp": 4}, "need 16 GPUs, and this machine has 8"),
    ({"tp": 8}, "28 attention heads cannot be split"),
    ({"tp": 7}, "4 KV heads can be neither split"),
    ({"pp": 8, "model": "small"}, "4 layers cannot be divided among pp 8"),
    ({"pp": 2, "sglang_version": "0.4.6"}, "has --pp-size from 0.4.10 on"),
    ({"ep": 2, "tp": 2, "model": "moe", "sglang_version": "0.4.0"}, "0.4.3"),
    ({"ep": 2, "tp": 2}, "cannot be divided equally among ep 2"),
    ({"tp": 4, "dp": 3}, "stage 'serve' needs 12 of the machine's 8 GPUs"),
    ({"context": 151}, "ends an answer two tokens before"),
    ({"precision": "awq"}, "says none"),
    ({"precision": "fp8", "model": "awq"}, "is quantized by awq"),
    ({"draft_model": "small"}, "draft_model is for"),
    ({"speculative_algorithm": "EAGLE"}, "needs a draft model"),
    ({"max_loras_per_batch": 2}, "set lora_paths"),
    ({"top_k": 5, "sglang_version": "0.4.0"}, "have no top_k"),
    ({"precision": "mxfp4", "sglang_version": "0.4.10"}, "0.5.2"),
    ({"attention_backend": "cutlass_mla"}, "0.4.10 to 0.5.15 have it"),
    ({"beam_width": 2}, "beam"),
    ({"bad_words": ["a"]}, "bad words"),
]  # fmt: skip


def server(point):
    """The words behind the module's name, as they reach a server."""
    values = {"port:http": 8000, "port:nccl": 8001, "bind": "127.0.0.1", "stage:download": "/m",
              "stage:draft": "/d"}  # fmt: skip
    words = engine_plans.filled(point["stages"]["serve"]["argv"], values)
    assert words[:3] == ["python3", "-m", "sglang.launch_server"], words[:3]
    return words[3:]


class PlanTest(engine_plans.PlanTests, unittest.TestCase):
    runner = "sglang"
    kinds = ("environment", "draft", "serve", "bench", "tool_bench")
    commands = HERE / "commands.txt"
    cases = CASES
    rejects = REJECTS
    table = TABLE
    of_a_release = OF_A_RELEASE
    fewest_checked = 250
    server_words = staticmethod(server)

    def test_values_that_a_release_lacks_are_not_offered_there(self):
        """Each value of a parameter is one of its option, in just the releases that have it."""
        options = {"precision": "--quantization", "attention_backend": "--attention-backend",
                   "kv_cache_type": "--kv-cache-dtype",
                   "speculative_algorithm": "--speculative-algorithm"}  # fmt: skip
        manifest = engine_plans.yaml.safe_load(
            (engine_plans.ROOT / "runners/sglang/runner.yaml").read_text(encoding="utf-8")
        )
        for name, option in options.items():
            for value in manifest["parameters"][name]["values"]:
                since, until = None, None
                if isinstance(value, dict):
                    since, until, value = value.get("since"), value.get("until"), value["value"]
                if value in ("bf16", "fp16", "fp32", "auto") and name == "precision":
                    continue
                having = [
                    release
                    for release in TABLE.releases
                    if option in TABLE.at(release)
                    and option_table.accepts(TABLE.at(release)[option], value)
                ]
                place = TABLE.place
                declared = [
                    release
                    for release in TABLE.releases
                    if place(release) >= (place(since) if since else 0)
                    and (not until or place(release) < place(until))
                    and option in TABLE.at(release)
                ]
                self.assertEqual(declared, having, f"{name}: {value}")

    def test_lengths_of_one_context_loads_and_tools_share_a_server(self):
        cases = [{}, {"isl": 120}, {"concurrency": 8}, {"tool": "genai-perf"}, {"isl": 300}]
        servers = [
            point["stages"]["serve"]["id"] for point in engine_plans.planned("sglang", cases)
        ]
        self.assertEqual(len(set(servers[:4])), 1)
        self.assertNotEqual(servers[0], servers[4])

    def test_answers_have_room_when_they_fill_a_multiple_of_256(self):
        [point] = engine_plans.planned("sglang", [{"isl": 128, "osl": 128}])
        words = server(point)
        self.assertEqual(words[words.index("--context-length") + 1], "512")


if __name__ == "__main__":
    unittest.main()
