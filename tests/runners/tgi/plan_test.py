"""What points of tgi become: the command lines, kept in commands.txt (ORCH_UPDATE_GOLDEN=1 writes
it); that every word of a server is an option of its release; what is refused, and what is said."""

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import engine_plans  # noqa: E402
import option_table  # noqa: E402

TABLE = option_table.Table(HERE / "options.txt")

CASES = {
    "default": {},
    "launcher": {"launcher": "/opt/tgi/text-generation-launcher"},
    "image": {"image": "example/tgi@sha256:" + "0" * 64},
    "sizes": {"tp": 4, "batch_size": 64, "context": 8192, "mem_fraction": 0.8,
              "max_batch_total_tokens": 65536, "waiting_served_ratio": 1.2},
    "drawn lengths": {"isl_sd": 10, "osl_sd": 5},
    "prefixes kept": {"enable_kv_cache_reuse": True},
    "prompts again": {"reuse_prompts": True},
    "chat": {"bench_protocol": "openai-chat"},
    "sampling": {"temperature": 0.5, "top_p": 0.9, "random_seed": 3, "stop_words": ["a b"]},
    "batch": {"batch": 8},
    "rate": {"request_rate": 2},
    "kernels": {"attention_backend": "paged", "cuda_graphs": "1,2,4"},
    "cache": {"kv_cache_type": "fp8_e5m2"},
    "speculative": {"speculate": 2},
    "adapters": {"lora_adapters": "a=/opt/a,b=/opt/b", "bench_model": "a"},
    "other words": {"trust_remote_code": True, "log_level": "warn",
                    "server_options": "--disable-custom-kernels"},
    "genai-perf": {"tool": "genai-perf"},
    "aiperf": {"tool": "aiperf"},
    **{precision: {"precision": precision}
       for precision in ("fp16", "auto", "eetq", "fp8", "bitsandbytes-nf4")},
    "awq": {"model": "awq", "precision": "awq"},
}  # fmt: skip
# The first release with what a case sets, of the cases that not all have.
OF_A_RELEASE = {"kernels": "2.3.1", "cache": "2.4.1", "adapters": "2.1.1"}

REJECTS = [
    ({"pp": 2}, "tensor parallelism only"),
    ({"tp": 16}, "this machine has 8"),
    ({"tp": 8}, "28 attention heads cannot be split"),
    ({"tp": 7}, "4 KV heads cannot be split"),
    ({"tp": 8, "model": "heads"}, "4 KV heads cannot be split across tp 8, and TGI copies none"),
    ({"eos": False}, "takes no field that forces the length"),
    ({"prompt_ids": True}, "takes no token ids"),
    ({"batch": 8, "client_batch": 4}, "lets a request have 4 prompts"),
    ({"concurrency": 8, "max_open_requests": 7}, "answers 429 beyond 7"),
    ({"tgi_version": "2.4.1", "context": 8192, "max_batch_prefill_tokens": 4096},
     "does not cut prompts"),
    ({"top_k": 5}, "have no top_k"),
    ({"top_p": 1}, "refuses a top_p of 1"),
    ({"return_log_probs": True}, "returns no log probabilities"),
    ({"bench_model": "a"}, "as the name of a LoRA adapter"),
    ({"precision": "exl2", "tp": 2}, "cannot split a checkpoint of EXL2"),
    ({"precision": "awq"}, "says none"),
    ({"precision": "eetq", "model": "awq"}, "is quantized by awq, and TGI cannot quantize it"),
    ({"attention_backend": "paged", "tgi_version": "2.2.0"}, "2.3.1"),
    ({"precision": "compressed-tensors", "tgi_version": "2.3.1"}, "2.4.1"),
    ({"beam_width": 2}, "beam"),
]  # fmt: skip


def server(point):
    """The assignments in front of the launcher, and the words behind it, as they reach it."""
    values = {"port:http": 8000, "port:master": 8001, "port:prometheus": 8002, "tmp": "/t",
              "bind": "127.0.0.1", "stage:download": "/m"}  # fmt: skip
    words = engine_plans.filled(point["stages"]["serve"]["argv"], values)
    place = words.index("text-generation-launcher")
    assert words[0] == "/usr/bin/env", words
    return words[1:place], words[place + 1 :]


class PlanTest(engine_plans.PlanTests, unittest.TestCase):
    runner = "tgi"
    kinds = ("environment", "serve", "bench", "tool_bench")
    commands = HERE / "commands.txt"
    cases = CASES
    rejects = REJECTS
    table = TABLE
    of_a_release = OF_A_RELEASE
    fewest_checked = 190

    @staticmethod
    def server_words(point):
        return server(point)[1]

    def test_values_that_a_release_lacks_are_not_offered_there(self):
        manifest = engine_plans.yaml.safe_load(
            (engine_plans.ROOT / "runners/tgi/runner.yaml").read_text(encoding="utf-8")
        )
        for value in manifest["parameters"]["precision"]["values"]:
            since = TABLE.releases[0]
            if isinstance(value, dict):
                since, value = value["since"], value["value"]
            if value in ("bf16", "fp16", "auto"):
                continue
            having = [
                release
                for release in TABLE.releases
                if option_table.accepts(TABLE.at(release)["--quantize"], value)
            ]
            self.assertEqual(TABLE.releases[TABLE.place(since) :], having, value)

    def test_a_plan_says_what_is_not_as_in_other_stacks(self):
        done = engine_plans.orchestrate("plan", "tgi", [{"osl": 2000}], "--store", "/nowhere")
        said = done.stdout + done.stderr
        self.assertIn("TGI cannot be told to ignore the model's end token", said)
        self.assertIn("TGI is sent texts", said)
        self.assertIn("at most 1,024 tokens of an answer at a time", said)
        bench = self.points["default"]["stages"]["bench"]["argv"]
        self.assertIn("--eos", bench)
        self.assertNotIn("--ids", bench)
        self.assertIn("temperature=0", bench)

    def test_the_cache_of_prefixes_is_off_unless_a_matrix_wants_it(self):
        off, _ = server(self.points["default"])
        self.assertEqual(off, ["USE_PREFIX_CACHING=0", "PREFIX_CACHING=0"])
        kept, _ = server(self.points["prefixes kept"])
        self.assertEqual(kept, ["USE_PREFIX_CACHING=1", "PREFIX_CACHING=1"])


if __name__ == "__main__":
    unittest.main()
