"""`orchestrate run` with a local repository as backend_source and an installation like the images
without examples and models: every stage up to an engine and its first answer takes them from there,
also after the store has moved.

source_run_test.py NVML: a library that states a GPU. ORCH_BINARY names orchestrate."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from scripts_test import ORCHESTRATE, ROOT, Installation, write
from source_test import GIT

NVML = sys.argv.pop(1) if len(sys.argv) > 1 else ""
VERSION = "0.14.0"
CONFIG = {
    "architectures": ["Qwen2ForCausalLM"],
    "model_type": "qwen2",
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "num_hidden_layers": 2,
    "hidden_size": 64,
    "vocab_size": 1000,
    "max_position_embeddings": 1024,
}


@unittest.skipUnless(NVML, "a library is needed")
class FromSource(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(os.path.realpath(folder.name))
        write(self.folder / "gitconfig", '[protocol "file"]\nallow = always\n')
        (self.folder / "lib").mkdir()
        shutil.copy(NVML, self.folder / "lib/libnvidia-ml.so.1")
        self.tools = Installation(self.folder / "tools", VERSION)
        write(self.tools.folder / "gpu", "")
        self.environment = {
            **GIT,
            "GIT_CONFIG_GLOBAL": str(self.folder / "gitconfig"),
            "PATH": f"{self.tools.venv}/bin:/usr/bin:/bin",
            "HOME": str(self.folder),
            "LD_LIBRARY_PATH": str(self.folder / "lib"),
            "ORCH_FAKE_GPUS": "NVIDIA H100 80GB HBM3",
        }
        self.repositories()
        model = self.folder / "model"
        write(model / "config.json", json.dumps(CONFIG))
        write(model / "tokenizer.json", "{}")
        write(model / "model.safetensors", "\x02" + "\0" * 7 + "{}")

    def repositories(self):
        """Moves what those images lack into a repository with a submodule."""
        inner, outer = self.folder / "inner", self.folder / "outer"
        shutil.move(self.tools.app / "examples", inner / "examples")
        write(inner / "tensorrt_llm/version.py", f'__version__ = "{VERSION}"\n')
        shutil.move(self.tools.app / "all_models", outer / "all_models")
        self.git(inner, "init", "--quiet")
        self.commit(inner)
        self.git(outer, "init", "--quiet")
        self.git(outer, "submodule", "--quiet", "add", f"file://{inner}", "tensorrt_llm")
        self.commit(outer)
        self.git(outer, "tag", "v" + VERSION)

    def commit(self, folder):
        self.git(folder, "add", "-A")
        self.git(folder, "commit", "--quiet", "-m", "first")

    def git(self, folder, *words):
        subprocess.run(["git", "-C", folder, *words], check=True, env=self.environment)

    def run_until(self, stage, store, **more):
        matrix = {
            "name": "source",
            "runner": "triton-trtllm",
            "models": {"tiny": {"source": f"local:{self.folder}/model"}},
            "axes": {"model": ["tiny"], "concurrency": [1]},
            "defaults": {
                "app_dir": str(self.tools.app),
                "trtllm_version": VERSION,
                "run_sample": True,
                **more,
            },
        }
        write(self.folder / "matrix.yaml", json.dumps(matrix))
        done = subprocess.run(
            [ORCHESTRATE, "run", self.folder / "matrix.yaml", "--until", stage, "--store", store],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, 0, said)
        return [line.split()[1] for line in said.splitlines() if line.startswith("started")]

    def test_tools_of_a_checkout_are_used_by_every_stage_in_a_store_that_moves(self):
        source = {"backend_source": str(self.folder / "outer")}
        store, moved = self.folder / "a store", self.folder / "moved"
        first = self.run_until("convert", store, **source)
        self.assertLessEqual({"source", "templates", "repository", "convert"}, set(first))
        store.rename(moved)
        second = self.run_until("sample", moved, **source)
        self.assertEqual(second[-2:], ["build", "sample"])
        self.assertTrue({"source", "environment", "templates"}.isdisjoint(second), second)
        self.assertLessEqual(
            {"convert-qwen", "build", "run"}, {key for key, _ in self.tools.calls()}
        )
        verified = subprocess.run(
            [ORCHESTRATE, "verify", "--store", moved], capture_output=True, text=True, check=False
        )
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)


if __name__ == "__main__":
    unittest.main()
