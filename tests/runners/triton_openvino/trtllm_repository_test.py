"""The real Triton loads the repository that the runner triton-trtllm makes. The CPU engine replaces
its model `tensorrt_llm`, because TensorRT-LLM needs a GPU. With ORCH_UPSTREAM, a git folder of
tensorrtllm_backend, it also loads upstream's own models.

Needs the runner's environment (ORCHESTRATE_TEST_ENVIRONMENT, set by run.py) and `orchestrate`
(ORCH_BINARY).
"""
import os
import shutil
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

import models
import rendering
from live_server import LiveServer

sys.path.append(str(rendering.ROOT / "tests" / "runners" / "triton_trtllm"))
import repository_test as stage  # noqa: E402

ENVIRONMENT = os.environ.get("ORCHESTRATE_TEST_ENVIRONMENT")
PROMPT = "The first number people ask for is throughput"

# The part of `transformers` that upstream's preprocessing and postprocessing call, implemented with
# the tokenizer of the runner's environment.
TRANSFORMERS = textwrap.dedent(
    """
    import json, os
    from tokenizers import Tokenizer
    class AutoTokenizer:
        @classmethod
        def from_pretrained(cls, folder, **_):
            self = cls()
            self.inner = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
            end = json.load(open(os.path.join(folder, "config.json"))).get("eos_token_id", 0)
            self.eos_token_id = end[0] if isinstance(end, list) else end
            self.eos_token = self.inner.id_to_token(self.eos_token_id)
            self.pad_token = None
            self.vocab_size = self.inner.get_vocab_size()
            return self
        def encode(self, text, add_special_tokens=True, **_):
            return self.inner.encode(text, add_special_tokens=add_special_tokens).ids

        def decode(self, ids, skip_special_tokens=True, **_):
            ids = [int(one) for one in ids]
            return self.inner.decode(ids, skip_special_tokens=skip_special_tokens)

        def batch_decode(self, rows, **options):
            return [self.decode(row, **options) for row in rows]
    class T5Tokenizer: pass
"""
)


def put_engine(repository):
    """Puts the CPU engine in place of TensorRT-LLM's; the rest of the model is unchanged."""
    folder = repository / "tensorrt_llm" / "1"
    folder.mkdir(exist_ok=True)
    for item in rendering.manifest()["stages"]["repository"]["copy"]:
        target = Path(item["to"])
        if target.parts[1] == "tensorrt_llm":
            shutil.copyfile(rendering.runner_file(item["from"]), folder / target.name)


def fill_places(repository, places):
    """Replaces {stage:NAME} by folders, as `place` does when a server starts."""
    for config in repository.glob("*/config.pbtxt"):
        text = config.read_text()
        for name, folder in places.items():
            text = text.replace("{stage:" + name + "}", str(folder))
        config.write_text(text)


@unittest.skipUnless(
    ENVIRONMENT, "ORCHESTRATE_TEST_ENVIRONMENT does not name the runner's environment"
)
@unittest.skipUnless(
    os.path.exists(stage.ORCHESTRATE),
    f"{stage.ORCHESTRATE} is not built; ORCH_BINARY may name another",
)
class Loaded(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.checkpoint = models.checkpoint(self.folder / "checkpoint")
        self.engine = models.engine(self.folder, self.checkpoint, "q8_0") / "engine"

    def serve(self, templates, prepare=lambda repository: None):
        def repository(work, places, **_):
            values = stage.defaults(
                "0.14.0",
                triton_backend="python",
                triton_max_batch_size="4",
                max_tokens_in_paged_kv_cache="4096",
            )
            code, stderr = stage.run(templates, work / "repository", "0.14.0", values)
            self.assertEqual(code, 0, stderr)
            put_engine(work / "repository")
            fill_places(work / "repository", places)
            prepare(work / "repository")

        server = LiveServer(ENVIRONMENT, self.checkpoint, self.engine, repository=repository)
        self.addCleanup(server.close)
        return server

    def test_own_templates_answer_through_the_ensemble_and_the_business_logic(self):
        server = self.serve(stage.own_templates(self.folder / "ours"))
        for model in (
            "preprocessing",
            "tensorrt_llm",
            "postprocessing",
            "tensorrt_llm_bls",
            "ensemble",
        ):
            self.assertEqual(server.get(f"/v2/models/{model}/ready")[0], 200, model)
        texts = []
        for model in ("ensemble", "tensorrt_llm_bls"):
            status, answer = server.generate(
                {"text_input": PROMPT, "max_tokens": 8, "min_length": 8}, model
            )
            self.assertEqual(status, 200, answer)
            texts.append(answer["text_output"])
        self.assertEqual(texts[0], texts[1])
        self.assertTrue(texts[0])
        self.assertFalse(texts[0].startswith(PROMPT), "the answer repeats the prompt")

    @unittest.skipUnless(stage.UPSTREAM, "ORCH_UPSTREAM names no git folder of tensorrtllm_backend")
    def test_upstreams_own_models_answer_through_the_ensemble(self):
        templates = stage.upstream_templates(self.folder / "upstream", "0.14.0")

        def fit(repository):
            shutil.rmtree(repository / "tensorrt_llm_bls")  # imports torch
            for model in ("preprocessing", "postprocessing"):
                (repository / model / "1" / "transformers.py").write_text(TRANSFORMERS)

        server = self.serve(templates, fit)
        status, answer = server.generate({"text_input": PROMPT, "max_tokens": 8, "min_length": 8})
        self.assertEqual(status, 200, answer)
        ours = self.serve(stage.own_templates(self.folder / "ours"))
        self.assertEqual(
            answer["text_output"],
            ours.generate({"text_input": PROMPT, "max_tokens": 8, "min_length": 8})[1][
                "text_output"
            ],
        )


if __name__ == "__main__":
    unittest.main()
