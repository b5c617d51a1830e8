"""Quantise, convert and build: compares the tokens that the engine generates with a plain forward
pass on the same weights."""
import json
import shutil
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np
import openvino
import openvino_genai

import models
from checkpoint import Checkpoint, write_json, write_tensors
from engine import Engine, Generation, Limits
from oracle import Oracle
from sampling import generation_config

TOKENS = 32
PROMPT = np.random.default_rng(7).integers(3, 900, 20)


def served(folder, prompt=PROMPT, **inputs):
    """The tokens that the runner's own engine generates."""
    engine, tokens, done = Engine(folder, Limits(kv_tokens=2048)), [], threading.Event()

    def deliver(fresh, reason):
        tokens.extend(fresh)
        if reason is not None:
            done.set()

    engine.submit(
        Generation(
            prompt,
            generation_config({"request_output_len": TOKENS, **inputs}, engine.vocab_size),
            deliver,
        )
    )
    done.wait(60)
    engine.close()
    return tokens


def exact(folder, prompt=PROMPT):
    """The tokens of the same IR without 8-bit activations and with a float32 cache."""
    scheduler = openvino_genai.SchedulerConfig()
    scheduler.num_kv_blocks = 64
    pipeline = openvino_genai.ContinuousBatchingPipeline(
        str(folder),
        scheduler,
        "CPU",
        {"INFERENCE_NUM_THREADS": 1, "EXECUTION_MODE_HINT": "ACCURACY"},
    )
    handle = pipeline.add_request(
        0,
        openvino.Tensor(prompt[None].astype(np.int64)),
        generation_config({"request_output_len": TOKENS}, 1024),
    )
    tokens = []
    while pipeline.has_non_finished_requests():
        pipeline.step()
        while handle.can_read():
            for output in handle.read().values():
                tokens += output.generated_ids
    return tokens


def gaps(oracle, tokens, prompt=PROMPT):
    """For each token, the distance of its logit from the best one at its position."""
    logits = oracle.logits(np.concatenate([prompt, tokens])[:-1])[len(prompt) - 1 :]
    return logits.max(-1) - logits[np.arange(len(tokens)), tokens]


class EngineOutput(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.sources = {
            tied: models.checkpoint(cls.folder / f"tied-{tied}", tie_word_embeddings=tied)
            for tied in (False, True)
        }

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def test_greedy_tokens_have_nearly_the_best_logits_of_the_quantised_weights(self):
        # Logits have a standard deviation of 0.6 to 1 here, and the best of 1,024 is about three
        # deviations above the mean: a wrong model, layout or rounding is off by more than 1. Eight-
        # bit activations are off by up to 0.07.
        for tied, source in self.sources.items():
            for precision, allowed in [("f16", 0.01), ("q8_0", 0.15), ("q4_0", 0.15)]:
                with self.subTest(tied=tied, precision=precision):
                    built = models.engine(self.folder / f"{tied}-{precision}", source, precision)
                    oracle = Oracle(built / "gguf" / "model.gguf")
                    tokens = exact(built / "engine")
                    self.assertEqual(len(tokens), TOKENS)
                    self.assertLess(gaps(oracle, tokens).max(), 0.005)
                    tokens = served(built / "engine")
                    self.assertEqual(len(tokens), TOKENS)
                    self.assertLess(gaps(oracle, tokens).max(), allowed)
                    self.assertGreater(
                        len(set(tokens)), 8, "greedy output must not be one token repeated"
                    )

    def test_a_sharded_checkpoint_gives_the_same_gguf_as_one_file(self):
        whole, split = Checkpoint(self.sources[False]), self.folder / "sharded"
        split.mkdir()
        where = {}
        for shard, names in enumerate([whole.names()[:9], whole.names()[9:]]):
            file = f"model-0000{shard + 1}-of-00002.safetensors"
            write_tensors(
                split / file,
                [(name, "F32", whole.shape(name), lambda n=name: whole.load(n)) for name in names],
            )
            where.update({name: file for name in names})
        write_json(split / "model.safetensors.index.json", {"metadata": {}, "weight_map": where})
        for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
            shutil.copy(self.sources[False] / name, split)
        models.must("download", f"local:{split}", "", self.folder / "sharded-taken")
        results = []
        for source in (self.sources[False], self.folder / "sharded-taken"):
            for name in ("w", "g"):
                shutil.rmtree(self.folder / name, ignore_errors=True)
            models.must("quantize", source, "q4_0", self.folder / "w")
            models.must("convert", source, self.folder / "w", self.folder / "g")
            results.append((self.folder / "g" / "model.gguf").read_bytes())
        self.assertEqual(*results)
        (split / "model-00002-of-00002.safetensors").unlink()
        code, message = models.stage("download", f"local:{split}", "", self.folder / "never")
        self.assertEqual(code, 1)
        self.assertIn("are missing, such as model-00002-of-00002.safetensors", message)

    def test_building_is_reproducible_byte_by_byte(self):
        built = models.engine(self.folder / "once", self.sources[False], "q8_0")
        models.must("build", self.sources[False], built / "gguf", self.folder / "again")
        for path in (built / "engine").iterdir():
            self.assertEqual(
                path.read_bytes(), (self.folder / "again" / path.name).read_bytes(), path.name
            )
        self.assertEqual(
            json.loads((self.folder / "again" / "config.json").read_text())["pretrained_config"][
                "vocab_size"
            ],
            1024,
        )

    def test_weights_beyond_the_range_of_f16_are_refused_with_their_tensor(self):
        source = self.folder / "large"
        shutil.copytree(self.sources[False], source)
        whole = Checkpoint(self.sources[False])

        def load(name):
            values = whole.load(name).copy()
            if name == "lm_head.weight":
                values[3, 5] = 70000
            return values

        write_tensors(
            source / "model.safetensors",
            [(name, "F32", whole.shape(name), lambda n=name: load(n)) for name in whole.names()],
        )
        code, message = models.stage("quantize", source, "f16", self.folder / "large-f16")
        self.assertEqual(code, 1)
        self.assertIn(
            (
                "lm_head.weight: 70000 is beyond 65504, the largest number of f16; use precision"
                " q8_0 or q4_0"
            ),
            message,
        )
        models.must("quantize", source, "q8_0", self.folder / "large-q8")

    def test_generation_obeys_the_end_token_min_length_and_seeds(self):
        built = models.engine(self.folder / "ends", self.sources[False], "f16")
        engine = built / "engine"
        free = served(engine)
        end = free[5]
        self.assertEqual(served(engine, end_id=end)[:5], free[:5])
        self.assertLessEqual(len(served(engine, end_id=end)), free.index(end) + 1)
        delayed = served(engine, end_id=end, min_length=TOKENS)
        self.assertEqual(len(delayed), TOKENS)
        self.assertNotIn(end, delayed)
        sampled = dict(runtime_top_k=50, temperature=1.5)
        self.assertEqual(
            served(engine, random_seed=1, **sampled), served(engine, random_seed=1, **sampled)
        )
        self.assertNotEqual(
            served(engine, random_seed=1, **sampled), served(engine, random_seed=2, **sampled)
        )
        self.assertEqual(served(engine, runtime_top_k=1, temperature=1.5), free)


if __name__ == "__main__":
    unittest.main()
