"""The stages in a plan of runners/triton-trtllm that provide the tools: on this machine, in an
image, or in an image that is built from source.

install_test.py ORCHESTRATE [ARGUMENTS OF unittest]"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

from install_support import ROOT, main

import environment

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


def given(stages):
    """The arguments of the stage `environment`, as environment.py parses them."""
    (stage,) = stages["environment"]
    return environment.read_arguments(stage["argv"][2:])


class Install(unittest.TestCase):
    def test_installed_tools_need_no_source_and_no_image(self):
        stages, _ = plan(library_path=["/a:/b"])
        self.assertEqual([name for name in ("source", "image") if name in stages], [])
        arguments = given(stages)
        self.assertEqual(
            (arguments.version, arguments.examples, arguments.app),
            ("0.14.0", "/app/examples", "/app"),
        )
        self.assertEqual((arguments.libraries, arguments.image, arguments.built), ("/a:/b", "", ""))

    def test_an_image_is_passed_on_with_its_engine_and_options(self):
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
            (
                arguments.version,
                arguments.examples,
                arguments.image,
                arguments.engine,
                arguments.shm,
            ),
            ("0.20.0", "/app/tensorrt_llm/examples", "tritonserver:25.06", "podman", "50g"),
        )
        self.assertEqual(
            (arguments.options, arguments.folders),
            ("--security-opt label=disable", "/data:/models"),
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
        self.assertEqual(
            (given(stages).built, given(stages).image), (f"{{stage:{image['id']}}}/image.json", "")
        )

    def test_building_an_image_without_a_source_is_rejected(self):
        stages, output = plan(build_image=[True])
        self.assertIn("build_image needs backend_source", output)
        self.assertNotIn("image", stages)


if __name__ == "__main__":
    main()
