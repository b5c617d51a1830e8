"""What a plan of runners/triton-trtllm does to have the tools: here, in an image, or in one that is
built from source.

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
    """{stage: [its entries]} and why points are rejected."""
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
        said = subprocess.run(
            command,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    assert said.returncode == 0, said.stderr
    stages = {}
    for one in json.loads(said.stdout)["stages"]:
        stages.setdefault(one["stage"], []).append(one)
    return stages, said.stdout


def given(stages):
    """What environment.py understands of its command line."""
    (stage,) = stages["environment"]
    return environment.read_arguments(stage["argv"][2:])


class Install(unittest.TestCase):
    def test_tools_that_stand_here_need_no_other_stage(self):
        stages, _ = plan(library_path=["/a:/b"])
        self.assertEqual([name for name in ("source", "image") if name in stages], [])
        understood = given(stages)
        self.assertEqual(
            (understood.version, understood.examples, understood.app),
            ("0.14.0", "/app/examples", "/app"),
        )
        self.assertEqual(
            (understood.libraries, understood.image, understood.built), ("/a:/b", "", "")
        )

    def test_an_image_is_given_with_its_engine_and_all_words_for_it(self):
        stages, _ = plan(
            image=["tritonserver:25.06"],
            trtllm_version=["0.20.0"],
            container_engine=["podman"],
            container_shm=["50g"],
            container_options=["--security-opt label=disable"],
            container_folders=["/data:/models"],
        )
        understood = given(stages)
        self.assertEqual(
            (
                understood.version,
                understood.examples,
                understood.image,
                understood.engine,
                understood.shm,
            ),
            ("0.20.0", "/app/tensorrt_llm/examples", "tritonserver:25.06", "podman", "50g"),
        )
        self.assertEqual(
            (understood.options, understood.folders),
            ("--security-opt label=disable", "/data:/models"),
        )

    def test_what_is_made_in_one_image_is_not_taken_for_what_is_made_in_another(self):
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

    def test_an_image_cannot_be_built_from_nothing(self):
        stages, said = plan(build_image=[True])
        self.assertIn("build_image needs backend_source", said)
        self.assertNotIn("image", stages)


if __name__ == "__main__":
    main()
