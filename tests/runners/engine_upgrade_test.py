"""A user's engine that is upgraded in place: the stage that finds it, and with it its server, is
made again by the next run, although path and interpreter are the same. Stand-ins are the engines.

engine_upgrade_test.py NVML: a library that states a GPU. ORCH_BINARY names orchestrate."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "openai_standin"), str(HERE / "lmdeploy")]
import engine_plans  # noqa: E402
import make  # noqa: E402
import standin  # noqa: E402

NVML = sys.argv.pop(1) if len(sys.argv) > 1 else ""
# By runner: the parameter that names the installation, the program in it, and two builds of a
# release.
INSTALLED = {
    "vllm": ("python", "bin/python3", "0.32.0", "0.32.0.post1"),
    "sglang": ("python", "bin/python3", "0.5.23", "0.5.23.post1"),
    "tgi": ("launcher", "bin/text-generation-launcher", "3.3.7", "3.3.7-dev0"),
    "lmdeploy": ("lmdeploy", "bin/lmdeploy", "0.16.0", "0.16.0.post1"),
}


# Facts of a model by their names in a matrix, and those in config.json.
KEYS = {"type": "model_type", "heads": "num_attention_heads", "kv_heads": "num_key_value_heads",
        "layers": "num_hidden_layers", "hidden": "hidden_size", "intermediate": "intermediate_size",
        "vocab": "vocab_size", "positions": "max_position_embeddings"}  # fmt: skip


def install(runner, build, folder):
    shutil.rmtree(folder, ignore_errors=True)
    if runner == "lmdeploy":
        return standin.make(build, folder)
    return make.make(runner, build, folder)


@unittest.skipUnless(engine_plans.ORCHESTRATE and NVML, "ORCH_BINARY and a library are needed")
class UpgradeTest(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        (self.folder / "lib").mkdir()
        shutil.copy(NVML, self.folder / "lib/libnvidia-ml.so.1")
        self.path = os.environ["PATH"]

    def orchestrate(self, *words):
        variables = {
            **os.environ,
            "PATH": self.path,
            "LD_LIBRARY_PATH": str(self.folder / "lib"),
            "ORCH_FAKE_GPUS": "NVIDIA H100 80GB HBM3",
        }
        return subprocess.run(
            [engine_plans.ORCHESTRATE, *words, "--runners", engine_plans.RUNNERS],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=variables,
            timeout=120,
        )

    def write(self, runner, **case):
        """A matrix of one point, whose model and prompts are there already."""
        facts = engine_plans.models(runner)["m"]["facts"]
        config = {name: facts[key] for key, name in KEYS.items() if key in facts}
        files = {
            "download": {"config.json": json.dumps(config)},
            "prompts": {"prompts.jsonl": "{}\n"},
            "checkpoint_environment": {"venv/bin/python3": "#!/bin/false", "versions.json": "{}"},
        }
        for stage, texts in files.items():
            for name, text in texts.items():
                make.write(self.folder / f"{runner}-{stage}" / name, text)
        matrix = {
            "name": "t",
            "runner": runner,
            "models": {"m": {"source": "hf:acme/m", "revision": "a" * 40, "facts": facts}},
            "provide": {stage: str(self.folder / f"{runner}-{stage}") for stage in files},
            "defaults": {"model": "m", "isl": 100, "osl": 50, "concurrency": 4, **case},
            "axes": {"num_prompts": [60]},
        }
        (self.folder / "matrix.yaml").write_text(json.dumps(matrix), encoding="utf-8")

    def run_matrix(self):
        """How often the engine was looked for."""
        done = self.orchestrate("run", "matrix.yaml", "--until", "environment")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        said = (done.stdout + done.stderr).splitlines()
        return sum(line.split()[:2] == ["started", "environment"] for line in said)

    def servers(self):
        """The names of the planned servers, and what the engine says of itself."""
        done = self.orchestrate("plan", "matrix.yaml", "--json")
        stages = json.loads(done.stdout)["stages"]
        versions = {one["version"] for one in stages if one["stage"] == "environment"}
        return {one["id"] for one in stages if one["stage"].startswith("serve")}, versions

    def test_an_engine_upgraded_in_place_is_another_engine(self):
        for runner, (parameter, program, build, later) in INSTALLED.items():
            with self.subTest(runner=runner):
                home = install(runner, build, self.folder / runner)
                self.write(runner, **{parameter: str(home / program)})
                self.assertEqual(self.run_matrix(), 1)
                self.assertEqual(self.run_matrix(), 0)
                before, versions = self.servers()
                self.assertIn(build, "".join(versions))
                install(runner, later, home)
                self.assertEqual(self.run_matrix(), 1)
                after, versions = self.servers()
                self.assertIn(later, "".join(versions))
                self.assertTrue(before.isdisjoint(after), before & after)

    def test_an_engine_on_path_too(self):
        for runner, (_, _, build, later) in INSTALLED.items():
            with self.subTest(runner=runner):
                home = install(runner, build, self.folder / f"on-path-{runner}")
                self.path = f"{home / 'bin'}:{os.environ['PATH']}"
                self.write(runner)
                self.assertEqual(self.run_matrix(), 1)
                install(runner, later, home)
                self.assertEqual(self.run_matrix(), 1)

    def test_an_interpreter_without_the_engine_is_named_before_anything_starts(self):
        for runner, named in (("vllm", "vLLM"), ("sglang", "SGLang")):
            self.write(runner, python="/usr/bin/python3")
            done = self.orchestrate("run", "matrix.yaml", "--until", "environment")
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(f"/usr/bin/python3 has no package {runner}; install {named}", done.stderr)
            self.assertNotIn("started", done.stdout + done.stderr)

    def test_an_image_and_a_lock_file_are_not_asked(self):
        lock = self.folder / "engine.lock"
        lock.touch()
        cases = [("vllm", {"requirements": str(lock)}), ("sglang", {"requirements": str(lock)})]
        cases += [(runner, {"image": "example/engine@sha256:" + "0" * 64}) for runner in INSTALLED]
        for runner, case in cases:
            with self.subTest(runner=runner, **case):
                self.write(runner, **case)
                done = self.orchestrate("plan", "matrix.yaml", "--json")
                [found] = [
                    one
                    for one in json.loads(done.stdout)["stages"]
                    if one["stage"] == "environment"
                ]
                self.assertIsNone(found["version"])


if __name__ == "__main__":
    unittest.main()
