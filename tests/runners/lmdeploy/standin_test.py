"""Sweeps of lmdeploy through a store, with an installation that has no engine (standin.py): what
its scripts make, start and measure, and what they refuse. ORCH_BINARY names orchestrate."""

import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parents[2]
SCRIPTS = PROJECT / "runners/lmdeploy/scripts"
sys.path.insert(0, str(PROJECT / "tests/docs"))
sys.path.insert(0, str(PROJECT / "tests/runners/hub"))
sys.path.insert(0, str(HERE))

import sandbox  # noqa: E402
import standin  # noqa: E402
from hub_server import COMMIT, Hub  # noqa: E402

CONFIG = {
    "architectures": ["InternLMForCausalLM"],
    "model_type": "internlm",
    "num_attention_heads": 32,
    "torch_dtype": "float16",
}


IMAGE = "example/lmdeploy@sha256:" + "5678" * 16
# inspect answers with a digest; run executes the words behind the image, in this "container".
DOCKER = """#!/usr/bin/python3
import json, os, sys
words = sys.argv[1:]
with open({log!r}, "a") as file:
    file.write(json.dumps(words) + "\\n")
if words[:2] == ["image", "inspect"]:
    print("sha256:" + "1234" * 16 + " " + {image!r})
elif words[0] == "run":
    place = words.index({image!r})
    os.environ["PATH"] = {bin!r} + ":" + os.environ["PATH"]
    os.execvp(words[place + 1], words[place + 1 :])
"""


class Place:
    """A project whose downloads are real, with a model, a dataset and an installation."""

    def __init__(self, folder):
        self.box = sandbox.Sandbox(folder)
        self.box.copy_project()
        self.box.place_stand_ins()
        self.folder = self.box.folder
        common = "runners/common/scripts/download.py"
        shutil.copy(PROJECT / common, self.folder / common)
        # This machine has no GPU that the stages could hold.
        for name, held, stages in (("model", "1", 2), ("serve", "gpus", 3)):
            path = self.folder / f"runners/lmdeploy/manifest/{name}.yaml"
            text, changed = re.subn(rf"(resources: {{gpus: ){held}\b", r"\g<1>0", path.read_text())
            assert changed == stages, f"{path}: {changed} stages hold GPUs"
            path.write_text(text)
        for name, text in {
            "model/config.json": json.dumps(CONFIG),
            "model/tokenizer.json": "{}",
            "model/tokenizer.model": "tokens",
            "sharegpt.json": self.dataset(),
        }.items():
            standin.write(self.folder / name, text)
        header = json.dumps({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
        weights = len(header).to_bytes(8, "little") + header + bytes(4)
        (self.folder / "model/model.safetensors").write_bytes(weights)

    def dataset(self):
        answer = {"from": "gpt", "value": "a b c d e f g h"}
        asked = [{"from": "human", "value": f"question number {i}"} for i in range(40)]
        return json.dumps([{"conversations": [one, answer]} for one in asked])

    def installation(self, release):
        return standin.make(release, self.folder / f"lmdeploy-{release}")

    def run(self, release, dataset=None, hub="", **more):
        """Runs one point; HUB is the address of a hub."""
        home = self.installation(release)
        defaults = {"model": "m", "lmdeploy_version": release, "isl": 64, "osl": 8,
                    "num_prompts": 10, "lmdeploy": str(home / "bin/lmdeploy")}  # fmt: skip
        if "image" in more:
            del defaults["lmdeploy"]
        if "request_rate" not in more:
            defaults["concurrency"] = 2
        matrix = {
            "name": "standin",
            "runner": "lmdeploy",
            "models": {"m": {"source": "local:model"}},
            "datasets": {"sharegpt": dataset or {"source": "local:sharegpt.json"}},
            "measure": {"prompts": "sharegpt", "reuse_prompts": True, "warmup": "2"},
            "axes": {"num_prompts": [10]},
            "defaults": {**defaults, **more},
        }
        del matrix["defaults"]["num_prompts"]
        (self.folder / "matrix.yaml").write_text(json.dumps(matrix))
        variables = f"HF_ENDPOINT={hub} no_proxy=127.0.0.1 " if hub else ""
        return self.box.run(f"{variables}orchestrate run matrix.yaml --store store 2>&1")

    def place_docker(self, release):
        """A container engine whose image has the installation, and which records its calls."""
        home = self.installation(release)
        names = {
            "log": str(self.folder / "docker.log"),
            "bin": str(home / "bin"),
            "image": IMAGE,
        }
        standin.write(self.folder / ".bin/docker", DOCKER.format(**names), 0o755)

    def query(self, sql):
        done = self.box.run(f'orchestrate query "{sql}" --store store --format json')
        return json.loads(done.stdout)

    def artifact(self, stage):
        """The newest folder of a stage's outputs."""
        found = sorted((self.folder / "store/artifacts").glob(f"{stage}-*"), key=os.path.getmtime)
        return found[-1] / "out"


class Sweep(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = Place(folder.name)

    def bench(self, release, tool, **more):
        """Runs TOOL from a repository of its own."""
        source = self.place.folder / "upstream"
        commit = standin.benchmark(release, source)
        more |= {"benchmark_source": str(source), "benchmark_ref": commit}
        done = self.place.run(release, tool=tool, **more)
        self.assertEqual(done.returncode, 0, done.stdout)
        [row] = self.place.query(f"select * from results_by_tool where tool = '{tool}'")
        return row

    def test_api_server_is_measured_by_our_own_generator(self):
        done = self.place.run("0.16.0", precision="fp16", kv_cache_dtype="int8")
        self.assertEqual(done.returncode, 0, done.stdout)
        [row] = self.place.query("select * from results")
        self.assertEqual(row["osl_counted"], 8)
        pages = self.place.query("select * from server_metrics")
        self.assertTrue(any("lmdeploy:" in json.dumps(one) for one in pages))

    def test_an_image_is_entered_by_every_stage_that_needs_lmdeploy(self):
        self.place.place_docker("0.9.2")
        done = self.place.run("0.9.2", convert=True, image="example/lmdeploy:v0.9.2")
        self.assertEqual(done.returncode, 0, done.stdout)
        [row] = self.place.query("select * from results")
        self.assertEqual(row["osl_counted"], 8)
        log = (self.place.folder / "docker.log").read_text().splitlines()
        started = [words[words.index(IMAGE) + 1 :] for words in map(json.loads, log)
                   if words[0] == "run"]  # fmt: skip
        # The first one looks for LMDeploy.
        named = [" ".join(words[4:7]) for words in started[1:]]
        self.assertEqual(len(named), 2, started)
        self.assertTrue(named[0].startswith("lmdeploy convert unused"), named)
        self.assertEqual(named[1], "lmdeploy serve api_server")
        removed = [words for words in map(json.loads, log) if words[0] == "rm"]
        self.assertEqual(len(removed), len(started), "each container is removed by its name")

    def test_weights_are_quantized_and_converted_before_they_are_served(self):
        done = self.place.run("0.9.2", precision="w4a16", convert=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        config = json.loads((self.place.artifact("quantize") / "awq/config.json").read_text())
        self.assertEqual(config["quantization_config"], {"quant_method": "awq"})
        self.assertTrue((self.place.artifact("convert") / "workspace/triton_models").is_dir())
        self.assertEqual(len(self.place.query("select * from results")), 1)

    def test_profile_serving_measures_triton_with_the_limits_of_the_point(self):
        row = self.bench("0.1.0", "profile_serving", template="internlm", batch_size=32,
                         instances=16, cache_max_entry_count=0.25,
                         tritonserver=str(self.place.folder / "lmdeploy-0.1.0/bin/tritonserver"),
                         )  # fmt: skip
        self.assertEqual(row["requests_per_s"], 2)
        self.assertEqual(row["ttft_ms"], 50)
        [table] = self.place.query("select * from lmdeploy")
        self.assertEqual(table["RPM"], 120)
        settings = self.place.artifact("convert") / "workspace/triton_models/weights/config.ini"
        self.assertIn("max_batch_size = 64", settings.read_text(), "the converted folder stays")

    def test_a_dataset_of_a_hub_is_fetched_and_its_rows_chosen_for_both_tools(self):
        kept = json.loads(self.place.dataset())
        long = [{"from": "human", "value": "a " * 30}, kept[0]["conversations"][1]]
        rows = gzip.compress(json.dumps([*kept, {"conversations": long}]).encode())
        dataset = {
            "source": "hf:acme/talks",
            "tokens": {"least": 2, "most_in_prompt": 20, "most": 60},
        }
        with Hub({"talks.json.gz": rows, "README.md": b"#"}, "datasets/acme/talks") as hub:
            done = self.place.run("0.16.0", dataset, hub.url)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn(f"resolved hf:datasets/acme/talks@main: {COMMIT}", done.stdout)
            row = self.bench("0.16.0", "profile_restful_api", request_rate=4, dataset=dataset,
                             hub=hub.url)  # fmt: skip
            self.assertEqual(len(hub.requests("/resolve/")), 1, "one download for both")
        self.assertEqual((row["output_tps"], row["ttft_ms"]), (40, 50))
        self.assertEqual(
            json.loads((self.place.artifact("dataset_rows") / "rows").read_text()), kept
        )
        prompts = (self.place.artifact("prompts") / "prompts.jsonl").read_text()
        self.assertIn("question number", prompts)

    def test_a_dataset_that_the_hub_does_not_have_is_named_and_nothing_else_runs(self):
        with Hub({}, "datasets/acme/talks") as hub:
            done = self.place.run("0.16.0", {"source": "hf:acme/walks"}, hub.url)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn(
            "dataset 'sharegpt': hf:datasets/acme/walks@main cannot be resolved: resolve.py: HTTP"
            " error 404: hf:datasets/acme/walks is not on",
            done.stdout,
        )

    def test_profile_restful_api_of_each_generation_measures_api_server(self):
        row = self.bench("0.4.1", "profile_restful_api", frontend="api_server", template="internlm")
        self.assertEqual((row["output_tps"], row["tool_version"]), (64, "0.4.1"))

    def test_profile_restful_api_writes_json_lines_in_between(self):
        row = self.bench("0.7.0", "profile_restful_api", request_rate=4)
        self.assertEqual((row["output_tps"], row["ttft_ms"]), (40, 50))

    def test_profile_restful_api_of_today_writes_csv_again(self):
        row = self.bench("0.16.0", "profile_restful_api", request_rate=4)
        self.assertEqual((row["output_tps"], row["ttft_ms"]), (40, 50))

    def test_profile_throughput_has_the_engine_in_its_process(self):
        row = self.bench("0.16.0", "profile_throughput", tp=2)
        self.assertEqual(row["output_tps"], 40)

    def test_another_release_is_refused(self):
        home = self.place.installation("0.5.1")
        done = self.place.run("0.5.0", template="internlm", lmdeploy=str(home / "bin/lmdeploy"))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("is LMDeploy 0.5.1, and lmdeploy_version is 0.5.0", done.stdout)

    def test_an_option_that_api_server_lacks_is_refused_before_it_starts(self):
        home = self.place.installation("0.16.0")
        out = self.place.folder / "environment"
        out.mkdir()
        words = ["--version", "0.16.0", "--lmdeploy", home / "bin/lmdeploy", out]
        self.assertEqual(self.script("environment", *words).returncode, 0)
        for option in ("--no-such-thing", "--calib-samples"):
            done = self.script("enter", out, "lmdeploy", "serve", "api_server", "M", option, "1")
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"invalid option {option} of LMDeploy 0.16.0: it has no such option",
                          done.stderr)  # fmt: skip
            self.assertIn("set lmdeploy_version to a release that has it", done.stderr)

    def test_an_upgrade_behind_the_back_of_a_store_is_refused(self):
        home = self.place.installation("0.16.0")
        out = self.place.folder / "environment"
        out.mkdir()
        words = ["--version", "0.16.0", "--lmdeploy", home / "bin/lmdeploy", out]
        self.assertEqual(self.script("environment", *words).returncode, 0)
        shutil.rmtree(home / "lib")
        standin.make("0.15.0", home)
        done = self.script("enter", out, "lmdeploy", "convert")
        self.assertIn("tool mismatch: LMDeploy 0.16.0 was found, and its package is now 0.15.0",
                      done.stderr)  # fmt: skip

    def script(self, name, *words):
        command = [sys.executable, str(SCRIPTS / f"{name}.py"), *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True)

    def test_a_repository_has_the_limits_and_leaves_the_workspace_as_it_is(self):
        workspace, repository = self.place.folder / "w", self.place.folder / "r"
        standin.convert("0.5.1", ["n", str(self.place.folder / "model"), "--dst-path",
                                  str(workspace)])  # fmt: skip
        words = ["--max-batch-size", 8, "--session-len", 512, "--cache-max-entry-count", 0.25,
                 "--instances", 4, "--quant-policy", 4]  # fmt: skip
        done = self.script("repository", *words, workspace, repository, "--", "/bin/true")
        self.assertEqual(done.returncode, 0, done.stderr)
        limits = standin.limits_of(repository)
        expected = {"max_batch_size": "8", "session_len": "512", "cache_max_entry_count": "0.25",
                    "instances": "4", "quant_policy": "4", "model_name": "n"}  # fmt: skip
        self.assertEqual(limits, expected)
        kept = (workspace / "triton_models/interactive/config.pbtxt").read_text()
        self.assertIn("count: 48", kept)

    def test_a_workspace_without_triton_models_is_refused_with_the_remedy(self):
        words = ["--max-batch-size", 8, "--session-len", 512, "--cache-max-entry-count", 0.25,
                 "--instances", 4]  # fmt: skip
        done = self.script("repository", *words, self.place.folder, "/nowhere", "--", "/bin/true")
        self.assertEqual(done.returncode, 1)
        self.assertIn(
            "config.ini is not there, so `lmdeploy convert` did not complete", done.stderr
        )

    def test_synthetic_prompts_are_refused_by_the_scripts_of_lmdeploy(self):
        done = self.script("profile_script", "", "/bin/true")
        self.assertIn("this matrix has synthetic prompts", done.stderr)


if __name__ == "__main__":
    unittest.main()
