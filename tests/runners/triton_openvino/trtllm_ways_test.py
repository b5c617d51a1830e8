"""The real Triton loads every repository that the matrices of speculative decoding and of LoRA
plan: the command of the stage `repository`, as `orchestrate plan` prints it, fills upstream's
templates, and Python programs that do nothing replace the models' own.

Needs the runner's environment (ORCHESTRATE_TEST_ENVIRONMENT, set by run.py), `orchestrate`
(ORCH_BINARY) and ORCH_UPSTREAM, a git folder of tensorrtllm_backend.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

import rendering
from live_server import LiveServer

sys.path.append(str(rendering.ROOT / "tests" / "runners" / "triton_trtllm"))
import repository_test as stage  # noqa: E402

ENVIRONMENT = os.environ.get("ORCHESTRATE_TEST_ENVIRONMENT")
MACHINE = rendering.ROOT / "tests" / "data" / "8xh100.yaml"

# Refuses to load without the folder of its engine, as the engine's backend does.
STAND_IN = textwrap.dedent(
    """
    import json
    import os

    class TritonPythonModel:
        def initialize(self, args):
            parameters = json.loads(args["model_config"]).get("parameters", {})
            engine = parameters.get("gpt_model_path", {}).get("string_value")
            if args["model_name"].startswith("tensorrt_llm") and engine:
                if not os.path.isdir(engine):
                    raise ValueError(f"gpt_model_path is {engine}")

        def execute(self, requests):
            return None
    """
)


def plan(matrix):
    done = subprocess.run(
        [stage.ORCHESTRATE, "plan", str(matrix), "--json", "--machine", str(MACHINE)]
        + ["--store", "/nowhere"],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def repositories(matrix):
    """(parameters, argv) of each stage `repository` that a matrix plans."""
    planned = plan(matrix)
    found = []
    for each in planned["stages"]:
        points = [one for one in planned["points"] if each["id"] in one["stages"]]
        if each["stage"] == "repository" and any(one["status"] != "reject" for one in points):
            found.append((points[0]["params"], each["argv"]))
    return found


def parameters_of(server, model):
    config = json.loads(server.get(f"/v2/models/{model}/config")[1])
    return {key: value["string_value"] for key, value in config["parameters"].items()}


@unittest.skipUnless(
    ENVIRONMENT, "ORCHESTRATE_TEST_ENVIRONMENT does not name the runner's environment"
)
@unittest.skipUnless(stage.UPSTREAM, "ORCH_UPSTREAM names no git folder of tensorrtllm_backend")
class Loaded(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("checkpoint", "engine"):
            (self.folder / name).mkdir()

    def render(self, out, release, argv):
        templates = stage.upstream_templates(self.folder / f"upstream-{release}", release)
        words = [sys.executable, str(stage.SCRIPT), *argv[2:]]
        values = {
            "--templates": templates,
            "--fill": stage.ORCHESTRATE,
            "--triton_backend": "python",
        }
        for option, value in {**values, "--out": out}.items():
            words[words.index(option) + 1] = str(value)
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def serve(self, params, argv):
        def repository(work, places, **_):
            self.render(work / "repository", params["trtllm_version"], argv)
            for config in (work / "repository").glob("*/config.pbtxt"):
                text = config.read_text()
                for name in ("build", "build_draft", "download"):
                    text = text.replace("{stage:" + name + "}", str(places["build"]))
                config.write_text(text)
                if 'platform: "ensemble"' not in text:
                    shutil.rmtree(config.parent / "1")
                    (config.parent / "1").mkdir()
                    (config.parent / "1" / "model.py").write_text(STAND_IN)

        checkpoint, engine = self.folder / "checkpoint", self.folder / "engine"
        server = LiveServer(ENVIRONMENT, checkpoint, engine, repository=repository)
        self.addCleanup(server.close)
        return server

    def load(self, params, argv):
        """The parameters of the engine and of tensorrt_llm_bls, as the server reports them."""
        server = self.serve(params, argv)
        drafted = params.get("draft_model") is not None
        for model in [*stage.keys.MODELS, *(["tensorrt_llm_draft"] if drafted else [])]:
            self.assertEqual(server.get(f"/v2/models/{model}/ready")[0], 200, model)
        return parameters_of(server, "tensorrt_llm"), parameters_of(server, "tensorrt_llm_bls")

    def test_every_way_of_speculative_decoding(self):
        modes = set()
        for params, argv in repositories(
            rendering.ROOT / "experiments" / "speculative-decoding.yaml"
        ):
            way = params.get("speculative_decoding_mode")
            with self.subTest(way):
                engine, bls = self.load(params, argv)
                drafted = params.get("draft_model") is not None
                self.assertEqual(
                    bls["tensorrt_llm_draft_model_name"],
                    "tensorrt_llm_draft" if drafted else "${tensorrt_llm_draft_model_name}",
                )
                modes.add((way, engine["decoding_mode"]))
        unset = "${decoding_mode}"
        self.assertEqual(
            modes,
            {
                (None, unset),
                ("draft_tokens_external", unset),
                ("medusa", "medusa"),
                ("explicit_draft_tokens", "redrafter"),
                ("eagle", "eagle"),
                ("lookahead_decoding", "lookahead"),
            },
        )

    def test_lora(self):
        loaded = [
            self.load(params, argv)[0]
            for params, argv in repositories(rendering.ROOT / "experiments" / "lora.yaml")
        ]
        self.assertEqual([one["lora_cache_optimal_adapter_size"] for one in loaded], ["8"])


if __name__ == "__main__":
    unittest.main()
