"""environment.py on a folder like an installation: the tools that it finds and records, the
versions that it refuses, and the help texts that it reads."""

import argparse
import os
import shutil

from install_support import PYTHON, InstallTest, main

import options
import tool_options

ARGPARSE = """\
usage: trtllm-build [-h] [--max_batch_size MAX_BATCH_SIZE]
                    [--kv_cache_type KV_CACHE_TYPE]

options:
  -h, --help            show this help message and exit
  --max_seq_len MAX_SEQ_LEN, --max_decoder_seq_len MAX_SEQ_LEN
                        --not_an_option of this tool
  --smoothquant SMOOTHQUANT, -sq SMOOTHQUANT
  --lora_dir LORA_DIR [LORA_DIR ...]
  --weight_only_precision [{int8,int4,int4_gptq}]
  --weight_streaming    a flag

Plugin config arguments:
  --gemm_plugin {auto,float16,disable}
"""
CLICK = """\
Usage: trtllm-serve serve [OPTIONS] MODEL

  Running an OpenAI API compatible server

Options:
  --backend [pytorch|tensorrt]    Which --backend to use.
  --host TEXT                     Hostname of the server.
  -tp, --tp_size INTEGER          Tensor parallelism size.
  --trust_remote_code             Flag for HF transformers.
  --log / --no-log
"""


def recorded_parsers():
    for version in sorted(os.listdir(options.FOLDER)):
        for name in sorted(os.listdir(os.path.join(options.FOLDER, version))):
            recorded = options.load(version, name[: -len(".json")])
            if recorded["parser"] == "argparse" and "options" in recorded:
                yield version, recorded["tool"], recorded


class Help(InstallTest):
    def test_options_of_argparse_are_read_with_all_their_spellings(self):
        value, flag = {"takes": True}, {"takes": False}
        self.assertEqual(
            tool_options.parse_help(ARGPARSE),
            {
                "--help": flag,
                "--max_seq_len": value,
                "--max_decoder_seq_len": value,
                "--smoothquant": value,
                "--lora_dir": value,
                "--weight_only_precision": {
                    "takes": True,
                    "choices": ["int8", "int4", "int4_gptq"],
                },
                "--weight_streaming": flag,
                "--gemm_plugin": {"takes": True, "choices": ["auto", "float16", "disable"]},
            },
        )

    def test_options_of_click_are_read(self):
        value, flag = {"takes": True}, {"takes": False}
        self.assertEqual(
            tool_options.parse_help(CLICK),
            {
                "--backend": {"takes": True, "choices": ["pytorch", "tensorrt"]},
                "--host": value,
                "--tp_size": value,
                "--trust_remote_code": flag,
                "--log": flag,
                "--no-log": flag,
            },
        )

    def test_the_help_of_every_recorded_parser_is_read_correctly(self):
        """A misread help text would make enter.py refuse valid options."""
        count = 0
        for version, tool, recorded in recorded_parsers():
            parser, expected = argparse.ArgumentParser(prog=tool), {"--help": {"takes": False}}
            for option in recorded["options"]:
                flag = option["type"] == "flag"
                choices = [] if flag else [str(one) for one in option.get("choices") or []]
                more = (
                    {"action": "store_true"}
                    if flag
                    else {"nargs": option.get("nargs"), "choices": choices or None}
                )
                parser.add_argument(*option["spellings"], help="--x, " + "y" * 90, dest="x", **more)
                plain = choices if all(tool_options.PLAIN.fullmatch(one) for one in choices) else []
                entry = {"takes": not flag, **({"choices": plain} if plain else {})}
                expected.update(
                    {name: entry for name in option["spellings"] if name.startswith("--")}
                )
            self.assertEqual(
                tool_options.parse_help(parser.format_help()), expected, f"{version} {tool}"
            )
            count += len(expected)
        self.assertGreater(count, 3000)


class Found(InstallTest):
    def test_an_installation_is_recorded_with_its_paths_versions_and_options(self):
        self.install()
        result = self.find()
        self.assertEqual(result.status, 0, result.log)
        self.assertIn(
            (
                "quantize: its options are not checked before it runs, because its --help failed:"
                " ImportError: libcuda.so.1: no such file\n"
            ),
            result.log,
        )
        found = self.read("store/artifacts/environment-1/out/environment.json")
        self.assertEqual(
            found["programs"],
            {
                name: self.path("bin/" + name) if name != "trtllm-serve" else None
                for name in ("trtllm-build", "trtllm-serve", "tritonserver", "mpirun")
            },
        )
        self.assertEqual(
            found["scripts"],
            {
                "quantize": self.path("app/examples/quantization/quantize.py"),
                "run": self.path("app/examples/run.py"),
                "convert-qwen": self.path("app/examples/qwen/convert_checkpoint.py"),
            },
        )
        folders = {
            self.path("app/examples"): self.path("app/examples"),
            self.path("app/all_models"): self.path("app/all_models"),
            self.path("app/tools"): self.path("app/tools"),
        }
        self.assertEqual((found["folders"], found["image"]), (folders, ""))
        options = self.read("store/artifacts/environment-1/out/options.json")
        self.assertEqual(sorted(options), ["build", "convert-qwen", "run", "tritonserver"])
        value, flag = {"takes": True}, {"takes": False}
        self.assertEqual(
            options["build"],
            {
                "--help": flag,
                "--checkpoint_dir": value,
                "--max_seq_len": value,
                "--max_decoder_seq_len": value,
                "--weight_streaming": flag,
                "--remove_input_padding": {"takes": True, "choices": ["enable", "disable"]},
            },
        )
        self.assertEqual(
            options["tritonserver"],
            {"--help": flag, "--http-port": value, "--model-repository": value},
        )
        versions = self.read("store/artifacts/environment-1/out/versions.json")
        self.assertRegex(versions.pop("python"), r"^3\.\d+\.\d+$")
        self.assertEqual(
            versions, {"tensorrt_llm": "0.14.0.post1", "tritonserver": "2.51.0", "mpirun": "4.1.4"}
        )

    def test_a_missing_tool_is_not_an_error_until_a_stage_uses_it(self):
        self.install()
        for name in ("bin/mpirun", "bin/tritonserver", "app/examples/run.py"):
            os.remove(self.path(name))
        shutil.rmtree(self.path("app/all_models"))
        result = self.find()
        self.assertEqual(result.status, 0, result.log)
        self.assertIn(
            f"{self.path('app/all_models')}: not found; backend_source provides it, if a stage"
            " needs it\n",
            result.log,
        )
        found = self.read("store/artifacts/environment-1/out/environment.json")
        folders = {
            self.path("app/examples"): self.path("app/examples"),
            self.path("app/all_models"): None,
            self.path("app/tools"): self.path("app/tools"),
        }
        self.assertEqual((found["programs"]["tritonserver"], found["folders"]), (None, folders))
        self.assertNotIn("run", found["scripts"])
        self.assertEqual(
            sorted(self.read("store/artifacts/environment-1/out/versions.json"))[-1], "tensorrt_llm"
        )

    def test_a_converter_is_found_in_the_folder_of_later_releases(self):
        self.install()
        os.makedirs(self.path("app/examples/models/core"))
        os.rename(self.path("app/examples/qwen"), self.path("app/examples/models/core/qwen"))
        self.assertEqual(
            self.found()["scripts"]["convert-qwen"],
            self.path("app/examples/models/core/qwen/convert_checkpoint.py"),
        )

    def checkout(self, models):
        """The folder of a checkout with a converter, a file beside it, and the models of a release
        in the folder MODELS, beside its tools."""
        source = "store/artifacts/source-1/out/backend"
        converter = "tensorrt_llm/examples/qwen/convert_checkpoint.py"
        self.tool(f"{source}/{converter}", "pass")
        self.write(f"{source}/tensorrt_llm/examples/utils.py", "")
        self.write(f"{source}/{models}/x", "x")
        self.write(f"{source}/{os.path.dirname(models)}/tools/utils/utils.py", "")
        self.write(f"{source}/tensorrt_llm/cpp/large", "x")
        return self.path(source)

    def test_missing_examples_are_copied_out_of_a_checkout(self):
        for models in ("all_models", "tensorrt_llm/triton_backend/all_models"):
            with self.subTest(models=models):
                self.install()
                shutil.rmtree(self.path("app"))
                source = self.checkout(models)
                found = self.found("--source", source)
                examples = "backend/tensorrt_llm/examples"
                self.assertEqual(
                    found["scripts"], {"convert-qwen": f"{examples}/qwen/convert_checkpoint.py"}
                )
                self.assertEqual(
                    found["folders"],
                    {
                        self.path("app/examples"): examples,
                        self.path("app/all_models"): f"backend/{models}",
                        self.path("app/tools"): "backend/" + models.replace("all_models", "tools"),
                    },
                )
                for name in (f"{models}/x", "tensorrt_llm/examples/utils.py"):
                    self.assertTrue(os.path.exists(f"{self.out}/backend/{name}"), name)
                self.assertFalse(os.path.exists(self.out + "/backend/tensorrt_llm/cpp"))
                self.assertFalse(os.path.exists(source + "/tensorrt_llm/examples/__pycache__"))
                shutil.rmtree(source)
                shutil.rmtree(self.out)
                os.makedirs(self.out)

    def test_what_the_installation_has_is_not_copied(self):
        self.install()
        found = self.found("--source", self.checkout("all_models"))
        self.assertEqual(list(found["folders"].values()), list(found["folders"]))
        self.assertEqual(
            sorted(os.listdir(self.out)), ["environment.json", "options.json", "versions.json"]
        )

    def test_each_layout_of_images_is_searched(self):
        """`app` holds all, the source of TensorRT-LLM, or that and the backend in it."""
        for examples, models in (
            ("app/examples", "app/all_models"),
            ("app/tensorrt_llm/examples", None),
            ("app/tensorrt_llm/examples", "app/tensorrt_llm/triton_backend/all_models"),
        ):
            with self.subTest(examples=examples, models=models):
                self.install()
                shutil.rmtree(self.path("app"))
                self.tool(examples + "/qwen/convert_checkpoint.py")
                if models:
                    self.write(models + "/x", "x")
                folders = self.found()["folders"]
                self.assertEqual(
                    list(folders.values())[:2], [self.path(examples), models and self.path(models)]
                )

    def test_another_release_is_refused_with_a_remedy(self):
        self.install("0.16.0")
        self.assert_failed(
            self.find(),
            (
                "environment.py: tool mismatch: this machine has TensorRT-LLM 0.16.0 and"
                " trtllm_version is 0.14.0; set trtllm_version: 0.16.0, or use an installation of"
                " 0.14.0"
            ),
            "tool_mismatch",
        )
        self.assertEqual(os.listdir(self.out), [])

    def test_a_package_without_a_version_is_refused(self):
        self.install()
        self.write(
            "site/tensorrt_llm-0.14.0.post1.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: tensorrt-llm\n",
        )
        self.assert_failed(
            self.find(),
            (
                "environment.py: tool mismatch: the package tensorrt_llm of this machine has no"
                " version, and trtllm_version is 0.14.0; install 0.14.0 again"
            ),
            "tool_mismatch",
        )

    def test_a_machine_without_the_package_is_refused_with_a_remedy(self):
        result = self.find()
        self.assert_failed(
            result,
            (
                f"environment.py: tool mismatch: {PYTHON} of this machine has no package"
                " tensorrt_llm; trtllm_version is 0.14.0: set image to a container image that has"
                " it (tritonserver:YY.MM-trtllm-python-py3), or run this inside one"
            ),
            "tool_mismatch",
        )


class InAnImage(InstallTest):
    """It runs in the container, and only names the image."""

    def test_the_environment_is_that_of_the_image(self):
        self.install()
        found = self.found("--image", "tritonserver:24.10")
        self.assertEqual((found["image"], found["variables"]), ("tritonserver:24.10", {}))
        self.assertEqual(
            sorted(os.listdir(self.out)), ["environment.json", "options.json", "versions.json"]
        )

    def test_an_image_of_another_release_is_refused_with_its_name(self):
        self.install("0.11.0")
        self.assert_failed(
            self.find("--image", "tritonserver:24.07"),
            (
                "environment.py: tool mismatch: image tritonserver:24.07 has TensorRT-LLM 0.11.0"
                " and trtllm_version is 0.14.0; set trtllm_version: 0.11.0, or use an installation"
                " of 0.14.0"
            ),
            "tool_mismatch",
        )


if __name__ == "__main__":
    main()
