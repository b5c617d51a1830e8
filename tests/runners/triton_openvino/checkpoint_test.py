"""The safetensors module, the generated checkpoint and the source `local:`."""
import json
import shutil
import tempfile
import unittest
from pathlib import Path

import numpy as np

import models
from checkpoint import Checkpoint, CheckpointError, TensorFile, bf16_from_f32, write_tensors


class SafetensorsFiles(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def test_bfloat16_rounds_to_nearest_and_ties_to_even(self):
        values = np.array([1.0, 1.00390625, 1.01171875, -3.140625, 3.3e38, 1e-40], np.float32)
        back = (bf16_from_f32(values).astype(np.uint32) << 16).view(np.float32)
        np.testing.assert_array_equal(back[:3], np.array([1.0, 1.0, 1.015625], np.float32))
        np.testing.assert_allclose(back, values, rtol=2**-8, atol=1e-40)

    def test_written_tensors_and_metadata_are_read_back(self):
        a, b = np.arange(6, dtype=np.float32).reshape(2, 3), np.arange(4, dtype=np.float16)
        write_tensors(
            self.folder / "t",
            [("b", "F16", (4,), lambda: b), ("a", "F32", (2, 3), lambda: a)],
            {"k": "v"},
        )
        file = TensorFile(self.folder / "t")
        self.assertEqual(file.metadata, {"k": "v"})
        np.testing.assert_array_equal(file.raw("a").view(np.float32).reshape(2, 3), a)
        np.testing.assert_array_equal(file.raw("b").view(np.float16), b)

    def test_a_truncated_file_is_refused_with_its_fault(self):
        write_tensors(self.folder / "t", [("a", "F32", (100,), lambda: np.zeros(100, np.float32))])
        data = (self.folder / "t").read_bytes()
        for size, word in [
            (4, "too short"),
            (30, "header length"),
            (len(data) - 1, "tensor a does not fit"),
        ]:
            (self.folder / "t").write_bytes(data[:size])
            with self.assertRaisesRegex(CheckpointError, word):
                TensorFile(self.folder / "t")


class GeneratedCheckpoints(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.first = models.checkpoint(cls.folder / "first")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def test_the_same_size_gives_the_same_bytes(self):
        second = models.checkpoint(self.folder / "second")
        names = sorted(path.name for path in self.first.iterdir())
        self.assertEqual(
            names,
            [
                "config.json",
                "generation_config.json",
                "model.safetensors",
                "tokenizer.json",
                "tokenizer_config.json",
            ],
        )
        for name in names:
            self.assertEqual((self.first / name).read_bytes(), (second / name).read_bytes(), name)

    def test_ids_without_a_token_have_no_weight(self):
        wide = models.checkpoint(self.folder / "wide", vocab_size=8192)
        used = len(json.loads((wide / "tokenizer.json").read_text())["model"]["vocab"])
        self.assertLess(used, 8192)
        for name in ("lm_head.weight", "model.embed_tokens.weight"):
            self.assertTrue(Checkpoint(wide).load(name)[used - 1].any())
            self.assertFalse(Checkpoint(wide).load(name)[used:].any())

    def test_a_local_folder_is_copied_with_every_file_that_later_stages_read(self):
        models.must("download", f"local:{self.first}", "", self.folder / "local")
        for path in self.first.iterdir():
            self.assertEqual(path.read_bytes(), (self.folder / "local" / path.name).read_bytes())

    def test_an_unusable_source_is_refused_with_its_reason(self):
        other = self.folder / "other"
        shutil.copytree(self.first, other)
        (other / "config.json").write_text('{"architectures": ["LlamaForCausalLM"]}')
        half = self.folder / "half"
        shutil.copytree(self.first, half)
        (half / "model.safetensors").unlink()
        bare = self.folder / "bare"
        shutil.copytree(self.first, bare)
        (bare / "tokenizer.json").unlink()
        for source, reason in [
            ("generate:huge", "generate:huge: no such size; choose nano, tiny, m100"),
            ("hub:x", "unknown kind 'hub'"),
            ("local:/no/such", "local:/no/such: not a folder"),
            (f"local:{half}", f"local:{half}: has no weights as *.safetensors or *.bin"),
            (f"local:{bare}", f"local:{bare}: has no tokenizer.json, which later stages read"),
        ]:
            code, message = models.stage(
                "download", source, "", self.folder / "out", "--require", "tokenizer.json"
            )
            self.assertEqual(code, 1)
            self.assertIn(reason, message)
        code, message = models.stage("quantize", other, "f16", self.folder / "out")
        self.assertEqual(code, 1)
        self.assertIn("config.json: architecture is LlamaForCausalLM; only Qwen2ForCau", message)

    def test_a_GGUF_file_takes_the_place_of_quantized_weights(self):
        weights, gguf, again = (self.folder / name for name in ("weights", "gguf", "again"))
        models.must("quantize", self.first, "q8_0", weights)
        models.must("convert", self.first, weights, gguf)
        models.must("convert", self.first, gguf / "model.gguf", again)
        self.assertTrue((again / "model.gguf").samefile(gguf / "model.gguf"))
        (self.folder / "none.gguf").write_bytes(b"<html>")
        code, message = models.stage(
            "convert", self.first, self.folder / "none.gguf", self.folder / "out"
        )
        self.assertEqual(code, 1)
        self.assertIn("convert.py: ", message)


if __name__ == "__main__":
    unittest.main()
