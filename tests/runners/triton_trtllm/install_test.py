"""The stages in a plan of runners/triton-trtllm that provide the tools: on this machine, in an
image, or in an image that is built from source.

install_test.py ORCHESTRATE [ARGUMENTS OF unittest]"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

from install_support import ROOT, main

import environment
import yaml

ORCHESTRATE = os.path.abspath(sys.argv.pop(1))
MATRIX = """\
name: install
runner: triton-trtllm
axes:
  model: [qwen]
  concurrency: [1]
{axes}
machine: {{gpus: 8, gpu_model: H100, gpu_memory_gib: 80}}
models:
  qwen:
    source: "hf:Qwen/Qwen2-7B-Instruct"
    facts: {{type: qwen2, heads: 28, kv_heads: 4, layers: 28, hidden: 3584, vocab: 152064,
             positions: 131072}}
"""


def plan(**axes):
    """{stage: [its entries]} and the whole plan as text."""
    with tempfile.TemporaryDirectory() as folder:
        matrix = os.path.join(folder, "matrix.yaml")
        with open(matrix, "w", encoding="utf-8") as file:
            file.write(
                MATRIX.format(
                    axes="\n".join(
                        f"  {name}: {json.dumps(values)}" for name, values in axes.items()
                    )
                )
            )
        command = [ORCHESTRATE, "plan", matrix, "--json", "--store", os.path.join(folder, "store")]
        done = subprocess.run(
            command,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    stages = {}
    for one in json.loads(done.stdout)["stages"]:
        stages.setdefault(one["stage"], []).append(one)
    return stages, done.stdout


def judged(**axes):
    """{(tag of the image, version): (status, reason, [warnings])}"""
    points = json.loads(plan(**axes)[1])["points"]
    return {
        (point["params"]["image"].partition(":")[2], point["params"]["trtllm_version"]): (
            point["status"],
            point["reason"],
            [one for one in point["warnings"] if one.startswith("image")],
        )
        for point in points
    }


def given(stages):
    """The arguments of the stage `environment`, as environment.py parses them."""
    (stage,) = stages["environment"]
    return environment.read_arguments(stage["argv"][3:])


class Install(unittest.TestCase):
    def test_installed_tools_need_no_source_and_no_image(self):
        stages, _ = plan(library_path=["/a:/b"])
        self.assertEqual([name for name in ("source", "image") if name in stages], [])
        arguments = given(stages)
        self.assertEqual(
            (arguments.version, arguments.examples, arguments.app),
            ("0.14.0", "/app/examples", "/app"),
        )
        self.assertEqual((arguments.libraries, arguments.image), ("/a:/b", ""))

    def test_the_tools_are_found_and_used_in_a_container_of_the_image(self):
        stages, _ = plan(
            image=["tritonserver:25.06"],
            trtllm_version=["0.20.0"],
            container_engine=["podman"],
            container_shm=["50g"],
            container_options=["--security-opt label=disable"],
            container_folders=["/data:/models"],
        )
        arguments = given(stages)
        self.assertEqual(
            (arguments.version, arguments.examples, arguments.image),
            ("0.20.0", "/app/tensorrt_llm/examples", "tritonserver:25.06"),
        )
        for name in ("environment", "prompts", "convert", "build", "templates", "serve"):
            (stage,) = stages[name]
            self.assertEqual(
                stage["container"],
                {"engine": "podman", "image": "tritonserver:25.06", "pinned": None},
                name,
            )
        words = stages["build"][0]["launch"]
        self.assertEqual(words[:4], ["podman", "run", "--rm", "--interactive"])
        self.assertEqual(words[words.index("--shm-size") + 1], "50g")
        self.assertNotIn("--entrypoint", words)
        place = words.index("tritonserver:25.06")
        self.assertEqual(words[place - 2 : place], ["--security-opt", "label=disable"])
        volumes = {value for word, value in zip(words, words[1:]) if word == "--volume"}
        for stage in ("environment", "download", "convert"):
            of = f"{{stage:{stages[stage][0]['id']}}}"
            self.assertIn(f"{of}:{of}:ro", volumes)
        self.assertLessEqual({"/data:/data", "/models:/models", "{out}:{out}"}, volumes)
        # The process that reads the datasets is ours, and its helper is in the container.
        words = stages["prompts"][0]["launch"]
        self.assertEqual(words[:4], ["{orchestrate}", "prompts", "{jobs}", "podman"])
        for name in ("download", "bench"):
            self.assertIsNone(stages[name][0]["container"])

    def test_an_image_of_another_release_is_rejected_with_both_numbers(self):
        name = "nvcr.io/nvidia/tritonserver:"
        tags = ["24.10-trtllm-python-py3", "25.02-trtllm-python-py3@sha256:aa"]
        found = judged(
            image=[name + tag for tag in tags],
            trtllm_version=["0.14.0", "0.17.0"],
            backend_source=["/src"],
        )
        self.assertEqual(
            {key: status for key, (status, _, _) in found.items()},
            {
                (tags[0], "0.14.0"): "run",
                (tags[0], "0.17.0"): "reject",
                (tags[1], "0.14.0"): "reject",
                (tags[1], "0.17.0"): "run",
            },
        )
        self.assertEqual(
            found[tags[0], "0.17.0"][1],
            "image-version: the image of Triton 24.10 carries TensorRT-LLM 0.14.0, and"
            " trtllm_version is 0.17.0; set trtllm_version: 0.14.0, or an image of another release"
            " (`orchestrate explain image_version` lists them)",
        )

    def test_an_image_without_app_is_rejected_with_the_key_that_mends_it(self):
        for tag, version in (("24.07", "0.11.0"), ("24.12", "0.16.0"), ("25.01", "0.17.0")):
            image = f"mirror.example/tritonserver:{tag}-trtllm-python-py3"
            ((status, reason, _),) = judged(image=[image], trtllm_version=[version]).values()
            if tag == "25.01":
                self.assertEqual(status, "run")
                continue
            self.assertEqual(
                reason,
                f"image-without-app: an image of Triton {tag} has no /app, and so neither the"
                " vendor's converters nor all_models; set backend_source:"
                " https://github.com/triton-inference-server/tensorrtllm_backend.git (checked out"
                f" at v{version}); without conversion, set template_dir and examples_dir to"
                " folders that are there",
            )

    def test_an_image_of_an_unknown_release_is_a_warning_until_its_version_is_stated(self):
        image = "mirror.example/tritonserver:99.01-trtllm-python-py3"
        key = ("99.01-trtllm-python-py3", "1.3.0")
        status, _, warnings = judged(image=[image], trtllm_version=["1.3.0"])[key]
        self.assertEqual((status, len(warnings)), ("run", 1))
        self.assertIn("if you know its version, set image_version", warnings[0])
        for carried, expected in (("1.3.0", "run"), ("1.4.0", "reject")):
            found = judged(image=[image], trtllm_version=["1.3.0"], image_version=[carried])
            self.assertEqual((found[key][0], found[key][2]), (expected, []))

    def test_a_vendor_image_without_tensorrt_llm_is_rejected(self):
        for image in ("tritonserver:24.10-py3", "tritonserver:24.08-py3-sdk"):
            found = judged(image=["nvcr.io/nvidia/" + image], trtllm_version=["0.14.0"])
            ((status, reason, _),) = found.values()
            self.assertEqual(status, "reject")
            self.assertIn("set image: nvcr.io/nvidia/tritonserver:YY.MM-trtllm-python-py3", reason)

    def test_an_image_that_is_built_may_have_any_name(self):
        image = "nvcr.io/nvidia/tritonserver:24.10-py3"
        found = judged(
            image=[image], trtllm_version=["0.11.0"], build_image=[True], backend_source=["/src"]
        )
        self.assertEqual([status for status, _, _ in found.values()], ["run"])

    def test_releases_are_the_same_in_both_tables(self):
        folder = os.path.join(ROOT, "runners", "triton-trtllm")
        with open(os.path.join(folder, "runner.yaml"), encoding="utf-8") as file:
            rows = yaml.load(file, yaml.BaseLoader)["versions"]["carried_by"]["rows"]
        with open(os.path.join(folder, "manifest", "install.yaml"), encoding="utf-8") as file:
            text = yaml.safe_load(file)["parameters"]["image_version"]["sql"]
        self.assertEqual(
            dict(re.findall(r"WHEN '(.*?)' THEN '(.*?)'", text)),
            {release: ".".join(version.split(".")[:3]) for release, version in rows.items()},
        )

    def test_artifacts_of_different_images_are_different_stages(self):
        stages, _ = plan(image=["tritonserver@sha256:aa", "tritonserver@sha256:bb"])
        self.assertEqual(
            {name: len(stages[name]) for name in ("environment", "download", "convert", "build")},
            {"environment": 2, "download": 1, "convert": 2, "build": 2},
        )

    def test_a_source_is_checked_out_at_the_tag_of_the_release_without_large_files(self):
        stages, _ = plan(backend_source=["/src"])
        self.assertEqual(stages["source"][0]["argv"][2:], ["/src", "v0.14.0", "0.14.0", "{out}"])
        self.assertEqual(given(stages).source, f"{{stage:{stages['source'][0]['id']}}}/backend")
        self.assertNotIn("image", stages)

    def test_an_image_is_built_from_the_source_with_large_files(self):
        stages, _ = plan(backend_source=["/src"], build_image=[True])
        source, image = stages["source"][0], stages["image"][0]
        self.assertEqual(source["argv"][2:], ["/src", "v0.14.0", "0.14.0", "--lfs", "{out}"])
        self.assertEqual(
            image["argv"][2:],
            [
                f"{{stage:{source['id']}}}/backend",
                "0.14.0",
                "triton_trt_llm:v0.14.0",
                "docker",
                "{out}",
            ],
        )
        self.assertEqual(given(stages).image, "triton_trt_llm:v0.14.0")
        for name in ("environment", "build", "serve"):
            self.assertEqual(
                stages[name][0]["container"]["image"], f"{{stage:{image['id']}}}/image.json"
            )

    def test_building_an_image_without_a_source_is_rejected(self):
        stages, output = plan(build_image=[True])
        self.assertIn("build_image needs backend_source", output)
        self.assertNotIn("image", stages)


if __name__ == "__main__":
    main()
