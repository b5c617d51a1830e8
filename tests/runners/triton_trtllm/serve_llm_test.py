"""Plans points with trtllm-serve, for several releases and both of its backends, and checks every
command with check_command; measures a server that answers like trtllm-serve.

serve_llm_test.py ORCHESTRATE"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE))

import check_command  # noqa: E402
import openai_server  # noqa: E402

ORCHESTRATE = sys.argv.pop(1) if len(sys.argv) > 1 else None
FACTS = {
    "type": "qwen2",
    "heads": 28,
    "kv_heads": 4,
    "layers": 28,
    "hidden": 3584,
    "intermediate": 18944,
    "vocab": 152064,
    "positions": 131072,
}
MACHINE = {"gpus": 8, "gpu_model": "H100", "gpu_memory_gib": 80, "mig": False}


def plan(**values):
    """The plan of one point with these parameters, as JSON."""
    return json.loads(plan_output("--json", values))


def plan_output(form, values):
    matrix = {
        "name": "t",
        "runner": "triton-trtllm",
        "axes": {"model": ["m"], "frontend": ["trtllm-serve"], "concurrency": [4]},
        "models": {"m": {"source": "hf:Qwen/Qwen2-7B", "revision": "a" * 40, "facts": FACTS}},
        "machine": MACHINE,
    }
    matrix["axes"] |= {name: [value] for name, value in values.items()}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "m.yaml"
        path.write_text(yaml.safe_dump(matrix), encoding="utf-8")
        done = subprocess.run(
            [ORCHESTRATE, "plan", path, form, "--store", folder + "/store"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
        )
        if done.returncode:
            raise AssertionError(done.stderr + done.stdout)
        return done.stdout


def stage(planned, name):
    found = [one for one in planned["stages"] if one["stage"] == name]
    assert len(found) == 1, (name, planned["points"])
    return found[0]


def words_of(planned):
    """The command of trtllm-serve, without its launcher."""
    argv = stage(planned, "serve_llm")["argv"]
    return argv[argv.index("trtllm-serve") :]


NOT_VALID = 4  # exit status for a record that is marked invalid


@unittest.skipUnless(ORCHESTRATE, "the path of orchestrate is the first argument")
class ServeLlm(unittest.TestCase):
    def check(self, words, version):
        filled = ["8000" if word.startswith("{port") else word for word in words[1:]]
        problems = check_command.check(version, "serve", filled)
        self.assertEqual([problem.text for problem in problems], [], words)

    def test_a_model_without_an_engine_is_served_and_measured_by_http(self):
        planned = plan(trtllm_version="1.3.0", tp=4, moe_ep=2, max_num_tokens=4096)
        names = {one["stage"] for one in planned["stages"]}
        self.assertFalse(names & {"convert", "quantize", "build", "repository", "serve"}, names)
        words = words_of(planned)
        self.assertEqual(
            words[2:8], ["--backend", "pytorch", "--host", "{bind}", "--port", words[7]]
        )
        self.assertIn("download", words[1])
        for option, value in {
            "--tp_size": "4",
            "--ep_size": "2",
            "--max_num_tokens": "4096",
        }.items():
            self.assertEqual(words[words.index(option) + 1], value)
        self.assertNotIn("--trust_remote_code", words)
        self.assertEqual(planned["points"][0]["status"], "run")
        bench = stage(planned, "bench")
        self.assertEqual(
            [need for need in bench["needs"] if need.startswith("serve")],
            [stage(planned, "serve_llm")["id"]],
        )
        self.assertEqual(
            bench["argv"][2:7],
            [
                "--url",
                "http://{connect}:{port:serve_llm.http}",
                "--protocol",
                "openai-completions",
                "--model",
            ],
        )
        self.check(words, "1.3.0rc3")

    def test_an_engine_is_served_with_its_tokenizer(self):
        planned = plan(trtllm_version="1.1.0", llm_backend="tensorrt", trust_remote_code=True)
        words = words_of(planned)
        self.assertIn("build", words[1])
        self.assertEqual(words[2], "--tokenizer")
        self.assertEqual(words[words.index("--backend") + 1], "trt")
        self.assertEqual(words.count("--trust_remote_code"), 1)
        self.check(words, "1.3.0rc3")
        old = words_of(plan(trtllm_version="0.18.0", llm_backend="tensorrt"))
        self.assertNotIn("--backend", old)

    def test_other_options_are_written_to_a_yaml_file(self):
        script = plan_output(
            "--script",
            {
                "trtllm_version": "1.3.0",
                "kv_cache_free_gpu_mem_fraction": 0.5,
                "enable_chunked_context": True,
                "llm_api_options": "print_iter_log: true",
            },
        )
        rendered = re.search(r"^# Settings for trtllm-serve.*?(?=^END$)", script, re.S | re.M)[0]
        self.assertEqual(
            yaml.safe_load(rendered),
            {
                "kv_cache_config": {"enable_block_reuse": False, "free_gpu_memory_fraction": 0.5},
                "enable_chunked_prefill": True,
                "print_iter_log": True,
            },
        )

    def test_several_instances_are_rejected(self):
        planned = plan(trtllm_version="1.3.0", instances=2)
        self.assertEqual(planned["points"][0]["status"], "reject")

    def test_parameters_of_engines_are_rejected_without_an_engine(self):
        for more in (
            {"launch_mode": "orchestrator"},
            {"beam_width": 4, "max_beam_width": 4, "decoupled_mode": False},
        ):
            for frontend in ("trtllm-serve", "triton"):
                with self.subTest(frontend=frontend, more=more):
                    self.assertEqual(
                        plan(trtllm_version="1.3.0", frontend=frontend, **more)["points"][0][
                            "status"
                        ],
                        "reject",
                    )


@unittest.skipUnless(ORCHESTRATE, "the path of orchestrate is the first argument")
class Measured(unittest.TestCase):
    def bench(self, *words):
        server = openai_server.Server
        with tempfile.TemporaryDirectory() as folder, server() as one, server() as two:
            prompts = pathlib.Path(folder) / "prompts.jsonl"
            prompts.write_text(
                "".join(
                    json.dumps(
                        {"text_input": f"a prompt {i}", "isl": 3, "warmup": i < 2, "block": 0}
                    )
                    + "\n"
                    for i in range(22)
                ),
                encoding="utf-8",
            )
            return (
                one,
                two,
                subprocess.run(
                    [
                        ORCHESTRATE,
                        "bench",
                        "--url",
                        f"{one.url},{two.url}",
                        "--model",
                        "m",
                        "--concurrency",
                        "4",
                        "--requests",
                        "20",
                        "--warmup",
                        "2",
                        "--osl",
                        "8",
                        "--prompts",
                        prompts,
                        "--format",
                        "json",
                        "--wake-lag-ms-limit",
                        "10000",
                        "--client-cpu-limit",
                        "1000",
                        *words,
                    ],
                    capture_output=True,
                    text=True,
                    timeout=60,
                ),
            )

    def measure(self, *words):
        one, two, done = self.bench(*words)
        self.assertIn(done.returncode, (0, NOT_VALID), done.stderr)
        self.bodies = one.bodies[1:] + two.bodies[1:]  # the first goes alone, and is in no figure
        self.assertTrue(len(one.bodies) > 1 and len(two.bodies) > 1)
        return json.loads(done.stdout)["measurements"][0]

    def check(self, measured, isl):
        self.assertTrue(measured["valid"], measured["reasons"])
        # Other tests may run at the same time.
        own = [one for one in measured["warnings"] if not one.startswith("other programs used")]
        self.assertEqual(own, [])
        self.assertEqual(measured["metrics"]["error_rate"], 0)
        self.assertEqual(measured["counting"]["osl"], "usage")
        for name, value in {"isl_reported": isl, "osl_reported": 8, "osl_counted": 8}.items():
            self.assertEqual(measured["metrics"][name]["mean"], value, name)
        self.assertEqual(sum(server["requests"] for server in measured["servers"]), 20)
        self.assertTrue(all(body["ignore_eos"] and body["max_tokens"] == 8 for body in self.bodies))

    def test_completions_are_streamed_with_usage(self):
        measured = self.measure(
            "--protocol",
            "openai-completions",
            "--input",
            "temperature=0",
            "--input",
            "add_special_tokens=false",
        )
        self.check(measured, 3)
        self.assertEqual(measured["metrics"]["ttft_ms"]["n"], 20)

    def test_completions_in_one_body_have_usage(self):
        self.check(self.measure("--protocol", "openai-completions", "--no-stream"), 3)

    def test_chat_completions_have_usage(self):
        self.check(self.measure("--protocol", "openai-chat"), 7)

    def test_an_unknown_request_field_ends_the_benchmark_at_the_first_request(self):
        one, two, done = self.bench("--protocol", "openai-completions", "--input", "top_q=1")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(
            "refused the first request: HTTP 400: Extra inputs are not permitted: top_q",
            done.stderr,
        )
        self.assertEqual(len(one.bodies) + len(two.bodies), 1)

    def test_without_a_first_request_an_unknown_field_fails_every_request(self):
        measured = self.measure(
            "--protocol", "openai-completions", "--input", "top_q=1", "--no-first-request"
        )
        self.assertFalse(measured["valid"])
        self.assertIn(
            "20 of 20 requests failed, the first: HTTP 400: Extra inputs are not permitted: top_q",
            measured["warnings"],
        )


if __name__ == "__main__":
    unittest.main()
