"""Sizes of models, computed from their config.json by the rules of the runners, beside what was
published: the number of weights within 2 %, the KV cache of one token exactly. published_models.yaml
has the models, each with its sources; nothing of it is in the product. ORCH_BINARY names
orchestrate."""

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


def layer_types(config):
    """CONFIG with layer_types written out, where the table has [word, count, ...] repeated."""
    short = config.pop("_layers", None)
    if short:
        words = [word for word, count in short["of"] for _ in range(count)]
        config["layer_types"] = (words * short["times"])[: config["num_hidden_layers"]]
    return config


class PublishedModelsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        configs = []
        for row in TABLE["models"]:
            config = {key: value for key, value in row["config"].items()}
            configs.append(layer_types(config))
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


if __name__ == "__main__":
    unittest.main()
