"""Whether a model fits into the GPUs: the rules of common/engine_memory.yaml, as vllm, sglang and
tgi apply them, beside the sizes of the tensors of a Qwen2 of 7 B written out one by one.
ORCH_BINARY names orchestrate."""

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import engine_plans  # noqa: E402

GIB = 1 << 30
MODEL = engine_plans.SEVEN_B
MEMORY = 80 * GIB  # of a GPU of engine_plans
SHARES = {"vllm": "gpu_memory_utilization", "sglang": "mem_fraction", "tgi": "mem_fraction"}
HEAD = MODEL["hidden"] // MODEL["heads"]


def weights(per_weight, tp=1):
    """Bytes on a rank: matrices in PER_WEIGHT bytes, the embedding and lm_head in 2."""
    hidden, wide = MODEL["hidden"], MODEL["intermediate"]
    keys = max(1, MODEL["kv_heads"] // tp) * HEAD * hidden
    tensors = [hidden * hidden // tp] * 2 + [keys] * 2 + [hidden * wide // tp] * 3
    tables = 2 * MODEL["vocab"] * hidden * 2 / tp
    return MODEL["layers"] * sum(tensors) * per_weight + tables


def cache(tokens, tp=1, size=2):
    return 2 * MODEL["layers"] * max(1, MODEL["kv_heads"] // tp) * HEAD * size * tokens


class MemoryTest(unittest.TestCase):
    def plan(self, runner, bound, case):
        """The points of CASE a little below and a little above a share of BOUND bytes."""
        shares = [round(bound / MEMORY * factor, 4) for factor in (0.99, 1.01)]
        cases = [{**case, SHARES[runner]: share} for share in shares]
        return engine_plans.planned(runner, cases)

    def assert_bound(self, runner, bound, rule, **case):
        below, above = self.plan(runner, bound, case)
        with self.subTest(runner=runner, **case):
            self.assertEqual(below["status"], "reject")
            self.assertEqual(below["reason"].split(":")[0], rule, below["reason"])
            self.assertNotIn(rule, above["reason"])
        return below["reason"]

    def test_weights_in_sixteen_bits(self):
        for runner in SHARES:
            reason = self.assert_bound(runner, weights(2), "memory-weights", isl=1, osl=1)
            self.assertIn("the weights of each rank take 14.2 GiB", reason)
            self.assertIn("of a GPU with 80", reason)

    def test_ranks_share_the_weights(self):
        for runner in SHARES:
            self.assert_bound(runner, weights(2, tp=4), "memory-weights", tp=4)

    def test_quantized_weights_are_smaller(self):
        for runner in SHARES:
            self.assert_bound(runner, weights(1), "memory-weights", precision="fp8")
            case = {"model": "awq", "precision": "awq"}
            self.assert_bound(runner, weights(0.54), "memory-weights", **case)

    def test_a_quantized_checkpoint_counts_as_it_is_whatever_the_type_of_activations(self):
        for runner in SHARES:
            self.assert_bound(runner, weights(0.54), "memory-weights", model="awq")

    def test_a_method_of_several_widths_counts_with_the_smallest(self):
        for runner in SHARES:
            self.assert_bound(runner, weights(0.5), "memory-weights", model="mapped")

    def test_one_sequence_fits_beside_the_weights(self):
        for runner in SHARES:
            case = {"isl": 20000, "osl": 10000, "batch_size": 1}
            tokens = 30000 if runner == "sglang" else 30208
            bound = weights(2) + cache(tokens)
            reason = self.assert_bound(runner, bound, "memory-sequence", **case)
            self.assertIn(f"one sequence of {tokens} tokens needs", reason)

    def test_the_cache_in_eight_bits_is_half_as_large(self):
        for runner in SHARES:
            case = {"isl": 20000, "osl": 10000, "kv_cache_type": "fp8_e5m2"}
            tokens = 30000 if runner == "sglang" else 30208
            self.assert_bound(runner, weights(2) + cache(tokens, size=1), "memory-sequence", **case)

    def test_a_batch_that_does_not_fit_is_a_warning(self):
        for runner in SHARES:
            case = {"isl": 1000, "osl": 1000, "batch_size": 64, "concurrency": 100}
            below, above = self.plan(runner, weights(2) + cache(2000 * 64), case)
            for point, warned in ((below, True), (above, False)):
                self.assertEqual(point["status"], "run", point["reason"])
                texts = " ".join(point["warnings"])
                self.assertEqual("64 sequences of 1000 and 1000 tokens" in texts, warned, texts)

    def test_a_batch_is_no_larger_than_the_load(self):
        for runner in SHARES:
            case = {"isl": 1000, "osl": 1000, "batch_size": 64, "concurrency": 3}
            below, above = self.plan(runner, weights(2) + cache(2000 * 3), case)
            self.assertIn("3 sequences of 1000 and 1000 tokens", " ".join(below["warnings"]))
            self.assertNotIn("sequences of", " ".join(above["warnings"]))

    def test_what_sglang_chooses_itself_is_at_most_the_whole_gpu(self):
        [point] = engine_plans.planned("sglang", [{"batch_size": 1}])
        self.assertEqual(point["status"], "run")
        [point] = engine_plans.planned("sglang", [{"precision": "fp32", "model": "wide"}])
        self.assertIn("of a GPU with 80 (share 1)", point["reason"])


if __name__ == "__main__":
    unittest.main()
