"""Compares the command of the stage `serve` with that of launch_triton_server.py of each release:
same ranks, options and variables, except for the differences that serve.yaml documents.
ORCH_UPSTREAM names a git folder of tensorrtllm_backend; without it the test is skipped."""

import faulthandler
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "../../.."))
ORCHESTRATE = os.environ.get("ORCH_BINARY", os.path.join(ROOT, "build/default/src/orchestrate"))
UPSTREAM = os.environ.get("ORCH_UPSTREAM")
# 0.19 is the last release with the script in this repository.
RELEASES = [
    "0.9.0",
    "0.10.0",
    "0.11.0",
    "0.12.0",
    "0.13.0",
    "0.14.0",
    "0.15.0",
    "0.16.0",
    "0.17.0",
    "0.18.2",
    "0.19.0",
]
GPUS = 2
PORTS = {"http": "8000", "grpc": "8001", "metrics": "8002"}
# Runs the script without starting a process; prints the command that it would start.
RECORD = """
import json, os, runpy, subprocess, sys, types
class Version(tuple):
    def __new__(cls, text): return super().__new__(cls, (int(one) for one in text.split('.')))
    def __gt__(self, other): return tuple(self) > tuple(other)
packaging, version = types.ModuleType('packaging'), types.ModuleType('packaging.version')
version.Version, version.InvalidVersion = Version, ValueError
version.parse, packaging.version = Version, version
sys.modules.update({'packaging': packaging, 'packaging.version': version})
class Lines:
    def read(self): return '\\n'.join('GPU %d: H100' % i for i in range(GPUS)) + '\\n'
os.popen = lambda command: Lines()
subprocess.run = lambda *a, **k: types.SimpleNamespace(stdout='', stderr='', returncode=0)
def popen(command, env=None, **k):
    env = {name: value for name, value in (env or {}).items() if name.startswith('TRTLLM')}
    print(json.dumps({'argv': command, 'env': env}))
subprocess.Popen = popen
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name='__main__')
"""
OWN_OPTIONS = {"http-address", "grpc-address", "metrics-address"}
CONFIG = {
    "model_type": "qwen2",
    "architectures": ["Qwen2ForCausalLM"],
    "hidden_size": 256,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 1024,
    "vocab_size": 8192,
    "max_position_embeddings": 32768,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}


def order(release):
    return tuple(int(one) for one in release.split("."))


def ranks_of(argv):
    """The options of each rank: {name: value, or True}. Repeated options must have equal values."""
    ranks = []
    words = argv[argv.index("-n") :]
    while words and words[-1] == ":":
        words = words[:-1]
    for part in " ".join(words).split(" : "):
        count, one, program, *options = part.split(" ")
        assert (count, one, os.path.basename(program)) == ("-n", "1", "tritonserver"), part
        found = {}
        for option in options:
            name, equals, value = option.removeprefix("--").partition("=")
            if name == "cuda-memory-pool-byte-size":
                name, _, value = name + "-" + value.partition(":")[0], "", value.partition(":")[2]
            assert found.setdefault(name, value if equals else True) == (
                value if equals else True
            ), part
        ranks.append(found)
    return ranks


class Launch(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        if not UPSTREAM:
            self.skipTest("ORCH_UPSTREAM names no repository of tensorrtllm_backend")
        faulthandler.dump_traceback_later(240, exit=True)
        self.addCleanup(faulthandler.cancel_dump_traceback_later)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        with open(self.path("config.json"), "w", encoding="utf-8") as file:
            json.dump(CONFIG, file)

    def path(self, name):
        return os.path.join(self.folder, name)

    def upstream(self, release, *words):
        git = (
            os.path.join(UPSTREAM, ".git")
            if os.path.isdir(os.path.join(UPSTREAM, ".git"))
            else UPSTREAM
        )
        text = subprocess.run(
            ["git", "--git-dir=" + git, "show", f"v{release}:scripts/launch_triton_server.py"],
            capture_output=True,
            check=True,
        ).stdout
        with open(self.path("launch.py"), "wb") as file:
            file.write(text)
        if order(release) >= (0, 11, 0):
            words = [*words, "--oversubscribe"]
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                f"GPUS = {GPUS}\n" + RECORD,
                self.path("launch.py"),
                "--model_repo",
                "REPO",
                *words,
            ],
            capture_output=True,
            text=True,
            env={"PATH": "/usr/bin:/bin", "NVIDIA_TRITON_SERVER_VERSION": "24.10"},
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout.splitlines()[-1])

    def ours(self, release, settings):
        matrix = {
            "name": "launch",
            "runner": "triton-trtllm",
            "models": {"m": {"source": "local:" + self.folder}},
            "axes": {"model": ["m"]},
            "defaults": {"trtllm_version": release, "concurrency": 1, **settings},
            "machine": {
                "gpus": 8,
                "gpu_model": "NVIDIA H100 80GB HBM3",
                "gpu_memory_gib": 80,
                "mig": "",
            },
        }
        with open(self.path("m.yaml"), "w", encoding="utf-8") as file:
            json.dump(matrix, file)
        done = subprocess.run(
            [ORCHESTRATE, "plan", self.path("m.yaml"), "--json", "--store", self.path("st")],
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        argv = next(
            stage["argv"]
            for stage in json.loads(done.stdout)["stages"]
            if stage["id"].startswith("serve-")
        )
        return [
            word.replace("{work}/repository", "REPO")
            .replace("{token}_1_", "prefix")
            .replace("{port:", "PORT")
            .replace(".1}", "")
            for word in argv
        ]

    def compare(self, release, settings, *words):
        theirs, argv = self.upstream(release, *words), self.ours(release, settings)
        ours = ranks_of(argv)
        for rank in ours:
            for name in OWN_OPTIONS:
                self.assertEqual(rank.pop(name), "127.0.0.1")
            for name, port in PORTS.items():
                self.assertEqual(rank[name + "-port"], "PORT" + name)
                rank[name + "-port"] = port
        self.assertEqual(ours, ranks_of(theirs["argv"]), (release, settings))
        self.assertEqual(
            [word for word in theirs["argv"][: theirs["argv"].index("-n")] if word not in argv], []
        )
        variables = dict(word.split("=") for before, word in zip(argv, argv[1:]) if before == "-x")
        self.assertEqual(variables, theirs["env"], (release, settings))

    def test_one_two_and_four_ranks_are_started_as_by_upstreams_script(self):
        for release in RELEASES:
            for tp, pp in ((1, 1), (2, 1), (2, 2)):
                self.compare(release, {"tp": tp, "pp": pp}, "--world_size", str(tp * pp))

    def test_orchestrator_mode_is_started_as_by_upstreams_script(self):
        for release in RELEASES:
            self.compare(release, {"tp": GPUS, "launch_mode": "orchestrator"}, "--multi-model")

    def test_orchestrator_mode_without_spawning_is_started_as_by_upstreams_script(self):
        for release in RELEASES:
            if order(release) >= (0, 13, 0):
                settings = {
                    "tp": GPUS,
                    "launch_mode": "orchestrator",
                    "spawn_processes": False,
                    "participant_ids": "1,2",
                }
                self.compare(
                    release,
                    settings,
                    "--multi-model",
                    "--disable-spawn-processes",
                    "--world_size",
                    "3",
                )


if __name__ == "__main__":
    unittest.main()
