"""How long measurements and builds take before anything ran: the bounds and expectations of
common/estimates.yaml and of the runner triton-trtllm, beside arithmetic written out by hand and
beside published times. ORCH_BINARY names orchestrate."""

import math
import pathlib
import sys
import unittest

import yaml

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import engine_plans  # noqa: E402
import plans  # noqa: E402

PUBLISHED = yaml.safe_load((HERE / "published_times.yaml").read_text(encoding="utf-8"))
H100 = {"gpus": 8, "gpu_model": "NVIDIA H100 80GB HBM3", "gpu_memory_gib": 79.6, "mig": ""}
BANDWIDTH = 3350e9  # of an H100
ANSWERS, TOKENS = 100, 1024
MINUTE = 60
QWEN2_72B = "hf:Qwen/Qwen2-72B-Instruct"
# Qwen2 72B: layers of attention with 8 KV heads of 128, three matrices of an MLP, and lm_head.
HIDDEN, LAYERS, MLP, VOCABULARY = 8192, 80, 29568, 152064
LAYER = HIDDEN * (2 * HIDDEN + 2 * 8 * 128) + 3 * HIDDEN * MLP
MEASUREMENT = {"model": "m", "isl": 128, "osl": TOKENS, "num_prompts": ANSWERS}


def trtllm(cases, machine=None, model=QWEN2_72B):
    """The stages of CASES on MACHINE by their kinds."""
    models = {"m": {"source": model, "revision": "main"}}
    given = {"runner": "triton-trtllm", "models": models, "machine": machine or H100}
    load = {"concurrency": 1}
    cases = [{**MEASUREMENT, **({} if "request_rate" in case else load), **case} for case in cases]
    points = plans.planned(given, cases)
    return [point["stages"] for point in points]


class BoundTest(unittest.TestCase):
    def test_of_decoding_is_the_reading_of_the_weights(self):
        """The example of a sweep of two days: 37 minutes in FP16 on two GPUs, 5 in FP8 on eight."""
        wide, narrow = trtllm([{"precision": "fp16", "tp": 2}, {"precision": "fp8", "tp": 8}])
        for stages, size, tp, minutes in [(wide, 2, 2, 37), (narrow, 1, 8, 5)]:
            step = (LAYER * LAYERS * size + VOCABULARY * HIDDEN * 2) / tp / BANDWIDTH
            self.assertAlmostEqual(stages["bench"]["bound_s"], ANSWERS * TOKENS * step, delta=1)
            self.assertAlmostEqual(stages["bench"]["bound_s"] / MINUTE, minutes, delta=0.7)

    def test_is_below_what_is_expected(self):
        cases = [
            {"tp": tp, "precision": "fp8", "batch_size": 16, "concurrency": c, "isl": isl}
            for tp in (2, 8)
            for c in (1, 16, 64)
            for isl in (128, 8192)
        ]
        for case, stages in zip(cases, trtllm(cases)):
            bench = stages["bench"]
            with self.subTest(**case):
                self.assertLess(0, bench["bound_s"])
                self.assertLess(bench["bound_s"], bench["expected_s"][0])
                self.assertLess(*bench["expected_s"])
                self.assertLessEqual(bench["expected_s"][0], bench["estimate_s"])

    def test_falls_with_answers_at_the_same_time_up_to_the_batch(self):
        cases = [
            {"tp": 8, "precision": "fp8", "batch_size": 10, "concurrency": c} for c in (1, 10, 100)
        ]
        one, ten, hundred = (stages["bench"]["bound_s"] for stages in trtllm(cases))
        self.assertAlmostEqual(one, 10 * ten, places=3)
        self.assertAlmostEqual(ten, hundred, places=3)

    def test_of_an_open_loop_is_its_schedule(self):
        (slow,) = trtllm([{"tp": 8, "precision": "fp8", "request_rate": 0.1}])
        self.assertEqual(slow["bench"]["bound_s"], ANSWERS / 0.1)

    def test_counts_one_step_where_a_token_may_end_an_answer(self):
        whole, short = trtllm(
            [{"tp": 8, "precision": "fp8", **more} for more in ({}, {"eos": True})]
        )
        self.assertAlmostEqual(
            whole["bench"]["bound_s"], TOKENS * short["bench"]["bound_s"], delta=1
        )

    def test_of_experts_is_that_of_those_that_a_token_selects(self):
        """Mixtral 8x7B: 46.7 of its parameters in billions, of which a token reads 12.7."""
        (stages,) = trtllm(
            [{"precision": "fp16", "tp": 4}], model="hf:mistralai/Mixtral-8x7B-Instruct-v0.1"
        )
        read = 12.75e9 * 2 / 4 / BANDWIDTH * ANSWERS * TOKENS
        self.assertAlmostEqual(stages["bench"]["bound_s"], read, delta=0.03 * read)

    def test_raises_the_time_limit_of_a_measurement(self):
        """To ten times the bound; the runner's own limit is two hours."""
        matrix = {
            "name": "t",
            "runner": "triton-trtllm",
            "machine": H100,
            "models": {"m": {"source": QWEN2_72B, "revision": "main"}},
            "defaults": {**MEASUREMENT, "precision": "fp16", "tp": 2, "concurrency": 1},
            "axes": {"num_prompts": [ANSWERS]},
        }
        script = plans.orchestrate("plan", matrix, "--script", "--store", "/nowhere").stdout
        self.assertRegex(script, r"\b2184\d\b")


class UnknownTest(unittest.TestCase):
    def test_gpu_has_no_figures(self):
        for gpu in ("NVIDIA Unheard X1", "NVIDIA A100-SXM4-40GB MIG 1g.5gb"):
            machine = {**H100, "gpu_model": gpu}
            (stages,) = trtllm([{"precision": "int4_wo", "tp": 8}], machine=machine)
            with self.subTest(gpu=gpu):
                self.assertIsNone(stages["bench"]["bound_s"])
                self.assertIsNone(stages["bench"]["expected_s"])

    def test_gpu_is_named_unless_it_is_a_part_of_one(self):
        for gpu, is_named in (("NVIDIA Unheard X1", True), ("NVIDIA H100 80GB HBM3", False),
                              ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", False)):  # fmt: skip
            matrix = {"runner": "vllm", "machine": {**H100, "gpu_model": gpu},
                      "models": {"m": {"source": QWEN2_72B, "revision": "main"}}}  # fmt: skip
            words = ["--store", "/nowhere", "--runners", engine_plans.RUNNERS]
            said = plans.orchestrate("plan", plans.with_cases(matrix, [{"tp": 8}]), *words)
            with self.subTest(gpu=gpu):
                self.assertEqual(said.returncode, 0, said.stderr)
                words = f"the bandwidth of {gpu} is not known here"
                self.assertEqual(words in said.stdout + said.stderr, is_named, said.stdout)

    def test_model_has_no_figures(self):
        (stages,) = trtllm([{"precision": "fp16"}], model="hf:nobody/unknown")
        self.assertIsNone(stages["bench"]["expected_s"])


class EnginesTest(unittest.TestCase):
    def test_of_all_stacks_have_the_same_bound(self):
        """The weights are read whichever program reads them."""
        seven = engine_plans.SEVEN_B
        head = seven["hidden"] // seven["heads"]
        layer = seven["hidden"] * (
            2 * seven["hidden"] + 2 * seven["kv_heads"] * head + 3 * seven["intermediate"]
        )
        read = (layer * seven["layers"] + seven["vocab"] * seven["hidden"]) * 2
        for runner in ("vllm", "sglang"):  # the end token of tgi may end an answer
            (point,) = engine_plans.planned(runner, [{"isl": 64, "osl": 100, "concurrency": 1}])
            bench = point["stages"]["bench"]
            with self.subTest(runner=runner):
                steps = 100 * 60  # answers are those of plans.with_cases
                self.assertAlmostEqual(bench["bound_s"], steps * read / BANDWIDTH, delta=0.5)

    def test_of_long_prompts_counts_those_that_the_cache_holds(self):
        isl, osl = 40000, 1000
        case = {"isl": isl, "osl": osl, "concurrency": 60, "batch_size": 64}
        for runner in ("vllm", "sglang"):
            one, held, shared = engine_plans.planned(
                runner,
                [{**case, "concurrency": 1}, case, {**case, "enable_kv_cache_reuse": True}],
            )
            with self.subTest(runner=runner):
                room = float(held["params"]["cache_gib"]) * 2**30
                request = float(held["params"]["kv_token_bytes"]) * (isl + osl / 2)
                fit = math.ceil(room / request)
                self.assertLess(1, fit)
                self.assertLess(fit, 60)
                bounds = [point["stages"]["bench"]["bound_s"] for point in (one, held, shared)]
                self.assertAlmostEqual(bounds[0] / bounds[1], 60 / math.ceil(60 / fit), places=3)
                self.assertAlmostEqual(bounds[0] / bounds[2], 60, places=3)


class PublishedTest(unittest.TestCase):
    """Each published build time is within a factor of three of the estimate."""

    def test_build_times(self):
        for row in PUBLISHED["comparable"]:
            machine = {
                "gpus": 1,
                "gpu_model": row["gpu"],
                "gpu_memory_gib": row["gpu_memory_gib"],
                "mig": "",
            }
            case = {"isl": 128, "osl": 128, **row["point"]}
            (stages,) = trtllm([case], machine=machine, model=row["model"])
            estimate = stages["build"]["estimate_s"]
            with self.subTest(what=row["what"], estimate=estimate):
                self.assertLess(estimate / 3, row["published_s"])
                self.assertLess(row["published_s"], estimate * 3)
                self.assertLess(stages["build"]["bound_s"], row["published_s"])

    def test_what_is_not_compared_says_why(self):
        for row in PUBLISHED["not_comparable"]:
            self.assertEqual(set(row), {"what", "why"})


if __name__ == "__main__":
    unittest.main()
