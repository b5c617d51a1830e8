"""Sizes of models, computed from their config.json by the rules of the runners, beside what was
published: the number of weights within 2 %, the KV cache of one token exactly.
published_models.yaml has the models, each with its sources; nothing of it is in the product.
ORCH_BINARY names orchestrate."""

import json
import math
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import engine_plans  # noqa: E402
import plans  # noqa: E402
import yaml  # noqa: E402

TABLE = yaml.safe_load((HERE / "published_models.yaml").read_text(encoding="utf-8"))
HUGE = {"gpus": 8, "gpu_model": "H200", "gpu_memory_gib": 1000000, "mig": False}


def product(text):
    """2 * 61 * 576 as a row states it."""
    return math.prod(int(factor) for factor in text.split("*"))


def planned(configs, cases, runner="vllm", files=None):
    """The points of CASES; the model `m0` has the first of CONFIGS, and so on. FILES, bytes by
    name, stand beside each."""
    with tempfile.TemporaryDirectory() as folder:
        models = {}
        for i, config in enumerate(configs):
            place = pathlib.Path(folder) / f"m{i}"
            place.mkdir()
            text = config if isinstance(config, str) else json.dumps(config)
            (place / "config.json").write_text(text, encoding="utf-8")
            (place / "tokenizer.json").write_text("{}", encoding="utf-8")
            for name, content in (files or {}).items():
                (place / name).write_bytes(content)
            models[f"m{i}"] = {"source": f"local:{place}"}
        matrix = {"runner": runner, "models": models, "machine": HUGE}
        matrix["defaults"] = {**plans.DEFAULTS, "model": "m0", "precision": "auto"}
        return plans.planned(matrix, cases, "--runners", engine_plans.RUNNERS)


def config_of(row):
    """The config.json of ROW, with layer_types written out."""
    config = json.loads(row["config"])
    short = config.pop("_layers", None)
    if short:
        words = [word for word, count in short["of"] for _ in range(count)]
        config["layer_types"] = (words * short["times"])[: config["num_hidden_layers"]]
    return config


def config_called(name):
    [row] = [row for row in TABLE["models"] if row["model"] == name]
    return config_of(row)


class PublishedModelsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        configs = [config_of(row) for row in TABLE["models"]]
        cls.points = planned(configs, [{"model": f"m{i}"} for i in range(len(configs))])

    def test_plan(self):
        for row, point in zip(TABLE["models"], self.points):
            self.assertEqual(point["status"], "run", f"{row['model']}: {point['reason']}")

    def rows(self):
        return [(row, point["params"]) for row, point in zip(TABLE["models"], self.points)]

    def test_of_forty_models(self):
        self.assertGreaterEqual(len(TABLE["models"]), 40)
        for row in TABLE["models"]:
            with self.subTest(row["model"]):
                self.assertIn(row["of"], TABLE["sources"])
                self.assertIn(row.get("size_of", row["of"]), TABLE["sources"])

    def assert_near(self, computed, published):
        error = float(computed) / published - 1
        self.assertLess(abs(error), 0.02, f"{computed} is {error:+.2%} beside {published}")

    def test_weights_are_as_many_as_published(self):
        for row, params in self.rows():
            with self.subTest(row["model"]):
                self.assert_near(params["model_weights"], row["weights"])

    def test_bytes_of_a_checkpoint_are_as_published(self):
        rows = [(row, params) for row, params in self.rows() if "bytes" in row]
        self.assertGreaterEqual(len(rows), 2)
        for row, params in rows:
            with self.subTest(row["model"]):
                self.assert_near(params["rank_weights"], row["bytes"])

    def test_the_cache_of_a_token_is_exact(self):
        for row, params in self.rows():
            with self.subTest(row["model"]):
                self.assertEqual(float(params["kv_token_bytes"]), product(row["kv"]))


class RanksTest(unittest.TestCase):
    """How the sizes of a model are divided, and what they are where something else is known."""

    def params(self, config, files=None, **case):
        [point] = planned([config], [case], files=files)
        self.assertEqual(point["status"], "run", point["reason"])
        return {
            key: float(point["params"][key])
            for key in ("rank_weights", "kv_token_bytes", "sequence_bytes")
            if point["params"].get(key) is not None
        }

    def test_each_rank_has_the_whole_latent(self):
        config = config_called("deepseek-ai/DeepSeek-R1")
        one, eight = self.params(config), self.params(config, tp=8)
        self.assertEqual(eight["kv_token_bytes"], one["kv_token_bytes"])
        self.assertLess(one["rank_weights"] / 8, eight["rank_weights"])
        self.assertLess(eight["rank_weights"], one["rank_weights"] / 7)

    def test_experts_can_be_divided_among_ranks(self):
        for name in ("deepseek-ai/DeepSeek-R1", "openai/gpt-oss-20b", "Qwen/Qwen3-30B-A3B",
                     "meta-llama/Llama-4-Scout-17B-16E-Instruct"):  # fmt: skip
            with self.subTest(name):
                self.params(config_called(name), tp=8, enable_expert_parallel=True)

    def test_the_index_of_a_checkpoint_counts(self):
        config = config_called("Qwen/Qwen3-8B")
        for total in (16381470720, 12345678900.0):
            index = {"metadata": {"total_size": total}, "weight_map": {"a": "b.safetensors"}}
            files = {"model.safetensors.index.json": json.dumps(index).encode()}
            self.assertAlmostEqual(self.params(config, files)["rank_weights"], total, delta=1)
            halves = self.params(config, files, tp=2)["rank_weights"]
            self.assertAlmostEqual(halves, total / 2, delta=1)
        # A method of the engine makes other weights.
        self.assertNotEqual(self.params(config, files, precision="fp8")["rank_weights"], total)

    def test_the_one_file_of_a_checkpoint_counts(self):
        params = self.params(config_called("Qwen/Qwen3-0.6B"), {"model.safetensors": b"x" * 1000})
        self.assertAlmostEqual(params["rank_weights"], 1000, delta=1)

    def test_an_index_that_states_no_size_does_not(self):
        config = config_called("Qwen/Qwen3-0.6B")
        for text in (b"{", b"[]", b"{}", b'{"metadata": {"total_size": "many"}}'):
            files = {"model.safetensors.index.json": text}
            self.assertEqual(self.params(config, files), self.params(config))

    def test_layers_with_a_window_keep_its_tokens_only(self):
        config = config_called("openai/gpt-oss-20b")
        token = self.params(config)["kv_token_bytes"]
        long = self.params(config, isl=20000, osl=10000)
        tokens = 30208  # with the page of 256 that the lengths are rounded to
        self.assertEqual(long["sequence_bytes"], token / 2 * tokens + token / 2 * 128)

    def test_sizes_that_are_not_known_reject_nothing(self):
        base = config_called("meta-llama/Llama-3.3-70B-Instruct")
        for more in ({"model_type": "jamba"}, {"block_configs": [{"ffn": {"no_op": True}}]}):
            self.assertEqual(self.params({**base, **more}), {})

    def test_infinity_may_stand_in_a_configuration(self):
        text = json.dumps({**config_called("Qwen/Qwen3-0.6B"), "time_step_limit": [0.0, math.inf]})
        self.assertIn("Infinity", text)
        self.assertEqual(self.params(text), self.params(config_called("Qwen/Qwen3-0.6B")))


if __name__ == "__main__":
    unittest.main()
