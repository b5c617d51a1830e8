"""The words by which points of two runners are compared: how the weights are stored in the engine.
ORCH_BINARY names orchestrate."""

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import engine_plans  # noqa: E402

AWQ = {"model": "awq"}
# By runner: what is set, and the words. A quantized checkpoint is read as it is by all of them.
WORDS = {
    "vllm": [
        ({"precision": "bf16"}, "BF16"),
        ({"precision": "auto"}, "as the checkpoint says"),
        ({"precision": "fp8"}, "FP8 of vLLM"),
        ({"precision": "fp8", "model": "eight"}, "FP8 of the checkpoint"),
        ({"precision": "awq_marlin", **AWQ}, "AWQ of the checkpoint"),
        ({"precision": "bf16", **AWQ}, "AWQ of the checkpoint"),
        ({"precision": "auto", "model": "mapped"}, "COMPRESSED-TENSORS of the checkpoint"),
    ],
    "sglang": [
        ({"precision": "fp16"}, "FP16"),
        ({"precision": "auto"}, "as the checkpoint says"),
        ({"precision": "fp8"}, "FP8 of SGLang"),
        ({"precision": "w8a8_fp8"}, "W8A8_FP8 of SGLang"),
        ({"precision": "modelopt_fp8"}, "MODELOPT_FP8 of the checkpoint"),
        ({"precision": "fp8", "model": "eight"}, "FP8 of the checkpoint"),
        ({"precision": "auto", **AWQ}, "AWQ of the checkpoint"),
    ],
    "tgi": [
        ({"precision": "fp16"}, "FP16"),
        ({"precision": "auto"}, "FP16 or BF16, as TGI chooses"),
        ({"precision": "eetq"}, "EETQ of TGI"),
        ({"precision": "fp8"}, "FP8 of TGI"),
        ({"precision": "bf16", **AWQ}, "AWQ of the checkpoint"),
    ],
    "lmdeploy": [
        ({"precision": "bf16"}, "BF16"),
        ({"precision": "auto"}, "as the checkpoint says"),
        ({"precision": "w4a16"}, "INT4 AWQ of LMDeploy"),
        ({"precision": "w4a16", **AWQ}, "AWQ of the checkpoint"),
        ({"precision": "auto", **AWQ}, "AWQ of the checkpoint"),
        ({"precision": "fp8", "model": "eight"}, "FP8 of the checkpoint"),
    ],
}


class WordsTest(unittest.TestCase):
    def test_weights(self):
        for runner, rows in WORDS.items():
            points = engine_plans.planned(runner, [case for case, _ in rows])
            for point, (case, words) in zip(points, rows):
                with self.subTest(runner=runner, **case):
                    self.assertEqual(point["status"], "run", point["reason"])
                    self.assertEqual(point["params"]["weights"], words)


if __name__ == "__main__":
    unittest.main()
