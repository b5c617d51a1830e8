"""The scripts of `plan --script` for the experiments, executed by bash on a machine without a GPU:
the model comes from the hub of these tests, and the vendor's tools are stand-ins that check every
word of their command lines (standin/checked.py)."""

import json
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import unittest

import yaml

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "hub"))
import hub_support  # noqa: E402, F401  (puts the scripts of downloads on the path)
from hub_server import COMMIT, Hub, entered  # noqa: E402

import calibration_texts  # noqa: E402

ROOT = HERE.parents[2]
ORCHESTRATE = os.environ.get("ORCH_BINARY", str(ROOT / "build/default/src/orchestrate"))
NO_GPU = "RuntimeError: No CUDA GPUs are available"
KEYS = {  # of a model's facts: in its config.json
    "type": "model_type",
    "heads": "num_attention_heads",
    "kv_heads": "num_key_value_heads",
    "layers": "num_hidden_layers",
    "hidden": "hidden_size",
    "intermediate": "intermediate_size",
    "vocab": "vocab_size",
    "positions": "max_position_embeddings",
    "experts": "num_local_experts",
    "tied": "tie_word_embeddings",
}


def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)


class Installation:
    """A virtual environment with stand-ins of the tools of one release."""

    def __init__(self, folder, version):
        self.folder, self.version = folder, version
        self.venv, self.app = folder / "venv", folder / "app"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", self.venv], check=True)
        site = pathlib.Path(
            sysconfig.get_path("purelib", "venv", {"base": self.venv, "platbase": self.venv})
        )
        write(
            site / f"tensorrt_llm-{version}.dist-info" / "METADATA",
            f"Metadata-Version: 2.1\nName: tensorrt_llm\nVersion: {version}\n",
        )
        write(site / "tokenizers.py", (HERE / "standin/tokenizers.py").read_text("utf-8"))
        for name, key in {"trtllm-build": "build", "tritonserver": "", "mpirun": ""}.items():
            words = f'"{HERE}/standin/checked.py" "{folder}" {key or name} {version} "$@"'
            write(self.venv / "bin" / name, f"#!/bin/sh\nexec /usr/bin/python3 {words}\n", 0o755)
        examples = self.app / "examples"
        for family in ("qwen", "llama", "gpt"):
            self.script(examples / family / "convert_checkpoint.py", f"convert-{family}")
        self.script(examples / "quantization" / "quantize.py", "quantize")
        self.script(examples / "run.py", "run")
        self.models(self.app / "all_models" / "inflight_batcher_llm")

    def script(self, path, key):
        words = f"sys.executable, {str(HERE)!r} + '/standin/checked.py'"
        own = f"{str(self.folder)!r}, {key!r}, {self.version!r}"
        write(path, f"import os, sys\nos.execv({words.split(',')[0]}, [{words}, {own}]")
        with open(path, "a", encoding="utf-8") as file:
            file.write(" + sys.argv[1:])\n")

    def models(self, into):
        """This project's templates with the keys of that release."""
        record = HERE / "templates" / f"{self.version}.json"
        for model, keys in json.loads(record.read_text("utf-8"))["models"].items():
            path = ROOT / "runners/common/inflight_batcher_llm" / model / "config.pbtxt"
            if not path.exists():
                continue
            lines = path.read_text("utf-8").splitlines(keepends=True)
            kept = [one for one in lines if set(re.findall(r"\$\{(\w+)\}", one)) <= set(keys)]
            write(into / model / "config.pbtxt", "".join(kept))
            write(into / model / "1" / "model.py", "# of the release\n")

    def calls(self):
        """[(key, argv)] of the tools that the script called, without ranks above 0."""
        diary = self.folder / "diary"
        lines = diary.read_text("utf-8").splitlines() if diary.exists() else []
        return [(call["key"], call["argv"]) for call in map(json.loads, lines)]


class ScriptTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(os.path.realpath(folder.name))

    def prepare(self, experiment, where, version, **defaults):
        """Plans the points of an experiment as a script, for tools on this machine."""
        path = ROOT / "experiments" / f"{experiment}.yaml"
        preset = ROOT / "runners/triton-trtllm/presets" / f"{experiment}.yaml"
        preset = yaml.safe_load(preset.read_text("utf-8"))
        self.tools = Installation(self.folder / "tools", version)
        without = {
            section: {one: None for one in ("image", "backend_source") if one in preset[section]}
            for section in ("defaults", "let")
            if section in preset
        }
        matrix = {
            "base": str(path),
            "name": "by-hand",
            "runner": "triton-trtllm",
            **without,
            "defaults": {**without["defaults"], "app_dir": str(self.tools.app), **defaults},
        }
        write(self.folder / "matrix.yaml", json.dumps(matrix))
        self.plan = json.loads(self.orchestrate(where, "--json"))
        self.text = self.orchestrate(where, "--script")
        (name,) = {point["params"]["model"] for point in self.plan["points"]}
        model = preset["models"][name]
        self.serve(model["source"].removeprefix("hf:"), model["facts"])

    def orchestrate(self, where, form):
        words = ["plan", str(self.folder / "matrix.yaml"), "--where", where, form]
        machine = ["--machine", str(ROOT / "tests/data/8xh100.yaml")]
        done = subprocess.run(
            [ORCHESTRATE, *words, *machine, "--store", str(self.folder / "store")],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def serve(self, repository, facts):
        config = {KEYS[name]: value for name, value in facts.items()}
        self.files = {
            "config.json": json.dumps({"architectures": ["Any"], **config}).encode(),
            "tokenizer.json": b"{}",
            "model.safetensors": bytes(range(256)) * 40,
        }
        self.hub = entered(self, Hub(dict(self.files), repository))
        texts = {"3.0.0/train-00000-of-00001.parquet": b"texts", "3.0.0/test-0.parquet": b"others"}
        of_texts = Hub(texts, "datasets/abisee/cnn_dailymail", calibration_texts.COMMIT)
        self.hub.others = [entered(self, of_texts)]

    def run_script(self, text=None):
        """Its exit status and what it printed."""
        write(self.folder / "plan.sh", text or self.text)
        environment = {
            "PATH": f"{self.tools.venv}/bin:/usr/bin:/bin",
            "HOME": str(self.folder),
            "HF_ENDPOINT": self.hub.url,
            "HF_HOME": str(self.folder / "hf"),
            "no_proxy": "127.0.0.1",
        }
        done = subprocess.run(
            ["bash", str(self.folder / "plan.sh")],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        return done.returncode, done.stderr

    def ids(self, *names):
        return [stage["id"] for stage in self.plan["stages"] if stage["stage"] in names]

    def argv_of(self, key):
        return [argv for called, argv in self.tools.calls() if called == key]

    def assert_ends_at(self, stage, calls):
        """The script comes to a stage of this name, the first one that needs a GPU."""
        status, errors = self.run_script()
        self.assertEqual(status, 1, errors)
        last = next(
            one for one in errors.splitlines() if one.startswith(f"{stage}-") and ":" in one
        )
        self.assertRegex(last, rf"^{stage}-[0-9a-f]+ (ended with status 1|is gone): ", errors)
        self.assertTrue(errors.endswith(NO_GPU + "\n"), errors)
        self.assertEqual([key for key, _ in self.tools.calls()], calls, errors)
        self.assertEqual(len(self.hub.requests("/revision/main")), 1)
        (download,) = self.ids("download")
        out = self.folder / "by-hand" / "artifacts" / download / "out"
        self.assertEqual(
            {path.name: path.read_bytes() for path in out.iterdir()}, self.files, errors
        )
        self.assertIn(f"resolve-1: {COMMIT}\n", errors)


DEPLOY = "model = 'qwen2-7b' AND isl = 2048 AND osl = 1024 AND batch_size = 8 AND concurrency = 8"
ALL = "model = 'qwen-14b'"


class Experiments(ScriptTest):
    def test_qwen2_deploy_comes_to_the_build(self):
        self.prepare("qwen2-deploy", f"{DEPLOY} AND precision = 'int8_wo'", "0.11.0")
        self.assert_ends_at("build", ["convert-qwen", "build"])

    def test_qwen2_deploy_comes_to_the_calibration_of_fp8(self):
        self.prepare("qwen2-deploy", f"{DEPLOY} AND precision = 'fp8'", "0.11.0")
        self.assert_ends_at("quantize", ["quantize"])

    def test_qwen_14b_int4_build_flags_comes_to_the_build_of_its_first_engine(self):
        self.prepare("qwen-14b-int4-build-flags", ALL, "0.14.0")
        self.assert_ends_at("build", ["convert-qwen", "build"])
        self.assertEqual(len(self.ids("build")), 4)

    def test_trtllm_backend_tour_comes_to_the_build_of_the_quick_start(self):
        self.prepare("trtllm-backend-tour", "model = 'gpt2-medium'", "0.11.0")
        self.assert_ends_at("build", ["convert-gpt", "build"])

    def test_llm_perf_cross_check_comes_to_the_build(self):
        self.prepare("llm-perf-cross-check", "concurrency IN (1, 8)", "0.11.0")
        self.assert_ends_at("build", ["convert-qwen", "build"])


class WithEngines(ScriptTest):
    """Tools that make files instead of needing a GPU: only the server lacks one."""

    def prepare(self, *words, **defaults):
        super().prepare(*words, **defaults)
        write(self.tools.folder / "gpu", "")

    def test_qwen2_deploy_comes_to_the_server(self):
        self.prepare("qwen2-deploy", f"{DEPLOY} AND precision = 'fp8'", "0.11.0")
        self.assert_ends_at("serve", ["quantize", "build", "mpirun", "tritonserver"])

    def test_trtllm_backend_tour_comes_to_the_server_of_four_ranks(self):
        self.prepare("trtllm-backend-tour", "model = 'gpt2-medium'", "0.11.0")
        self.assert_ends_at("serve", ["convert-gpt", "build", "mpirun", "tritonserver"])
        (argv,) = self.argv_of("mpirun")
        self.assertEqual(argv.count(f"{self.tools.venv}/bin/tritonserver"), 4)

    def test_a_sample_is_asked_before_the_server_is_started(self):
        sample = {"run_sample": True, "sample_text": "Hello, who are you?", "sample_output_len": 50}
        where = f"{ALL} AND max_batch_size = 64 AND kv_cache_free_gpu_mem_fraction = 0.9"
        self.prepare("qwen-14b-int4-build-flags", where, "0.14.0", **sample)
        write(self.tools.folder / "fail-run", "")
        status, errors = self.run_script()
        self.assertEqual(status, 1)
        self.assertRegex(errors, r"sample-[0-9a-f]+ ended with status 1: [^\0]*answers nothing\n$")
        self.assertEqual(self.argv_of("tritonserver"), [])
        (argv,) = self.argv_of("mpirun")
        self.assertEqual(argv[:3], ["-n", "2", "--allow-run-as-root"])
        words = self.argv_of("run")[0]
        for option, value in {
            "--input_text": "Hello, who are you?",
            "--max_output_len": "50",
        }.items():
            self.assertEqual(words[words.index(option) + 1], value)


class WrongWords(ScriptTest):
    def test_a_wrong_word_ends_the_script_at_its_stage(self):
        self.prepare("llm-perf-cross-check", "concurrency = 8", "0.11.0")
        write(self.tools.folder / "gpu", "")
        for stage, right, wrong in (
            ("resolve-1", "hf:Qwen/Qwen2-7B main", "hf:Qwen/Qwen2-7B maine"),
            ("download", '"$revision1"', "main"),
            ("convert", "--tp_size 1", "--tp_sizes 1"),
            ("build", "--context_fmha enable", "--context_fmha enabled"),
            ("repository", "--decoupled_mode true", "--decoupled true"),
            ("serve", "--http-port=", "--http-prt="),
            ("serve", "--bind-to none", "--bind-two none"),
        ):
            with self.subTest(wrong=wrong):
                subprocess.run(["rm", "-rf", str(self.folder / "by-hand")], check=True)
                self.assertIn(right, self.text)
                status, errors = self.run_script(self.text.replace(right, wrong))
                self.assertEqual(status, 1)
                self.assertRegex(errors, rf"(?m)^{stage}\S* (ended with status|is gone)", errors)
                self.assertNotIn(NO_GPU, errors)


if __name__ == "__main__":
    unittest.main()
